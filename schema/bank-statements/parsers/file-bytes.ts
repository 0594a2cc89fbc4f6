import { createReadStream } from 'node:fs';

/**
 * The bytes of a file, which is opened when the first are read. A stream that is open and not read keeps its file open, and
 * ends the process by an error that nobody handles if the file is deleted meanwhile.
 */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}
