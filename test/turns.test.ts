import { expect, it } from 'vitest';
import { createTurns } from '../src/graphql/turns.ts';

it('who waits has a turn after one piece of each other’s, however much they have brought', async () => {
  const turns = createTurns({ rest: 0 });
  const done: string[] = [];
  const work = (who: string): Promise<void> => turns.take(who).then(() => void done.push(who));
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(work));
  expect(done.join('')).toBe('aabcaba');
  await work('d');
  expect(done.at(-1), 'also when nobody has waited for a while').toBe('d');
});

it('others are served between two pieces', async () => {
  const turns = createTurns({ rest: 0 });
  const order: string[] = [];
  setImmediate(() => order.push('other'));
  await Promise.all([1, 2].map((piece) => turns.take('a').then(() => void order.push(`piece ${piece}`))));
  expect(order).toEqual(['piece 1', 'other', 'piece 2']);
});
