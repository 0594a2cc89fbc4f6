import { expect, it } from 'vitest';
import { soak } from './soak.ts';

// For seconds; test/reliability has the long form.
it('300 events a second with 10 % failing attempts, then a burst: nothing is lost, and the queue is empty at the end', async () => {
  const { figures } = await soak({ seconds: 2, burst: 500 }, () => {});
  expect(figures).toMatch(/^600 events .* burst of 500 /);
});
