import { expect, it } from 'vitest';
import { soak } from './soak.ts';

// For seconds; test/reliability has the long form.
it('300 events a second with 10 % receiver faults, then a burst: nothing lost, the queue empty at the end', async () => {
  const { figures } = await soak({ seconds: 2, burst: 500 }, () => {});
  expect(figures).toMatch(/^600 events .* burst of 500 /);
}, 120_000);
