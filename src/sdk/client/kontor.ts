import { BulkClient } from './bulk.ts';
import { ChangeFeed } from './changes.ts';
import { ExportClient } from './exports.ts';
import { Api } from './generated/api.ts';
import { HttpClient, type Call, type Method } from './http-client.ts';
import type { KontorOptions } from './options.ts';

/** A client of one installation, with the rights of one API token. */
export class Kontor extends Api {
  override readonly bulkOperations: BulkClient;
  override readonly changes: ChangeFeed;
  override readonly exports: ExportClient;

  constructor(options: KontorOptions) {
    super(new HttpClient(options));
    this.bulkOperations = new BulkClient(this.client);
    this.changes = new ChangeFeed(this.client);
    this.exports = new ExportClient(this.client);
  }

  /**
   * Sends any request, with the same retries and errors: for paths that are newer than this package.
   * @param path relative to `/api/v1`, such as `/customers`
   * @returns the response's body, with its envelope
   */
  request<Body>(method: Method, path: string, call: Call = {}): Promise<Body> {
    return this.client.request(method, path, call);
  }
}
