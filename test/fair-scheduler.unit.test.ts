import { expect, it } from 'vitest';
import { createFairScheduler } from '../src/graphql/fair-scheduler.ts';

it('who waits has a turn after one piece of each other’s, however much they have brought', async () => {
  const turns = createFairScheduler({ rest: 0, pauseMs: 0 });
  const done: string[] = [];
  const work = (who: string): Promise<void> => turns.waitForTurn(who).then(() => void done.push(who));
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(work));
  expect(done.slice(0, 3).join('')).toBe('abc');
  expect(done.toSorted().join('')).toBe('aaaabbc');
  await work('d');
  expect(done.at(-1), 'also when nobody has waited for a while').toBe('d');
});

it('between two of one’s own turns is a pause, which others don’t wait for', async () => {
  const turns = createFairScheduler({ rest: 0, pauseMs: 30 });
  const done: string[] = [];
  // A timer that is set at a turn for a little less than the pause. Timers fire in the order of their times, however
  // late the process is, so this one fires between two turns if there is such a pause, and only then.
  const work = async (who: string): Promise<void> => {
    await turns.waitForTurn(who);
    done.push(who);
    if (who === 'a') setTimeout(() => done.push('-'), 25);
  };
  await Promise.all(['a', 'a', 'a', 'b'].map(work));
  expect(done.join('')).toBe('ab-a-a');
});

it('others are served between two pieces', async () => {
  const turns = createFairScheduler({ rest: 0, pauseMs: 0 });
  const order: string[] = [];
  setImmediate(() => order.push('other'));
  await Promise.all([1, 2].map((piece) => turns.waitForTurn('a').then(() => void order.push(`piece ${piece}`))));
  expect(order).toEqual(['piece 1', 'other', 'piece 2']);
});
