import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { Attack } from './attacks/attack.ts';
import { startInnocentCaller, type Figures } from './innocent-caller.ts';
import { say, serve, type Served } from './served.ts';
import { isLong } from './size.ts';
import { warmUp } from './warm-up.ts';

// Each file in attacks/ is an attack. It runs at one, two, and four processes. The suite starts one, which the other tenant
// shares with the attacker, or, where jobs are attacked, two and a worker.

const folder = new URL('attacks/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'attack.ts');
const attacks = await Promise.all(
  names.map(async (name) => ((await import(new URL(name, folder).href)) as { default: Attack }).default),
);

const runs = [1, 2, 4].flatMap((processes) =>
  attacks.filter(({ works }) => isLong || processes === (works ? 2 : 1)).map((attack) => ({ ...attack, processes })),
);

it.skipIf(runs.length === 0).each(runs)(
  'another tenant is served beside: $title, processes: $processes',
  async ({ processes, ...attack }) => {
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
  },
);

async function measureMemory(served: Served, run: () => Promise<void>): Promise<{ most: number }> {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, served.memory())), 50);
  await run().finally(() => clearInterval(timer));
  return { most };
}

const format = ({ answers, medianMs, slowestMs, statuses }: Figures): string =>
  `${answers} answers, median ${medianMs} ms, slowest ${slowestMs} ms, ${JSON.stringify(statuses)}`;
