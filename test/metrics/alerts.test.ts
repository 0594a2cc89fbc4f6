import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { measureDatabase } from '../../src/observability/metrics/database.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { ready, startService } from '../harness.ts';
import { alertsFile, rules } from './alert-rules.ts';
import { noPromtool, promtool } from './promtool.ts';

const page = readFileSync(new URL('../../OPERATING.md', import.meta.url), 'utf8');

it.skipIf(noPromtool)('promtool accepts the example alerts', () => {
  expect(promtool(['check', 'rules', alertsFile])).toMatchObject({ status: 0 });
});

it.skipIf(noPromtool)('promtool has nothing against the metrics', async () => {
  const metrics = createMetrics();
  const input = await metrics.registry.metrics();
  expect(promtool(['check', 'metrics'], input)).toEqual({ status: 0, stdout: '', stderr: '' });
});

const dashboard = z
  .object({
    panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).optional() })),
  })
  .parse(JSON.parse(readFileSync(new URL('../../docker/grafana/kontor.json', import.meta.url), 'utf8')));
/** Grafana's variables have values. */
const queries = dashboard.panels
  .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  .map((expr) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'kontor'));

it.skipIf(noPromtool)('promtool can read the queries of the dashboard', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-dashboard-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const records = queries.map((expr, at) => ({ record: `panel:${at}`, expr }));
  const asRules = join(folder, 'rules.yml');
  await writeFile(asRules, JSON.stringify({ groups: [{ name: 'dashboard', rules: records }] })); // JSON is YAML
  expect(promtool(['check', 'rules', asRules])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${queries.length} rules found`) as string,
  });
});

it('every metric and label of an example alert, and of the dashboard, exists', async () => {
  const service = await startService();
  const metrics = createMetrics();
  measureDatabase(metrics, { ...service, ...ready });
  const known = new Map((await metrics.registry.getMetricsAsJSON()).map((metric) => [metric.name, metric]));
  await service.close();

  const labelsOf = (name: string): string[] =>
    (metrics.registry.getSingleMetric(name) as unknown as { labelNames?: string[] } | undefined)?.labelNames ?? [];
  const shown = new Set(
    queries.flatMap((expr) => [...expr.matchAll(/\bkontor_\w+?(?=_(?:bucket|count|sum)\b|\b)/g)].map(([name]) => name)),
  );
  const own = [...known.keys()].filter((name) => name.startsWith('kontor_'));
  expect(
    own.filter((name) => !shown.has(name)),
    'the dashboard shows each metric',
  ).toEqual([]);

  const named = [...rules.map(({ expr }) => expr), ...queries].flatMap((expr) => [
    ...expr.matchAll(/\b((?:kontor|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
  ]);
  expect(named.length).toBeGreaterThan(rules.length);
  const strange = named.filter(([, name = '', selector = '']) => {
    if (name === 'kontor_process_restarts_total') return false; // counted by the primary process: processes/concurrency.system.test.ts tests it
    const metric = known.get(name.replace(/_(?:bucket|count|sum)$/, '')) ?? known.get(name);
    const labels = [...selector.matchAll(/(\w+)(?:!=|!~|=)/g)].map(([, label]) => String(label));
    return !metric || labels.some((label) => label !== 'job' && !labelsOf(metric.name).includes(label));
  });
  expect(strange.map(([text]) => text)).toEqual([]);

  const grouped = [...rules.map(({ expr }) => expr), ...queries].filter((expr) => {
    const found = [...expr.matchAll(/\b((?:kontor|process|nodejs)_\w+)/g)].map(([name]) => name);
    const has = new Set([
      'le',
      'instance',
      'job',
      ...found.flatMap((name) => labelsOf(name.replace(/_(?:bucket|count|sum)$/, ''))),
    ]);
    const by = [...expr.matchAll(/\b(?:by|without|ignoring|on) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(/,\s*/),
    );
    return by.some((label) => !has.has(label));
  });
  expect(grouped, 'a grouping by a label that no metric has').toEqual([]);
});

it('OPERATING.md lists each alert, and no other', () => {
  const listed = [...page.matchAll(/`(Kontor[A-Z]\w+)`/g)].map(([, name]) => name);
  expect([...new Set(listed)].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});
