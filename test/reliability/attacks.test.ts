import { readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
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
);

describe.each(isLong ? [1, 2, 4] : [2])('with %i processes', (processes) => {
  it.skipIf(attacks.length === 0).each(attacks)('another tenant is served beside: $title', async (attack) => {
    const settings = { ...attack.settings, WEB_CONCURRENCY: String(processes) };
    const served = await serve(attack.works ? 'start' : 'serve', settings);
    onTestFinished(served.close);
    const { acme: innocent, globex: attacker } = served;
    const run = await attack.prepare(served, attacker);
    await warmUp(served.url, attacker.token, processes);
    await warmUp(served.url, innocent.token, processes);
    const memoryBefore = served.memory();
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
