import cluster from 'node:cluster';
import type { MetricObject } from 'prom-client';

// Messages between the processes of one `start` (Node's cluster); src/processes/primary.ts has the primary's side.

/** The role of a worker process. */
export type Role = 'serve' | 'work';

export const roleVariable = 'KONTOR_PROCESS';

export const processRole = (): Role => (process.env[roleVariable] === 'work' ? 'work' : 'serve');

/** A process's metrics, to be aggregated with those of the others. */
export type Counts = MetricObject[];

/** From a worker: it is up, and where; it has failed, and why; its metrics; or a request for the metrics of all. */
export type WorkerMessage = { up: string } | { failed: string } | { counts: Counts; number: number } | { ask: number };
/** To a worker: to stop, to report its metrics, or the metrics of all that it asked for (null: there are none). */
export type PrimaryMessage = { stop: true } | { count: number } | { metrics: string | null; number: number };

export const sendToPrimary = (word: WorkerMessage): void => void process.send?.(word);

const onPrimaryMessage = (hear: (order: PrimaryMessage) => void): void =>
  void (cluster.isWorker && process.on('message', hear));

/** Settles when the primary asks the process to stop; never without a primary. */
export const stopRequested = new Promise<void>((resolve) => {
  onPrimaryMessage((order) => 'stop' in order && resolve());
});

/** Reports metrics to the primary on request. */
export function reportMetricsToPrimary(count: () => Promise<Counts>): void {
  onPrimaryMessage((order) => {
    if ('count' in order) void count().then((counts) => sendToPrimary({ counts, number: order.count }));
  });
}

let asked = 0;
const asking = new Map<number, (metrics: string | null) => void>();
onPrimaryMessage((order) => 'metrics' in order && asking.get(order.number)?.(order.metrics));

/** The metrics of all processes. @throws Error if the primary has none */
export async function clusterMetrics(): Promise<string> {
  asked += 1;
  const number = asked;
  const answer = new Promise<string | null>((resolve) => asking.set(number, resolve));
  sendToPrimary({ ask: number });
  const metrics = await answer.finally(() => asking.delete(number));
  if (metrics === null) throw new Error('The parent has no metrics');
  return metrics;
}

/** Reports a failure to the primary, which prints it once for all workers. @returns false where there is no primary */
export function reportFailureToPrimary(line: string): boolean {
  if (!cluster.isWorker) return false;
  sendToPrimary({ failed: line });
  cluster.worker?.disconnect();
  return true;
}
