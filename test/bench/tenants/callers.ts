import { load, type Outcome } from '../load.ts';
import type { Installation } from './installation.ts';
import type { KontorProcess } from './processes.ts';
import { mixedRequests, type Requests } from './requests.ts';

/** Callers who send less than the machine could answer, to see what else delays them. */
export interface Callers {
  /** Sends for so long, or until the promise settles. */
  send(seconds: number, until?: Promise<unknown>): Promise<Outcome>;
}

export async function innocentCallers({ pool, tenants }: Installation, server: KontorProcess): Promise<Callers> {
  const requests: Requests = await mixedRequests(pool, tenants);
  return {
    send: (seconds, until) =>
      load('callers', {
        urls: [server.url],
        requests,
        connections: 16,
        pauseMs: 200,
        seconds,
        ...(until && { until }),
      }),
  };
}
