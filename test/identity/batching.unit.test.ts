import { expect, it, vi } from 'vitest';
import { batchWhileBusy } from '../../src/identity/principal.ts';

/** A batched lookup. The test itself answers its queries. */
function held() {
  const queries: { keys: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const lookups = batchWhileBusy<string, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const index = queries.length;
        queries.push({ keys, answer: () => resolve(keys.map((key) => `${key} ${index}`)), fail: reject });
      }),
  );
  const queryCount = (count: number) => vi.waitFor(() => expect(queries).toHaveLength(count), { timeout: 60_000 });
  const find = (key: string): Promise<string> => lookups.load(key);
  return { find, queries, queryCount };
}

it('looks up the keys of one tick with one query', async () => {
  const { find, queries, queryCount } = held();
  const answers = Promise.all(['a', 'b', 'a'].map(find));
  await queryCount(1);
  queries[0]!.answer();
  expect(await answers).toEqual(['a 0', 'b 0', 'a 0']);
});

it('answers no lookup from a query that began before it', async () => {
  const { find, queries, queryCount } = held();
  const early = find('a');
  await queryCount(1);
  const late = Promise.all(['a', 'b'].map(find));
  queries[0]!.answer();
  expect(await early).toBe('a 0');
  await queryCount(2);
  queries[1]!.answer();
  expect(await late).toEqual(['a 1', 'b 1']);
});

it('a failed query fails its own lookups, and the next lookup queries again', async () => {
  const { find, queries, queryCount } = held();
  const answers = Promise.allSettled(['a', 'b'].map(find));
  await queryCount(1);
  queries[0]!.fail(new Error('no connection'));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = find('a');
  await queryCount(2);
  queries[1]!.answer();
  expect(await again).toBe('a 1');
});

it('a query that hangs delays only its own lookups', async () => {
  const { find, queries, queryCount } = held();
  void find('a');
  await queryCount(1);
  const late = find('b');
  await queryCount(2);
  queries[1]!.answer();
  expect(await late).toBe('b 1');
});
