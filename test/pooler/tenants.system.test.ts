import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { connect, forTenant, openBooks, type Books, type TenantClient } from '../../prisma/client.ts';
import { UnnamedStatements } from '../../prisma/connection/pooler.ts';
import { openDatabase, type Database } from '../../src/database/database.ts';
import { readConfig } from '../../src/config/config.ts';
import { createDatabase, startService, type Database as Empty, type Service } from '../harness.ts';
import { noPooler, startPooler, type Pooler } from './pgbouncer.ts';

describe.skipIf(noPooler)('behind a pooler in transaction mode, all on one connection to the server', () => {
  let database: Empty;
  let service: Service;
  let pooler: Pooler;
  let url: string;
  let acme: Door;
  let globex: Door;

  /** A tenant with connections of its own to the pooler. */
  interface Door {
    id: string;
    books: Books;
    db: TenantClient;
    /** Of all customers that it sees, whatever it asks for. */
    names(): Promise<unknown>;
  }

  const allNames = 'select company_name from customers';
  const open = async (name: string): Promise<Door> => {
    const { tenantId: id, db } = await service.integrator({ name });
    await db.customer.createMany({ data: [1, 2, 3].map((n) => ({ type: 'CUSTOMER', companyName: `${name} ${n}` })) });
    const books = openBooks({ connectionString: url, max: 2 }, 'transaction');
    const names: Door['names'] = async () =>
      (await asTenant(id, () => books.pool.query(allNames))).rows.map((row) => row.company_name).toSorted();
    return { id, books, db: forTenant(books, id), names };
  };
  const namesOf = (name: string): string[] => [1, 2, 3].map((n) => `${name} ${n}`);

  beforeAll(async () => {
    database = await createDatabase();
    service = await startService({ database });
    pooler = await startPooler(inject('serverUrl'), 1);
    url = pooler.through(database.url);
    acme = await open('Acme');
    globex = await open('Globex');
  });
  afterAll(async () => {
    await acme.books.close();
    await globex.books.close();
    await pooler.close();
    await service.close();
    await database.drop();
  });

  const pidOf = async ({ id, books }: Door): Promise<number> =>
    (await asTenant(id, () => books.pool.query('select pg_backend_pid() as pid'))).rows[0].pid;

  it('is shared by two tenants', async () => {
    expect(await pidOf(acme)).toBe(await pidOf(globex));
  });

  it.each<[string, () => Promise<unknown>]>([
    ['read', () => acme.names()],
    ['read through the tenant’s client', () => acme.db.customer.findMany()],
    ['asked for what there isn’t', () => asTenant(acme.id, () => acme.books.pool.query('select nothing'))],
    ['committed a transaction', () => acme.db.$transaction((db) => db.customer.updateMany({ data: { city: 'Rome' } }))],
    [
      'rolled one back',
      () =>
        acme.db.$transaction(async (db) => {
          await db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Gone' } });
          throw new Error('no');
        }),
    ],
    [
      'broke a rule in the middle of one, in several queries at once',
      () =>
        acme.db.$transaction((db) =>
          Promise.all([
            db.customer.findMany(),
            db.project.create({ data: { name: 'x', currency: 'EUR', customerId: randomUUID() } }),
            db.customer.findMany(),
          ]),
        ),
    ],
  ])('after one %s, the other sees its own rows and no others, and whoever has no tenant none', async (_what, use) => {
    await use().catch(() => undefined);
    expect(await globex.names()).toEqual(namesOf('Globex'));
    await use().catch(() => undefined);
    const bare = new Pool({ connectionString: url, max: 1 });
    const { rows } = await bare.query(
      `select current_user = session_user as "isItself", current_setting('kontor.tenant_id', true) as tenant`,
    );
    await bare.end();
    expect(rows).toEqual([{ isItself: true, tenant: expect.toBeOneOf([null, '']) }]);
    expect(await acme.names()).toEqual(namesOf('Acme'));
  });

  it('shows each concurrent tenant its own rows, in transactions and outside', async () => {
    const rounds = Array.from({ length: 100 }, (_each, index) => (index % 2 ? acme : globex));
    const seen = await Promise.all(
      rounds.map(async (tenant, index) => {
        if (index % 3) return tenant.names();
        return tenant.db.$transaction(async (db) => {
          const before = await db.customer.findMany();
          const after = await db.customer.findMany();
          return [...new Set([...before, ...after].map(({ companyName }) => companyName))].toSorted();
        });
      }),
    );
    expect(seen).toEqual(rounds.map((tenant) => namesOf(tenant === acme ? 'Acme' : 'Globex')));
  });

  it('has committed a write when it is answered, and rolls back a failed one', async () => {
    await asTenant(acme.id, () => acme.books.pool.query(`update customers set city = 'Oslo'`));
    const { rows } = await service.pool.query(`select distinct city from customers where tenant_id = $1`, [acme.id]);
    expect(rows).toEqual([{ city: 'Oslo' }]);
    const foreign = [globex.id, randomUUID()];
    const insert = `insert into customers (tenant_id, id, type, company_name, updated_at) values ($1, $2, 'customer', 'x', now())`;
    await expect(asTenant(acme.id, () => acme.books.pool.query(insert, foreign))).rejects.toThrow('row-level security');
    expect(await globex.names()).toEqual(namesOf('Globex'));
  });

  it('gets unnamed statements only, because each may run on another connection', async () => {
    const pools = [1, 2].map(() => new Pool({ connectionString: url, max: 1, Client: UnnamedStatements }));
    const named = { name: 'twice', text: 'select 1 + $1::int as sum', values: [1] };
    for (const pool of [...pools, ...pools]) expect((await pool.query(named)).rows).toEqual([{ sum: 2 }]);
    await Promise.all(pools.map((pool) => pool.end()));
  });

  it('is detected without DATABASE_DIRECT_URL: connections are not used, and readiness says why', async () => {
    const unaware = openBooks({ connectionString: url, max: 1 });
    await expect(forTenant(unaware, acme.id).customer.findMany()).rejects.toThrow('DATABASE_DIRECT_URL');
    await unaware.close();
    const env = { DATABASE_URL: url, KONTOR_SECRET: 'not-a-secret-but-long-enough-for-one' };
    const ready = async (more: object): Promise<string | undefined> => {
      const opened: Database = await openDatabase(readConfig({ ...env, ...more }), { report, throughPooler: true });
      return opened.unready().finally(opened.close);
    };
    const report = (): void => {};
    expect(await ready({})).toMatch(/pooler.*DATABASE_DIRECT_URL/);
    expect(await ready({ DATABASE_DIRECT_URL: database.url })).toBeUndefined();
  });

  it('runs identity’s transactions too', async () => {
    const pool = new Pool({ connectionString: url, max: 2, Client: UnnamedStatements });
    const client = connect(pool);
    const found = await client.$transaction(async (db) => db.tenant.findUniqueOrThrow({ where: { id: acme.id } }));
    expect(found.name).toBe('Acme');
    await client.$disconnect();
    await pool.end();
  });
});
