import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { JsonNumber } from '../../../rest-shim/exact-json.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { buildFailure, send, type ApiConnection } from './connection.ts';

/** A bulk operation or an export, which a job does and a client waits for. */
interface Unfinished {
  finished_at: string | null;
}

/** A count in a response, whose numbers keep their text. */
export const count = z.instanceof(JsonNumber).transform(({ source }) => Number(source));

const firstWaitMs = 250;
const longestWaitMs = 10_000;
/** Failures in a row, such as those of a service that restarts, after which it gives up. */
const patience = 10;

/**
 * Asks for a bulk operation or an export, less and less often, until it has ended.
 * @param path where it is, such as `/api/v1/exports/ID`
 * @param read gets the body of each response
 */
export async function waitForEnd<Job extends Unfinished>(
  connection: ApiConnection,
  path: string,
  read: (body: unknown) => Job,
  report: (job: Job) => void,
): Promise<Job> {
  let failures = 0;
  for (let wait = firstWaitMs; ; wait = Math.min(wait * 1.5, longestWaitMs)) {
    try {
      const response = await send(connection, { method: 'GET', path });
      if (response.status !== 200) throw buildFailure(connection, response);
      const job = read(response.body);
      failures = 0;
      report(job);
      if (job.finished_at !== null) return job;
    } catch (error) {
      failures += 1;
      const mayPass = error instanceof CommandFailure && error.exitCode === exitCodes.failed;
      if (!mayPass || failures === patience) throw error;
    }
    await sleep(wait);
  }
}
