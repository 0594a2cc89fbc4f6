import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { limitWork } from '../../schema/documents/limit-work.ts';

/** In milliseconds. */
const limit = 500;

/** Starts a thread that does this again and again. */
async function begin(work: string) {
  const thread = new Worker(`for (;;) { ${work} }`, { eval: true });
  await once(thread, 'online');
  const { signal, stop } = limitWork({ threads: [thread] }, limit);
  const end = async (): Promise<void> => {
    stop();
    await thread.terminate();
  };
  return { signal, end };
}

it('a thread may wait for as long as it likes', async () => {
  const { signal, end } = await begin('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);');
  await setTimeout(3 * limit);
  await end();
  expect(signal.aborted).toBe(false);
});

it('a thread may work for so long', async () => {
  const { signal, end } = await begin('');
  const began = performance.now();
  if (!signal.aborted) await once(signal, 'abort');
  await end();
  expect(performance.now() - began).toBeGreaterThan(limit / 2); // it has worked before
});
