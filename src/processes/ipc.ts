import cluster from 'node:cluster';
import type { MetricObject } from 'prom-client';

// What the processes of one `start` say to each other; src/processes/primary.ts has the parent's side.

/** What a child is for. */
export type Role = 'serve' | 'work';

export const roleVariable = 'KONTOR_PROCESS';

export const processRole = (): Role => (process.env[roleVariable] === 'work' ? 'work' : 'serve');

/** What a process counts, to be added to what others do. */
export type Counts = MetricObject[];

/** From a child: that it does its work, and where; that it can't, and why; what it counts; or what it would know. */
export type WorkerMessage = { up: string } | { failed: string } | { counts: Counts; number: number } | { ask: number };
/** To a child: to stop, to tell what it counts, or all metrics, which it asked for (null: there are none). */
export type PrimaryMessage = { stop: true } | { count: number } | { metrics: string | null; number: number };

export const sendToPrimary = (word: WorkerMessage): void => void process.send?.(word);

const onPrimaryMessage = (hear: (order: PrimaryMessage) => void): void =>
  void (cluster.isWorker && process.on('message', hear));

/** Settles when the parent says so; never where there is none. It may do so before anybody asks. */
export const stopRequested = new Promise<void>((resolve) => {
  onPrimaryMessage((order) => 'stop' in order && resolve());
});

/** Counts for the parent when it asks. */
export function reportMetricsToPrimary(count: () => Promise<Counts>): void {
  onPrimaryMessage((order) => {
    if ('count' in order) void count().then((counts) => sendToPrimary({ counts, number: order.count }));
  });
}

let asked = 0;
const asking = new Map<number, (metrics: string | null) => void>();
onPrimaryMessage((order) => 'metrics' in order && asking.get(order.number)?.(order.metrics));

/** Of all processes. @throws Error where the parent can't tell */
export async function clusterMetrics(): Promise<string> {
  asked += 1;
  const number = asked;
  const answer = new Promise<string | null>((resolve) => asking.set(number, resolve));
  sendToPrimary({ ask: number });
  const metrics = await answer.finally(() => asking.delete(number));
  if (metrics === null) throw new Error('The parent has no metrics');
  return metrics;
}

/** Whether a failure was told to the parent, who tells the user, once for all of its children. */
export function reportFailureToPrimary(line: string): boolean {
  if (!cluster.isWorker) return false;
  sendToPrimary({ failed: line });
  cluster.worker?.disconnect();
  return true;
}
