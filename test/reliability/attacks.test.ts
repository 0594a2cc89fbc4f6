import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { asIntegrator } from '../harness.ts';
import type { Attack } from './attacks/attack.ts';
import { startInnocentCaller, type Figures } from './innocent-caller.ts';
import { say, serve, type Served } from './served.ts';
import { isLong } from './size.ts';
import { warmUp } from './warm-up.ts';

// Each file in attacks/ is an attack. It runs at one, two, and four processes; in the suite at two.

const folder = new URL('attacks/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'attack.ts');
const attacks = await Promise.all(
  names.map(async (name) => ((await import(new URL(name, folder).href)) as { default: Attack }).default),
).then((all) => all.toSorted((a, b) => a.memoryGrowth - b.memoryGrowth));

interface Measured extends Served {
  /** In MiB, once it had started. */
  memoryBefore: number;
}

describe.each(isLong ? [1, 2, 4] : [2])('with %i processes', (processes) => {
  /** In the suite, attacks without settings of their own take turns on one server, those that may take least memory first. */
  let shared: Measured | undefined;
  afterAll(() => shared?.close());

  const start = async ({ works, settings }: Attack): Promise<Measured> => {
    if (shared && !works && !settings) return shared;
    const served = await serve(works ? 'start' : 'serve', { ...settings, WEB_CONCURRENCY: String(processes) });
    await warmUp(served.url, served.acme.token, processes);
    const started = { ...served, memoryBefore: served.memory() };
    if (isLong || works || settings) onTestFinished(served.close);
    else shared = started;
    return started;
  };

  it.each(attacks)('another tenant is served beside: $title', async (attack) => {
    const served = await start(attack);
    const { acme: innocent, beside, memoryBefore } = served;
    const attacker = asIntegrator({ request: served.request, books: beside.books }, await beside.integrator());
    const run = await attack.prepare(served, attacker);
    await warmUp(served.url, attacker.token, processes);
    const caller = await startInnocentCaller(served.url, innocent.token);
    const { most } = await measureMemory(served, run);
    const figures = await caller.stop();
    say(`${attack.title}, ${processes} processes: ${format(figures)}; memory ${memoryBefore} → ${most} MiB`);
    expect(figures.statuses).toEqual({ 200: figures.answers });
    expect(served.loggedErrors()).toEqual([]);
    expect(most - memoryBefore).toBeLessThan(attack.memoryGrowth);
    if (isLong) expect(figures.slowestMs).toBeLessThan(1000); // the suite's machine is busy with other tests
  });
});

async function measureMemory(served: Served, run: () => Promise<void>): Promise<{ most: number }> {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, served.memory())), 50);
  await run().finally(() => clearInterval(timer));
  return { most };
}

const format = ({ answers, medianMs, slowestMs, statuses }: Figures): string =>
  `${answers} answers, median ${medianMs} ms, slowest ${slowestMs} ms, ${JSON.stringify(statuses)}`;
