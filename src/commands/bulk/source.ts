import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { createTemporaryFile } from '../when-interrupted.ts';

/** A file that can be read again, for a further attempt. */
export interface Source extends AsyncDisposable {
  bytes: number;
  open: () => Readable;
}

/** @param file its path, or `-` for standard input, which is kept in a file meanwhile */
export async function openSource(file: string): Promise<Source> {
  if (file !== '-') return fromFile(file, async () => {});
  const copy = join(tmpdir(), `kontor-bulk-${randomUUID()}`);
  const isOver = createTemporaryFile(copy, 0o600);
  const remove = async (): Promise<void> => {
    await rm(copy, { force: true });
    isOver();
  };
  try {
    await pipeline(process.stdin, createWriteStream(copy, { flags: 'r+' }));
    return await fromFile(copy, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

async function fromFile(file: string, remove: () => Promise<void>): Promise<Source> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new CommandFailure(exitCodes.usage, `There is no file ${file}`);
  return { bytes: found.size, open: () => createReadStream(file), [Symbol.asyncDispose]: remove };
}
