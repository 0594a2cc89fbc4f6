import { z } from 'zod';
import { openBooks } from '../../prisma/client.ts';
import { Workers } from '../../prisma/distribute/workers.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { measureDatabase } from '../../src/observability/metrics/database.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { restartCounter } from '../../src/processes/primary.ts';
import { ready } from '../harness.ts';

const metric = z.object({
  name: z.string(),
  type: z.string(),
  help: z.string(),
  labelNames: z.array(z.string()),
  buckets: z.array(z.number()).optional(),
});

/** Kontor's own metrics, of which none has been read. */
export function listMetrics(): z.infer<typeof metric>[] {
  const metrics = createMetrics();
  const unused = { connectionString: 'postgres://nobody@127.0.0.1:1/none', max: 1 };
  const pool = new ConnectionPool(unused);
  measureDatabase(metrics, { pool, books: openBooks(unused), workers: new Workers(pool), ...ready });
  const ofPrimary = { ...restartCounter, type: 'counter', labelNames: [] };
  return z
    .array(metric)
    .parse([...metrics.registry.getMetricsAsArray(), ofPrimary])
    .filter(({ name }) => name.startsWith('kontor_'))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The parts of the metrics that dashboards and alerts name. */
export type PromisedMetrics = Record<string, { type: string; labels: string[]; buckets?: number[] | undefined }>;

export const promisedMetrics = (): PromisedMetrics =>
  Object.fromEntries(
    listMetrics().map(({ name, type, labelNames, buckets }) => [
      name,
      { type, labels: labelNames.toSorted(), ...(buckets && { buckets }) },
    ]),
  );

/** Of one without a label, or with another one, an alert's sum is another one. */
export const compareMetrics = (before: PromisedMetrics, after: PromisedMetrics): string[] =>
  Object.entries(before).flatMap(([name, { type, labels, buckets = [] }]) => {
    const now = after[name];
    if (!now) return [`${name} is gone`];
    return [
      ...(now.type === type ? [] : [`${name}: ${type} → ${now.type}`]),
      ...(now.labels.join() === labels.join() ? [] : [`${name}: labels ${labels.join()} → ${now.labels.join()}`]),
      ...buckets.filter((each) => !now.buckets?.includes(each)).map((each) => `${name}: no bucket of ${each}`),
    ];
  });
