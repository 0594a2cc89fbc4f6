import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createFairScheduler } from '../src/server/http/fair-scheduler.ts';

it('gives each key a turn after one piece of every other key', async () => {
  const turns = createFairScheduler<string>({ rest: 0, pauseMs: 0 });
  const done: string[] = [];
  const work = (who: string): Promise<void> => turns.waitForTurn(who).then(() => void done.push(who));
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(work));
  expect(done.slice(0, 3).join('')).toBe('abc');
  expect(done.toSorted().join('')).toBe('aaaabbc');
  await work('d');
  expect(done.at(-1), 'also when nobody has waited for a while').toBe('d');
});

it('pauses between two turns of one key, and runs other keys meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = createFairScheduler<string>({ rest: 0, pauseMs: 30 });
  const done: string[] = [];
  for (const key of ['a', 'a', 'a', 'b']) void turns.waitForTurn(key).then(() => done.push(key));
  /** The pieces that were done when all work without a pause has run. The scheduler's ticks are not faked. */
  const settled = async (): Promise<string> => {
    for (let tick = 0; tick < 20; tick += 1) await sleep(1);
    return done.join('');
  };
  expect(await settled()).toBe('ab');
  vi.advanceTimersByTime(29);
  expect(await settled()).toBe('ab');
  vi.advanceTimersByTime(1);
  expect(await settled()).toBe('aba');
  vi.advanceTimersByTime(30);
  expect(await settled()).toBe('abaa');
});

it('lets other work run between two pieces', async () => {
  const turns = createFairScheduler<string>({ rest: 0, pauseMs: 0 });
  const order: string[] = [];
  setImmediate(() => order.push('other'));
  await Promise.all([1, 2].map((piece) => turns.waitForTurn('a').then(() => void order.push(`piece ${piece}`))));
  expect(order).toEqual(['piece 1', 'other', 'piece 2']);
});
