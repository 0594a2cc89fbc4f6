import { randomUUID } from 'node:crypto';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { printError } from '../output.ts';
import { startBar } from '../progress.ts';
import { buildFailure, send, type ApiConnection, type ApiResponse } from '../remote/connection.ts';
import type { Source } from './source.ts';
import { readOperation, type Operation } from './operation.ts';

const attempts = 6;
const firstWaitMs = 500;

interface Order {
  resource: string;
  action: string;
  source: Source;
  key: string | undefined;
}

/**
 * Starts the operation. Where the connection breaks or the service fails, it sends the file again, with the same key: so the
 * operation begins once.
 */
export async function upload(
  connection: ApiConnection,
  { resource, action, source, key = randomUUID() }: Order,
): Promise<Operation> {
  const path = `/api/v1/bulk-operations?${new URLSearchParams({ resource, action })}`;
  const headers = { 'content-type': 'application/jsonl', 'idempotency-key': key };
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptUpload(connection, source, { path, headers });
    if (!(outcome instanceof CommandFailure)) return readOperation(outcome.body);
    if (outcome.exitCode !== exitCodes.failed || attempt === attempts) throw outcome;
    printError(`${outcome.message} Sending the file again.`);
    await sleep(firstWaitMs * 2 ** (attempt - 1));
  }
}

async function attemptUpload(
  connection: ApiConnection,
  source: Source,
  request: { path: string; headers: Record<string, string> },
): Promise<ApiResponse | CommandFailure> {
  const bar = startBar('{bar} {percentage}% sent', source.bytes);
  try {
    const response = await send(connection, { method: 'POST', ...request, body: () => counted(source, bar.update) });
    return response.status < 300 ? response : buildFailure(connection, response);
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  } finally {
    bar.stop();
  }
}

/** The file, and how much of it was read. */
function counted({ open }: Source, report: (bytes: number) => void): ReadableStream {
  let bytes = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      report((bytes += chunk.length));
      done(null, chunk);
    },
  });
  const file = open().on('error', (error) => counting.destroy(error));
  return Transform.toWeb(file.pipe(counting).on('close', () => file.destroy())).readable as ReadableStream;
}
