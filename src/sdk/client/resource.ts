import type { HttpClient } from './http-client.ts';

/** What the generated resources share. */
export class Resource {
  protected readonly client: HttpClient;

  constructor(client: HttpClient) {
    this.client = client;
  }
}
