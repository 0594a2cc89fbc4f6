import fc from 'fast-check';
import type { Answer, Integrator } from '../harness.ts';
import type { Change, Resource, State } from './resources.ts';

/** Two or three changes to be sent at once. */
export const someChanges = ({ change }: Resource): fc.Arbitrary<Change[]> =>
  fc.array(change.map(toldByItself), { minLength: 2, maxLength: 3 });

/** So that fast-check says what was sent. */
const toldByItself = (change: Change) => ({ ...change, [fc.toStringMethod]: () => change.told });

export const isDone = ({ status, body }: Answer): boolean => status < 400 && body?.errors === undefined;

/** Whether it says what was wrong, rather than that we failed. */
function isRefused({ status, body }: Answer): boolean {
  if (status === 422 || status === 404) return true;
  return ['VALIDATION_FAILED', 'NOT_FOUND'].includes(body?.errors?.[0]?.extensions?.code);
}

function* orders<T>(of: readonly T[]): Generator<T[]> {
  if (of.length === 0) yield [];
  for (const [at, first] of of.entries()) for (const rest of orders(of.toSpliced(at, 1))) yield [first, ...rest];
}

const canonical = (state: State): string =>
  JSON.stringify(state, (_key, value: unknown) => (isObject(value) ? sortKeys(value) : value));

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object's keys are in no order: PostgreSQL has its own for those of `metadata`. */
const sortKeys = (value: object): object =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Whether these answers and this end follow when the changes are made one after the other. */
function follows(before: State, inOrder: { change: Change; done: boolean }[], after: State): boolean {
  let state = before;
  for (const { change, done } of inOrder) {
    const next = change.apply(state);
    if ((next !== undefined) !== done) return false;
    state = next ?? state;
  }
  return canonical(state) === canonical(after);
}

/**
 * Sends changes of a new resource at once, and looks for an order of them that explains all answers and what is stored. If
 * a change were acknowledged and gone, or a rule broken, there would be none.
 * @returns how many of the changes were made
 * @throws Error saying what was sent, answered and stored
 */
export async function sendTogether(who: Integrator, resource: Resource, changes: Change[]): Promise<number> {
  const ids = await resource.make(who);
  const before = await resource.read(who, ids);
  const answers = await Promise.all(changes.map((change) => change.send(who, ids)));
  const after = await resource.read(who, ids);
  const sent = changes.map((change, at) => ({ change, answer: answers[at]!, done: isDone(answers[at]!) }));
  const isExplained = [...orders(sent)].some((inOrder) => follows(before, inOrder, after));
  if (isExplained && sent.every(({ answer, done }) => done || isRefused(answer)))
    return sent.filter(({ done }) => done).length;
  const told = sent.map(({ change, answer, done }) => `${change.told}: ${done ? 'done' : answer.text.slice(0, 300)}`);
  throw new Error(
    [
      `${resource.mutation}: no order of these explains it`,
      JSON.stringify(before),
      ...told,
      JSON.stringify(after),
    ].join('\n'),
  );
}
