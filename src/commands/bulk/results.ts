import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { buildFailure, open, readResponse, type ApiConnection } from '../remote/connection.ts';

/** A line of an operation's results. */
export interface Result {
  text: string;
  value: unknown;
}

const attempts = 6;
const firstWaitMs = 500;

/** Reads the results of an operation, as they arrive. If they break off, it asks again, and leaves out those that it has. */
export async function* readResults(connection: ApiConnection, id: string, failed: boolean): AsyncGenerator<Result> {
  let count = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      let at = 0;
      for await (const result of readOnce(connection, id, failed)) {
        if (at++ < count) continue;
        count = at;
        yield result;
      }
      return;
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.failed || attempt === attempts)
        throw error;
      await sleep(firstWaitMs * 2 ** (attempt - 1));
    }
  }
}

async function* readOnce(connection: ApiConnection, id: string, failed: boolean): AsyncGenerator<Result> {
  const path = `/api/v1/bulk-operations/${id}/results${failed ? '?failed=true' : ''}`;
  const abort = new AbortController();
  const response = await open(connection, { method: 'GET', path, signal: abort.signal });
  if (response.status !== 200 || !response.body)
    throw buildFailure(connection, await readResponse(connection, response));
  try {
    const lines = createInterface({ input: Readable.fromWeb(response.body as ReadableStream), crlfDelay: Infinity });
    for await (const text of lines) yield { text, value: JSON.parse(text) as unknown };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(exitCodes.failed, `The results broke off: ${reason}.`);
  } finally {
    abort.abort(); // nobody reads the rest, which would keep the process from its end
  }
}
