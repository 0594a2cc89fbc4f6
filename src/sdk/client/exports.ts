import { Exports } from './generated/api.ts';
import type { CreateExportInput, Export } from './generated/types.ts';
import type { PostOptions, RequestOptions } from './options.ts';
import { waitForEnd, type WaitOptions } from './wait-for-end.ts';

/** Exports. */
export class ExportClient extends Exports {
  /**
   * Starts an export, and waits for its end.
   * @returns the export when it has ended. It has a file if its `status` is `completed`
   */
  async run(input: CreateExportInput, options: PostOptions & WaitOptions<Export> = {}): Promise<Export> {
    const { onProgress, idempotencyKey, ...request } = options;
    const { id } = await this.create(input, { ...request, idempotencyKey });
    return await this.wait(id, { ...request, onProgress });
  }

  /** Asks for an export, less and less often, until it has ended. */
  wait(id: string, options: WaitOptions<Export> = {}): Promise<Export> {
    return waitForEnd((request) => this.get(id, request), options);
  }

  /**
   * The bytes of an export's file, as they arrive: `getFile()` has all of them in memory.
   * @throws KontorError, also if it breaks off
   */
  readFile(id: string, options: RequestOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    return this.client.readBytes(`/exports/${encodeURIComponent(id)}/file`, { options });
  }
}
