import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { isContention, type Db } from '../../prisma/client.ts';
import { makeCustomer, makeProject, makeReceipt } from '../graphql/books.ts';
import {
  asIntegrator,
  holdLock,
  onEachServer,
  runScript,
  startService,
  type Integrator,
  type Service,
} from '../harness.ts';
import { readResources, Copy, readFeed } from './copy.ts';

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
  | { kind: 'rename project'; which: number }
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
  fc.record({ kind: fc.constant('rename project' as const), which }),
  fc.record({ kind: fc.constant('pause' as const), ms: fc.nat({ max: 15 }) }),
);
const transaction: fc.Arbitrary<Transaction> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  fails: fc.boolean(),
});

const track = (db: Db, { projectId, userId, minutes }: { projectId: string; userId: string; minutes: number }) =>
  db.timeEntry.create({ data: { projectId, userId, date: new Date('2026-03-01'), durationMinutes: minutes } });

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
    else if (each.kind === 'track' || each.kind === 'rename project') {
      const projectId = projects[each.which % projects.length] ?? '';
      if (each.kind === 'track') await track(db, { projectId, userId, minutes: each.minutes });
      else await db.project.updateMany({ where: { id: projectId }, data: { name: `Renamed ${each.which}` } });
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
          expect(copy.rows).toEqual(await readResources(who));
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

it('transactions that track time on the same projects in different orders never undo each other', async () => {
  const who = await service.integrator();
  const projects = [await makeProject(who), await makeProject(who), await makeProject(who)];
  // Runs after each of the triggers that record a change: deferred triggers run in the order of their names.
  await runScript(
    service,
    `
    create function pause() returns trigger language plpgsql as $$ begin perform pg_sleep(0.005); return null; end $$;
    create constraint trigger record_slowly after insert on time_entries deferrable initially deferred for each row
      execute function pause()`,
  );
  onTestFinished(async () => void (await service.pool.query('drop function pause cascade')));
  const write = async (writer: number): Promise<void> => {
    for (let count = 0; count < 10; count += 1)
      await who.db.$transaction(async (db) => {
        for (let at = 0; at < 3; at += 1) {
          const projectId = projects[(writer % 2 ? at : 2 - at) % 3] ?? '';
          await track(db, { projectId, userId: who.userId, minutes: 1 });
        }
      });
  };
  const copy = new Copy(who);
  const done = new AbortController();
  const consumer = (async () => {
    while (!done.signal.aborted) await copy.follow(2);
  })();
  await Promise.all([1, 2, 3, 4].map(write)).finally(() => done.abort());
  await consumer;
  await copy.follow();
  expect(copy.rows).toEqual(await readResources(who));
});

it('a project changes once in a transaction, however many of its time entries do', async () => {
  const who = await service.integrator();
  const [first, second] = [await makeProject(who), await makeProject(who)];
  /** Tracks time in one transaction. @returns the projects' positions after each entry */
  const trackAll = (projects: string[]): Promise<bigint[][]> =>
    who.db.$transaction(async (db) => {
      await db.beginBulkInsert(); // triggers run with each statement
      const positions: bigint[][] = [];
      for (const projectId of projects) {
        await track(db, { projectId, userId: who.userId, minutes: 1 });
        positions.push(await Promise.all([first, second].map((id) => readPosition(db, id))));
      }
      return positions;
    });
  const readPosition = async (db: Db, id: string): Promise<bigint> => {
    const sql = `select position::text from changes where tenant_id = $1 and resource = 'project' and id = $2::uuid`;
    const [row] = await db.$rows<{ position: string }>(sql, [id]);
    return BigInt(row?.position ?? 0);
  };
  const before = await readPosition(who.db, second);
  const positions = await trackAll([first, first, second, first, second]);
  expect(positions[1]).toEqual(positions[0]);
  expect(positions[2]?.[0]).toBe(positions[0]?.[0]);
  expect(positions[2]?.[1]).toBeGreaterThan(before);
  expect(positions.slice(3)).toEqual([positions[2], positions[2]]);
  // The next transaction is a change of its own, of the project of which it tracks time.
  const [[last, same] = []] = await trackAll([first]);
  expect(last).toBeGreaterThan(positions[2]?.[1] ?? 0n);
  expect(same).toBe(positions[2]?.[1]);
});

it('a project has changed by a time entry beside one that was undone', async () => {
  const who = await service.integrator();
  const projectId = await makeProject(who);
  const copy = new Copy(who);
  await copy.follow(10);
  const context = await service.contextOf(who);
  const trackIn = (db: Db) => track(db, { projectId, userId: who.userId, minutes: 1 });
  await context.transaction(
    async (inside) => {
      await inside.db.beginBulkInsert(); // triggers run with each statement
      const undone = inside.transaction(async ({ db }) => {
        await trackIn(db);
        throw new Abandoned();
      });
      await expect(undone).rejects.toThrow(Abandoned);
      await trackIn(inside.db);
    },
    { savepoints: true },
  );
  await copy.follow(10);
  expect(copy.rows).toEqual(await readResources(who));
});

it('a reader waits for a transaction that stops between its position and its commit; writers do not', async () => {
  const acme = await service.integrator();
  // The transaction takes a connection of the tenant, so the others ask another process.
  const url = String((service.pool.options as { connectionString?: string }).connectionString);
  const elsewhere = await startService({ database: { url, drop: async () => {} } });
  onTestFinished(elsewhere.close);
  const there = asIntegrator(elsewhere, acme);
  // Runs after the trigger that takes the position: deferred triggers run in the order of their names.
  await runScript(
    service,
    `
    create function stall() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(4711); return null; end $$;
    create constraint trigger stall after insert on customers deferrable initially deferred for each row
      when (new.company_name = 'Stalled') execute function stall()`,
  );
  onTestFinished(async () => void (await service.pool.query('drop function stall cascade')));
  const release = await holdLock(service, 4711);
  const waiting = async (): Promise<number> => {
    const waiters = await onEachServer(
      service,
      `select from pg_locks join pg_database on pg_database.oid = database
       where datname = current_database() and locktype = 'advisory' and not granted`,
    );
    return waiters.length;
  };
  const stalled = makeCustomer(acme, { companyName: 'Stalled' });
  await vi.waitUntil(async () => (await waiting()) === 1);
  await makeCustomer(there);
  const globex = await service.integrator();
  const foreign = await makeCustomer(globex);
  const copy = new Copy(there);
  let isRead = false;
  const reading = copy.follow().finally(() => (isRead = true));
  await vi.waitUntil(async () => isRead || (await waiting()) === 2);
  await makeCustomer(acme);
  expect(isRead).toBe(false);
  expect((await readFeed(globex)).data.map(({ id }) => id)).toEqual([foreign]);
  await release();
  await Promise.all([stalled, reading]);
  await copy.follow();
  expect(copy.rows).toEqual(await readResources(acme));
});
