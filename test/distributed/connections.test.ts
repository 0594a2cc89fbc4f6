import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forTenant, openBooks, type Books, type TenantClient } from '../../prisma/client.ts';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { observeStatements } from '../../prisma/connection/connection.ts';
import { onCluster } from '../citus/cluster.ts';
import { createDatabase, distributeInName, startService, type Database, type Service } from '../harness.ts';

let database: Database;
let service: Service;
/** All tenants share one connection. */
let books: Books;
let acme: { id: string; db: TenantClient };
let globex: { id: string; db: TenantClient };

const names = async (db: TenantClient): Promise<string[]> =>
  (await db.customer.findMany()).map(({ companyName }) => companyName);

beforeAll(async () => {
  database = await createDatabase();
  await distributeInName(database);
  service = await startService({ database });
  books = openBooks({ connectionString: database.url, max: 1 });
  const open = async (name: string) => {
    const { tenantId: id } = await service.integrator({ name });
    const db = forTenant(books, id);
    await db.customer.create({ data: { type: 'CUSTOMER', companyName: name } });
    return { id, db };
  };
  [acme, globex] = [await open('Acme'), await open('Globex')];
});
afterAll(async () => {
  await books.close();
  await service.close();
  await database.drop();
});

/** Settings that the connection's last user has left, read without beginning a transaction for a tenant. */
async function leftBehind(): Promise<unknown> {
  const client = await asTenant(acme.id, () => books.pool.connect());
  try {
    Object.assign(client, { tenantId: undefined });
    const { rows } = await client.query(
      `select current_user = session_user as "isItself", nullif(current_setting('kontor.tenant_id', true), '') as tenant,
        nullif(nullif(current_setting('citus.propagate_set_commands', true), ''), 'none') as propagated`,
    );
    return rows;
  } finally {
    client.release();
  }
}

describe('where the books are distributed, role and tenant are set for each transaction', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['read', () => names(acme.db)],
    ['a statement fails', () => asTenant(acme.id, () => books.pool.query('select nothing'))],
    [
      'a transaction is committed',
      () => acme.db.$transaction((db) => db.customer.updateMany({ data: { city: 'Rome' } })),
    ],
    [
      'a transaction is rolled back',
      () =>
        acme.db.$transaction(async (db) => {
          await db.customer.count();
          throw new Error('no');
        }),
    ],
    ['a snapshot is read', () => acme.db.$transaction(names, { isolationLevel: 'RepeatableRead' })],
    [
      'a statement is cancelled',
      () => asTenant(acme.id, () => books.pool.query('select pg_cancel_backend(pg_backend_pid())')),
    ],
  ])('and nothing is left on the connection after %s', async (_what, use) => {
    await use().catch(() => undefined);
    expect(await leftBehind()).toEqual([{ isItself: true, tenant: null, propagated: null }]);
    expect([await names(globex.db), await names(acme.db)]).toEqual([['Globex'], ['Acme']]);
  });

  it('in the order that Citus needs: it passes on only what follows the first of them', async () => {
    const sent: string[] = [];
    const stop = observeStatements(({ text }) => void sent.push(text));
    await asTenant(acme.id, () => books.pool.query('select 1')).finally(stop);
    expect(sent).toEqual([
      'begin',
      `set local citus.propagate_set_commands = 'local'`,
      'set local role kontor_books',
      `set local kontor.tenant_id = '${acme.id}'`,
      'select 1',
      'commit',
    ]);
  });

  it('behind a pooler by fewer commands, of which Citus repeats only the settings', async () => {
    const pooled = openBooks({ connectionString: database.url, max: 1 }, 'transaction');
    const sent: string[] = [];
    const stop = observeStatements(({ text }) => void sent.push(text));
    await asTenant(acme.id, () => pooled.pool.query('select 1')).finally(stop);
    await pooled.close();
    expect(sent).toEqual([
      `begin; set local citus.propagate_set_commands = 'local'`,
      `set local role kontor_books; set local kontor.tenant_id = '${acme.id}'`,
      'select 1',
      'commit',
    ]);
  });

  it('and statements stay prepared under their names', async () => {
    for (let round = 0; round < 3; round += 1) await names(acme.db);
    const kept = `select name from pg_prepared_statements where statement like '%"customers"%'`;
    const prepared = (await asTenant(acme.id, () => books.pool.query(kept))).rows;
    expect(prepared.length).toBeGreaterThan(0);
    for (let round = 0; round < 3; round += 1) expect(await names(globex.db)).toEqual(['Globex']);
    expect((await asTenant(acme.id, () => books.pool.query(kept))).rows).toEqual(prepared);
  });
});

const fromTheStart = onCluster('databases of the tests are distributed from the start');

it.skipIf(fromTheStart)(
  'a connection that is opened after the books were distributed says so to a process that runs already',
  async () => {
    const { url, drop } = await createDatabase();
    const before = openBooks({ connectionString: url, max: 1 });
    const began = async (): Promise<boolean> => {
      const sent: string[] = [];
      const stop = observeStatements(({ text }) => void sent.push(text));
      await asTenant(acme.id, () => before.pool.query('select 1')).finally(stop);
      return sent.some((text) => text === 'begin');
    };
    expect(await began()).toBe(false);
    await distributeInName({ url });
    expect(await began(), 'on the connection that was open').toBe(false);
    const client: PoolClient = await asTenant(acme.id, () => before.pool.connect());
    client.release(true);
    expect(await began()).toBe(true);
    await before.close();
    await drop();
  },
);
