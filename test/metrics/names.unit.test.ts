import { expect, it } from 'vitest';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { version } from '../../schema/version.ts';
import { listMetrics } from '../releases/metrics.ts';

// Prometheus's conventions, as `promtool check metrics` has them.

const abbreviated = new Set(['s', 'ms', 'us', 'ns', 'sec', 'b', 'kb', 'mb', 'gb', 'm', 'h', 'd']);
const otherUnits = new Set([
  'milliseconds',
  'microseconds',
  'minutes',
  'hours',
  'days',
  'kilobytes',
  'megabytes',
  'percent',
]);
const types = new Set(['counter', 'gauge', 'histogram', 'summary']);

function breaches({ name, help, type }: { name: string; help: string; type: string }): string[] {
  const words = name.split('_');
  const is = (suffix: string): boolean => words.at(-1) === suffix;
  return [
    ...(help.trim() === '' ? ['no help text'] : []),
    ...(/^[a-z][a-z0-9_]*$/.test(name) ? [] : ['not in snake_case']),
    ...((type === 'counter') === is('total') ? [] : ['counters end with _total, and nothing else does']),
    ...(is('count') || is('sum') || is('bucket') ? ['a suffix of histograms'] : []),
    ...words.filter((word) => abbreviated.has(word)).map((word) => `abbreviated: ${word}`),
    ...words.filter((word) => otherUnits.has(word)).map((word) => `no base unit: ${word}`),
    ...words.filter((word) => types.has(word)).map((word) => `a type: ${word}`),
  ].map((breach) => `${name}: ${breach}`);
}

it('each metric has a help text and a name by Prometheus’s conventions, those of the runtime too', async () => {
  const all = await createMetrics().registry.getMetricsAsJSON();
  const named = all.map(({ name, help, type }) => ({ name, help, type: String(type) }));
  expect([...listMetrics(), ...named].flatMap(breaches)).toEqual([]);
});

it('a breach is found', () => {
  expect(breaches({ name: 'kontor_waits_ms', help: '', type: 'counter' })).toHaveLength(3);
  expect(breaches({ name: 'kontor_open_total', help: 'x', type: 'gauge' })).toHaveLength(1);
});

it('kontor_build_info has the version', async () => {
  expect(await createMetrics().registry.metrics()).toContain(`\nkontor_build_info{version="${version}"} 1\n`);
});
