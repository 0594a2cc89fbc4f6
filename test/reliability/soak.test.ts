import { expect, it } from 'vitest';
import { soak } from '../webhooks/soak.ts';
import { quantile, say } from './served.ts';

const seconds = Number(process.env['SECONDS'] ?? 600);
const burst = Number(process.env['EVENTS'] ?? 50_000);

it(`300 events a second for ${seconds} s with 10 % receiver failures, and a burst of ${burst}, lose nothing, leave memory flat, and the queue empty`, async () => {
  const { steadyMiB, figures } = await soak({ seconds, burst }, say);
  // The first minute is the warm-up. Then the first third of the rest is compared with the last third.
  const warm = steadyMiB.slice(Math.min(60, steadyMiB.length / 4));
  const third = Math.ceil(warm.length / 3);
  const [first, last] = [quantile(warm.slice(0, third), 0.5), quantile(warm.slice(-third), 0.5)];
  say(`soak: ${figures}; ${first.toFixed(0)} MiB at first, ${last.toFixed(0)} MiB at last`);
  expect(last, 'memory is flat within 10 %').toBeLessThan(first * 1.1);
});
