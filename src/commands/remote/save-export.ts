import { randomBytes } from 'node:crypto';
import { chmodSync, constants, createWriteStream, lstatSync, realpathSync } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { z } from 'zod';
import { whyNoFile } from '../../backup/whole-file.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { printError, writeFile } from '../output.ts';
import { startBar } from '../progress.ts';
import { createTemporaryFile } from '../when-interrupted.ts';
import { buildFailure, open, readResponse, type ApiConnection } from './connection.ts';
import { count, waitForEnd } from './wait-for-end.ts';

const fields = z.object({
  id: z.string(),
  status: z.string(),
  rows: count.nullable(),
  processed_rows: count,
  error: z.string().nullable(),
  length: count.nullable(),
  finished_at: z.string().nullable(),
});
const readExport = (body: unknown): { body: unknown } & z.infer<typeof fields> => {
  const { data, error } = z.object({ data: fields }).safeParse(body);
  if (error) throw new CommandFailure(exitCodes.failed, 'The service answered something that is no export.');
  return { body, ...data.data };
};

/**
 * Waits until an export has ended, and saves its file.
 * @param body the response that started it
 * @returns the response that shows its end
 * @throws CommandFailure if it fails or is cancelled
 */
export async function saveExport(connection: ApiConnection, body: unknown, out: string): Promise<unknown> {
  const { id } = readExport(body);
  printError(`Export ${id} has begun.`);
  const path = `/api/v1/exports/${id}`;
  const ended = await waitWithBar(connection, path);
  if (ended.status !== 'completed')
    throw new CommandFailure(exitCodes.failed, ended.error ?? `The export is ${ended.status}.`);
  await saveFile(connection, `${path}/file`, out);
  printError(`Saved: ${out}, ${ended.length ?? 0} bytes.`);
  return ended.body;
}

async function waitWithBar(connection: ApiConnection, path: string) {
  const bar = startBar('{bar} {value} of {total} rows', 0);
  try {
    return await waitForEnd(connection, path, readExport, ({ rows, processed_rows: processed }) =>
      bar.update(processed, rows ?? processed),
    );
  } finally {
    bar.stop();
  }
}

/**
 * Saves the file that a GET answers, as it arrives.
 * @param out its path; undefined for standard output, as is `/dev/stdout`
 * @param getName how the user names a field
 * @throws CommandFailure if it breaks off: then a file that was there is as it was
 */
export async function saveFile(
  connection: ApiConnection,
  path: string,
  out: string | undefined,
  getName?: (field: string) => string,
): Promise<void> {
  // Without a limit of time: a file may be long.
  const response = await open(connection, { method: 'GET', path, signal: new AbortController().signal });
  if (!response.ok || !response.body) throw buildFailure(connection, await readResponse(connection, response), getName);
  const bytes = Readable.fromWeb(response.body as ReadableStream);
  try {
    if (out === undefined || out === '/dev/stdout') await writeFile(bytes);
    else await saveWhole(bytes, out);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(exitCodes.failed, `The file broke off: ${reason}.`);
  }
}

/**
 * To be called before a request: what it begins, such as an export, would be for nothing.
 * @throws CommandFailure if no file can be made at this path
 */
export async function requireWritable(out: string): Promise<void> {
  const fail = (reason: string): never => {
    throw new CommandFailure(exitCodes.failed, `${out} can't be written: ${reason}.`);
  };
  const file = followLinks(out);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) fail('it is a folder');
  if (found && !found.isFile()) return;
  const folder = dirname(file);
  await access(folder, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) =>
    fail(whyNoFile(folder, error)),
  );
}

async function saveWhole(bytes: Readable, out: string): Promise<void> {
  const file = followLinks(out);
  const found = lstatSync(file, { throwIfNoEntry: false });
  // A device or a pipe takes the bytes. A new file in its place would take it from everybody.
  if (found && !found.isFile()) return await pipeline(bytes, createWriteStream(file));
  const draft = `${file}.${randomBytes(4).toString('hex')}.part`;
  const isOver = createTemporaryFile(draft, found ? 0o600 : 0o666);
  try {
    if (found) chmodSync(draft, found.mode & 0o777); // who could not read the former file can't read this one
    await pipeline(bytes, createWriteStream(draft, { flags: 'r+', flush: true }));
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
    isOver();
  }
}

/** A link stays one: what it names is written. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
