import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { forTenant, withHolder, openBooks, type Books } from '../../prisma/client.ts';
import type { ReadLimit } from '../../prisma/tenant/pool.ts';
import { createDatabase, startService, type Database, type Service } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';

// A tenant reads one long result at a time, so that many of them at once leave PostgreSQL and the process to others.

let database: Database;
let service: Service;
let books: Books;
let acme: string;
let globex: string;
let initech: string;
beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database });
  books = openBooks({ connectionString: database.url, max: 40 });
  const add = async (name: string): Promise<string> => (await service.integrator({ name })).tenantId;
  [acme, globex, initech] = [await add('Acme'), await add('Globex'), await add('Initech')];
});
afterAll(async () => {
  await books.close();
  await service.close();
  await database.drop();
});

const from = `from (select $1::text as tenant_id) as t where tenant_id = $1`;
const long = `select repeat('x', 3000000) as text ${from}`;

const read = (tenant: string, onLongResult?: () => void, sql = long) =>
  forTenant(books, tenant, { readLimit: { read: () => {}, expectLong: onLongResult ?? (() => {}) } }).$rows<{
    text: string;
  }>(sql, []);

/** A long result whose second row doesn't come. @param mark tells the statements of several tests apart */
const endless = (mark: string): string =>
  `select repeat('${mark}', 2000000) as text, pg_sleep(600 * n)
  from generate_series(0, 1) as n, (select $1::text as tenant_id) as t where tenant_id = $1`;

const isEndless = `datname = current_database() and wait_event = 'PgSleep' and query like '%repeat(''' || $1 || '''%'`;

const countEndless = async (mark: string): Promise<number | null> =>
  (await service.pool.query(`select from pg_stat_activity where ${isEndless}`, [mark])).rowCount;

const endEndless = (mark: string): Promise<unknown> =>
  service.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${isEndless}`, [mark]);

it('one after the other of a tenant, each complete', async () => {
  let reading = 0;
  let most = 0;
  const rows = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const [row] = await read(acme, () => {
        reading += 1;
        most = Math.max(most, reading);
      });
      reading -= 1;
      return row?.text.length;
    }),
  );
  expect(rows).toEqual(Array(5).fill(3_000_000));
  expect(most).toBe(1);
});

it('while short results of the tenant, and long ones of another, do not wait', async () => {
  const holder = read(acme, undefined, endless('a')).catch(() => 'ended');
  await until(async () => (await countEndless('a')) === 1);
  let hasTurn = false;
  const waiting = read(acme, () => (hasTurn = true));
  await read(acme, undefined, `select tenant_id as text ${from}`);
  await read(globex);
  expect(hasTurn).toBe(false);
  await endEndless('a');
  expect(await holder).toBe('ended');
  await expect(waiting).resolves.toHaveLength(1);
  expect(hasTurn).toBe(true);
});

it('waits for that of a test tenant of the same tenant', async () => {
  const holder = withHolder({ id: initech, testOf: acme }).holder;
  const ofTest = forTenant(books, initech, { holder });
  const running = ofTest.$rows(endless('t'), []).catch(() => 'ended');
  await until(async () => (await countEndless('t')) === 1);
  let hasTurn = false;
  const waiting = read(acme, () => (hasTurn = true));
  await read(globex);
  expect(hasTurn).toBe(false);
  await endEndless('t');
  expect(await running).toBe('ended');
  await expect(waiting).resolves.toHaveLength(1);
});

it('fails with the error of its refusal, and the next one takes its turn', async () => {
  const refusal = new Error('No room for a long answer');
  const refuse = (): never => {
    throw refusal;
  };
  await expect(read(acme, refuse)).rejects.toBe(refusal);
  await expect(read(acme)).resolves.toHaveLength(1);
});

it('gives its turn up when its connection is lost', async () => {
  const all = Promise.allSettled([1, 2].map(() => read(initech, undefined, endless('i'))));
  await until(async () => (await countEndless('i')) === 2);
  await endEndless('i');
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(read(initech)).resolves.toHaveLength(1);
});

/** Counts up to a bound. */
function bounded(max: number): { readLimit: ReadLimit; tooMuch: Error } {
  const tooMuch = new Error('too much');
  let received = 0;
  const readLimit: ReadLimit = {
    read: (bytes) => {
      received += bytes;
      if (received > max) throw tooMuch;
    },
    expectLong: () => {},
  };
  return { readLimit, tooMuch };
}

it.each([
  ['before its end', 100_000],
  ['with its last bytes', 3_000_010],
])('one that is refused %s fails with the error of the refusal, in a transaction, too', async (_, max) => {
  const alone = bounded(max);
  await expect(forTenant(books, acme, alone).$rows(long, [])).rejects.toBe(alone.tooMuch);
  const { readLimit, tooMuch } = bounded(max);
  const data = { type: 'CUSTOMER', companyName: 'rolled back' } as const;
  await expect(
    forTenant(books, acme, { readLimit }).$transaction(async (db) => {
      await db.customer.create({ data });
      await db.$rows(long, []);
    }),
  ).rejects.toBe(tooMuch);
  expect(await forTenant(books, acme).customer.count({ where: data })).toBe(0);
});

it('which several statements of a transaction reach together', async () => {
  const { readLimit, tooMuch } = bounded(7_000_000);
  const both = forTenant(books, acme, { readLimit }).$transaction((db) =>
    Promise.all(Array.from({ length: 3 }, () => db.$rows(long, []))),
  );
  await expect(both).rejects.toBe(tooMuch);
  await expect(forTenant(books, acme).$rows(long, [])).resolves.toHaveLength(1);
});

it('which an idle connection forgets', async () => {
  const { readLimit } = bounded(1_000_000);
  const connections = new Set<object>();
  const remember = (_error: Error, client: object): void => void connections.add(client);
  books.pool.on('release', remember);
  onTestFinished(() => void books.pool.off('release', remember));
  await forTenant(books, acme, { readLimit }).$rows(`select tenant_id as text ${from}`, []);
  expect(connections.size).toBeGreaterThan(0);
  for (const connection of connections) expect(connection).toHaveProperty('readLimit', undefined);
});
