import { expect, it, vi } from 'vitest';
import { batchWhileBusy } from '../prisma/batching.ts';

/** A query that the test answers. */
function held() {
  const questions: { keys: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const find = batchWhileBusy<string, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const asked = questions.length;
        questions.push({ keys, answer: () => resolve(keys.map((key) => `${key} ${asked}`)), fail: reject });
      }),
  );
  const questionsAsked = (count: number) =>
    vi.waitFor(() => expect(questions).toHaveLength(count), { timeout: 60_000 });
  return { find, questions, questionsAsked };
}

it('looks up the keys of one tick with one query', async () => {
  const { find, questions, questionsAsked } = held();
  const answers = Promise.all(['a', 'b', 'a'].map(find));
  await questionsAsked(1);
  questions[0]!.answer();
  expect(await answers).toEqual(['a 0', 'b 0', 'a 0']);
});

it('answers no lookup from a query that began before it', async () => {
  const { find, questions, questionsAsked } = held();
  const early = find('a');
  await questionsAsked(1);
  const late = Promise.all(['a', 'b'].map(find));
  questions[0]!.answer();
  expect(await early).toBe('a 0');
  await questionsAsked(2);
  questions[1]!.answer();
  expect(await late).toEqual(['a 1', 'b 1']);
});

it('a failed query fails its own lookups, and the next lookup queries again', async () => {
  const { find, questions, questionsAsked } = held();
  const answers = Promise.allSettled(['a', 'b'].map(find));
  await questionsAsked(1);
  questions[0]!.fail(new Error('no connection'));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = find('a');
  await questionsAsked(2);
  questions[1]!.answer();
  expect(await again).toBe('a 1');
});

it('a query that hangs delays only its own lookups', async () => {
  const { find, questions, questionsAsked } = held();
  void find('a');
  await questionsAsked(1);
  const late = find('b');
  await questionsAsked(2);
  questions[1]!.answer();
  expect(await late).toBe('b 1');
});
