import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

declare module 'yazl' {
  interface ZipFile {
    /** All entries, which the zip keeps for the list at its end. */
    readonly entries: { utf8FileName: Buffer }[];
  }
}

/** The same content makes the same bytes: each entry has the first time that a zip can have. */
const options = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

export interface ZipWriter {
  /** Adds an entry, and waits until it is written. It is read only as fast as the zip is. */
  add: (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>;
  addBytes: (name: string, content: Uint8Array | string) => void;
}

/** A zip, as it is written: little of it is in memory. */
export async function* zipChunks(addEntries: (zip: ZipWriter) => Promise<void>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current = Readable.from([]);
  // An entry keeps this function, which is the same for all, so that none keeps its stream.
  const open = (begin: (error: unknown, stream: Readable) => void): void => begin(null, current);
  const fail = (error: unknown): void => void output.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on('error', fail); // that of an entry
  const adding = addEntries({
    add: async (name, content) => {
      current = Readable.from(content, { objectMode: false });
      zip.addReadStreamLazy(name, options, open);
      separateLastName(zip);
      await finished(current);
    },
    addBytes: (name, content) => zip.addBuffer(Buffer.from(content), name, options),
  }).then(() => zip.end(), fail);
  try {
    for await (const chunk of output) yield chunk as Buffer;
    await adding;
  } finally {
    current.destroy();
  }
}

/** Moves the name of the last entry out of Node's pool of buffers, all of which it would keep: it is mostly content. */
function separateLastName({ entries }: ZipFile): void {
  const last = entries.at(-1);
  if (last) last.utf8FileName = Buffer.from(new Uint8Array(last.utf8FileName).buffer);
}
