import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { maxSearchesPerMinute } from '../../schema/resources/bank-transaction/exact-operations.ts';
import { createToken } from '../../src/identity/index.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';

// Fields with a limit of their own (schema/graphql/plugins/field-rate-limit.ts).

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => {
  vi.useRealTimers();
});

const field = 'exactMatches(first: 1) { transaction { id } }';

/** Sends so many documents of one call each, at once. */
const call = (caller: Integrator, count: number): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => caller.graphqlAnswer(`{ ${field} }`)));

const getErrors = (answers: Answer[]): Record<string, unknown>[] => answers.flatMap(({ body }) => body.errors ?? []);
const countRefused = (answers: Answer[]): number => getErrors(answers).length;

it('answers concurrent calls up to the limit, and refuses the others with a time to wait', async () => {
  const [caller, other] = [await service.integrator(), await service.integrator()];
  const answers = await call(caller, maxSearchesPerMinute + 15);
  expect(countRefused(answers)).toBe(15);
  expect(getErrors(answers)[0]).toMatchObject({
    message: `exactMatches: at most ${maxSearchesPerMinute} times in any 60 seconds.`,
    path: ['exactMatches'],
    extensions: { code: 'RATE_LIMITED', retryAfter: 60 },
  });
  expect(countRefused(await call(other, 1))).toBe(0);
});

it('counts each token of a tenant by itself', async () => {
  const caller = await service.integrator();
  expect(countRefused(await call(caller, maxSearchesPerMinute + 1))).toBe(1);
  const { token } = await createToken(service.client, { tenantId: caller.tenantId });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await service.request('POST', '/graphql', { body: { query: `{ ${field} }` }, headers });
  expect(answer.body).toEqual({ data: { exactMatches: [] } });
});

it('counts each alias of a document', async () => {
  const caller = await service.integrator();
  expect(countRefused(await call(caller, maxSearchesPerMinute - 4))).toBe(0);
  const five = `{ ${[1, 2, 3, 4, 5].map((index) => `a${index}: ${field}`).join(' ')} }`;
  expect(getErrors([await caller.graphqlAnswer(five)])).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
});

it('answers again after a minute, in which refused calls did not count', async () => {
  const caller = await service.integrator();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  expect(countRefused(await call(caller, maxSearchesPerMinute))).toBe(0);
  vi.setSystemTime(Date.now() + 59_000);
  expect(countRefused(await call(caller, 5))).toBe(5);
  vi.setSystemTime(Date.now() + 1000);
  expect(countRefused(await call(caller, maxSearchesPerMinute))).toBe(0);
});

it('answers after the clock was set back', async () => {
  const caller = await service.integrator();
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: now + 3_600_000 });
  expect(countRefused(await call(caller, maxSearchesPerMinute))).toBe(0);
  vi.setSystemTime(now);
  expect(countRefused(await call(caller, maxSearchesPerMinute))).toBe(0);
});
