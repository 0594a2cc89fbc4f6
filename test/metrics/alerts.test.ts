import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { measureDatabase } from '../../src/observability/metrics/database.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { ready, startService } from '../harness.ts';

const file = fileURLToPath(new URL('../../src/observability/metrics/alerts.yml', import.meta.url));
const page = readFileSync(new URL('../../OPERATING.md', import.meta.url), 'utf8');

const rule = z.strictObject({
  alert: z.string().regex(/^Kontor[A-Z]\w+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[smh]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string() }),
});
const { groups } = z
  .strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })) })
  .parse(parse(readFileSync(file, 'utf8')));
const rules = groups.flatMap((group) => group.rules);

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
it.skipIf(!hasPromtool)('promtool accepts the example alerts', () => {
  expect(spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toMatchObject({ status: 0 });
});

it('every metric and label of an example alert exists', async () => {
  const service = await startService();
  const metrics = createMetrics();
  measureDatabase(metrics, { ...service, ...ready });
  const known = new Map((await metrics.registry.getMetricsAsJSON()).map((metric) => [metric.name, metric]));
  await service.close();

  const named = rules.flatMap(({ expr }) => [...expr.matchAll(/\b((?:kontor|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]);
  expect(named.length).toBeGreaterThan(rules.length);
  const strange = named.filter(([, name = '', selector = '']) => {
    if (name === 'kontor_process_restarts_total') return false; // counted by the primary process: processes/concurrency.system.test.ts tests it
    const metric = known.get(name.replace(/_(?:bucket|count|sum)$/, '')) ?? known.get(name);
    const labels = [...selector.matchAll(/(\w+)=/g)].map(([, label]) => label).filter((label) => label !== 'job');
    const source = metric && metrics.registry.getSingleMetric(metric.name);
    const has = (source as unknown as { labelNames?: string[] } | undefined)?.labelNames ?? [];
    return !metric || labels.some((label) => !has.includes(String(label)));
  });
  expect(strange.map(([text]) => text)).toEqual([]);
});

it('OPERATING.md lists each alert, and no other', () => {
  const listed = [...page.matchAll(/`(Kontor[A-Z]\w+)`/g)].map(([, name]) => name);
  expect([...new Set(listed)].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});
