import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { JsonNumber } from '../../../rest-shim/exact-json.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { buildFailure, send, type ApiConnection } from '../remote/connection.ts';

const count = z.instanceof(JsonNumber).transform(({ source }) => Number(source));
const operation = z.object({
  id: z.string(),
  status: z.string(),
  lines: count,
  processed_lines: count,
  succeeded_lines: count,
  failed_lines: count,
  error: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export type Operation = z.infer<typeof operation>;

export function readOperation(body: unknown): Operation {
  const { data, error } = z.object({ data: operation }).safeParse(body);
  if (error) throw new CommandFailure(exitCodes.failed, 'The service answered something that is no bulk operation.');
  return data.data;
}

const firstWaitMs = 250;
const longestWaitMs = 10_000;
/** Failures in a row, such as those of a service that restarts, after which it gives up. */
const patience = 10;

/** Asks for an operation, less and less often, until it has ended. */
export async function waitForEnd(
  connection: ApiConnection,
  id: string,
  report: (operation: Operation) => void,
): Promise<Operation> {
  let failures = 0;
  for (let wait = firstWaitMs; ; wait = Math.min(wait * 1.5, longestWaitMs)) {
    try {
      const found = await getOperation(connection, id);
      failures = 0;
      report(found);
      if (found.finished_at !== null) return found;
    } catch (error) {
      failures += 1;
      const mayPass = error instanceof CommandFailure && error.exitCode === exitCodes.failed;
      if (!mayPass || failures === patience) throw error;
    }
    await sleep(wait);
  }
}

async function getOperation(connection: ApiConnection, id: string): Promise<Operation> {
  const response = await send(connection, { method: 'GET', path: `/api/v1/bulk-operations/${id}` });
  if (response.status !== 200) throw buildFailure(connection, response);
  return readOperation(response.body);
}
