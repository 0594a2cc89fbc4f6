import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { isContention, type Db } from '../../prisma/client.ts';
import { makeCustomer, makeProject, makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { booksOf, Copy, readFeed } from './copy.ts';

// Positions are drawn and transactions are committed concurrently, abandoned, and held open. A consumer reads all the time.

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

type Step =
  | { kind: 'create' }
  | { kind: 'rename'; which: number }
  | { kind: 'delete'; which: number }
  | { kind: 'track'; which: number; minutes: number }
  | { kind: 'pause'; ms: number };

interface Transaction {
  steps: Step[];
  fails: boolean;
}

const which = fc.nat({ max: 50 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ kind: 'create' } as const),
  fc.record({ kind: fc.constant('rename' as const), which }),
  fc.record({ kind: fc.constant('delete' as const), which }),
  fc.record({ kind: fc.constant('track' as const), which, minutes: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('pause' as const), ms: fc.nat({ max: 15 }) }),
);
const transaction: fc.Arbitrary<Transaction> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  fails: fc.boolean(),
});

class Abandoned extends Error {}

async function run(
  db: Db,
  { steps, fails }: Transaction,
  { projects, userId }: { projects: string[]; userId: string },
) {
  for (const each of steps) {
    const customers = await db.customer.findMany({ select: { id: true }, orderBy: { id: 'asc' } });
    const { id } = 'which' in each ? (customers[each.which % Math.max(1, customers.length)] ?? {}) : {};
    if (each.kind === 'pause') await sleep(each.ms);
    else if (each.kind === 'create') await db.customer.create({ data: { type: 'CUSTOMER', companyName: 'New' } });
    else if (each.kind === 'track') {
      const projectId = projects[each.which % projects.length] ?? '';
      const data = { projectId, userId, date: new Date('2026-03-01'), durationMinutes: each.minutes };
      await db.timeEntry.create({ data });
    } else if (id && each.kind === 'rename')
      await db.customer.updateMany({ where: { id }, data: { companyName: `Renamed ${each.which}` } });
    else if (id) await db.customer.deleteMany({ where: { id } });
  }
  if (fails) throw new Abandoned();
}

it(
  'a consumer’s copy equals the books after concurrent, slow, and abandoned transactions',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(transaction, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 1, max: 5 }),
        async (writers, limit) => {
          const who = await service.integrator();
          const projects = [await makeProject(who), await makeProject(who)];
          const copy = new Copy(who);
          const done = new AbortController();
          const consumer = (async () => {
            while (!done.signal.aborted) await copy.follow(limit);
          })();
          const writing = Promise.all(
            writers.map(async (transactions) => {
              for (const each of transactions)
                await who.db
                  .$transaction((db) => run(db, each, { projects, userId: who.userId }))
                  .catch((error: unknown) => {
                    // Of two transactions that wait for each other's rows, one is undone.
                    if (!(error instanceof Abandoned) && !isContention(error)) throw error;
                  });
            }),
          );
          await writing.finally(() => done.abort());
          await consumer;
          await copy.follow(limit);
          expect(copy.rows).toEqual(await booksOf(who));
        },
      ),
      { numRuns: 15 },
    );
  },
);

it('a change committed after another comes after it', async () => {
  const who = await service.integrator();
  const commits: { id: string; begun: number; ended: number }[] = [];
  const write = async (): Promise<void> => {
    for (let count = 0; count < 15; count += 1) {
      const begun = performance.now();
      const id = await makeCustomer(who);
      commits.push({ id, begun, ended: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: 6 }, write));
  const { data } = await readFeed(who, { limit: 1000 });
  const places = new Map(data.map(({ id }, at) => [id, at]));
  expect(places.size).toBe(commits.length);
  for (const earlier of commits)
    for (const later of commits)
      if (earlier.ended < later.begun) expect(places.get(earlier.id)).toBeLessThan(places.get(later.id) ?? -1);
});

/** Holds a transaction open that has written a customer, until `commit` is called. */
async function slowTransaction({ db }: Integrator): Promise<{ id: string; commit: () => Promise<void> }> {
  const written = Promise.withResolvers<string>();
  const release = Promise.withResolvers<void>();
  const whole = db.$transaction(
    async (inside) => {
      written.resolve((await inside.customer.create({ data: { type: 'CUSTOMER', companyName: 'Slow' } })).id);
      await release.promise;
    },
    { timeout: 30_000 },
  );
  const commit = async (): Promise<void> => {
    release.resolve();
    await whole;
  };
  onTestFinished(commit);
  return { id: await written.promise, commit };
}

it('a slow transaction delays no other change, and is not missed', async () => {
  const [acme, globex] = [await service.integrator(), await service.integrator()];
  const slow = await slowTransaction(acme);
  const quick = await makeReceipt(acme);
  const foreign = await makeReceipt(globex);
  const { data, meta } = await readFeed(acme);
  expect(data.map(({ id }) => id)).toEqual([quick]);
  expect((await readFeed(globex)).data.map(({ id }) => id)).toEqual([foreign]);
  await slow.commit();
  expect((await readFeed(acme, { since: meta.cursor })).data.map(({ id }) => id)).toEqual([slow.id]);
});

it('a consumer that begins at the end of the feed misses no transaction that is still open', async () => {
  const acme = await service.integrator();
  const slow = await slowTransaction(acme);
  await makeReceipt(acme);
  const { meta } = await readFeed(acme, { since: 'now' });
  await slow.commit();
  expect((await readFeed(acme, { since: meta.cursor })).data.map(({ id }) => id)).toEqual([slow.id]);
});
