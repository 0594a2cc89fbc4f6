import cluster from 'node:cluster';
import type { MetricObject } from 'prom-client';

// Messages between the processes of one `start` (Node's cluster); src/processes/primary.ts has the primary's side.

/** The role of a worker process. */
export type Role = 'serve' | 'work';

export const roleVariable = 'KONTOR_PROCESS';

export const processRole = (): Role => (process.env[roleVariable] === 'work' ? 'work' : 'serve');

/** A process's metrics, to be aggregated with those of the others. */
export type Counts = MetricObject[];

/** From a worker: its address, once it is up; the reason of a failure; its metrics; or a request for the metrics of all. */
export type WorkerMessage = { up: string } | { failed: string } | { counts: Counts; number: number } | { ask: number };
/** To a worker: to stop, to report its metrics, or the metrics of all that it asked for (null: there are none). */
export type PrimaryMessage = { stop: true } | { count: number } | { metrics: string | null; number: number };

export const sendToPrimary = (message: WorkerMessage): void => void process.send?.(message);

const onPrimaryMessage = (listener: (message: PrimaryMessage) => void): void =>
  void (cluster.isWorker && process.on('message', listener));

/** Settles when the primary asks the process to stop; never without a primary. */
export const stopRequested = new Promise<void>((resolve) => {
  onPrimaryMessage((message) => 'stop' in message && resolve());
});

/** Reports metrics to the primary on request. */
export function reportMetricsToPrimary(count: () => Promise<Counts>): void {
  onPrimaryMessage((message) => {
    if ('count' in message) void count().then((counts) => sendToPrimary({ counts, number: message.count }));
  });
}

let requests = 0;
const pendingRequests = new Map<number, (metrics: string | null) => void>();
onPrimaryMessage((message) => 'metrics' in message && pendingRequests.get(message.number)?.(message.metrics));

/** The metrics of all processes. @throws Error if the primary has none */
export async function clusterMetrics(): Promise<string> {
  requests += 1;
  const number = requests;
  const response = new Promise<string | null>((resolve) => pendingRequests.set(number, resolve));
  sendToPrimary({ ask: number });
  const metrics = await response.finally(() => pendingRequests.delete(number));
  if (metrics === null) throw new Error('The primary has no metrics');
  return metrics;
}

/** Reports a failure to the primary, which prints it once for all workers. @returns false where there is no primary */
export function reportFailureToPrimary(line: string): boolean {
  if (!cluster.isWorker) return false;
  sendToPrimary({ failed: line });
  cluster.worker?.disconnect();
  return true;
}
