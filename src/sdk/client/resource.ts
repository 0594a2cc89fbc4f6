import type { HttpClient } from './http-client.ts';

/** The base class of the generated resources. */
export class Resource {
  protected readonly client: HttpClient;

  constructor(client: HttpClient) {
    this.client = client;
  }
}
