import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asTenant, TenantPool } from '../../prisma/tenant/pool.ts';
import type { PooledConnection } from '../../prisma/tenant/pooled-connection.ts';
import { forTenant, openBooks, type Books, type TenantClient } from '../../prisma/client.ts';
import { gateway, onEachServer, startService, type Service } from '../harness.ts';
import { listen, type Statement } from './statements.ts';

let service: Service;
let url: string;
/** A few tenants, each with three customers of its own. */
let tenants: { id: string; db: TenantClient; customers: string[] }[];
/** All tenants share one connection: whatever one leaves behind meets the next. */
let narrow: Books;

const key = (tenantId: string, id: string) => ({ tenantId_id: { tenantId, id } });

beforeAll(async () => {
  service = await startService();
  url = service.pool.options.connectionString ?? '';
  narrow = openBooks({ connectionString: url, max: 1 });
  tenants = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { tenantId: id, db } = await service.integrator();
      const data = Array.from({ length: 3 }, () => ({ type: 'CUSTOMER' as const, companyName: id }));
      const customers = await db.customer.createManyAndReturn({ data, select: { id: true } });
      return { id, db, customers: customers.map((each) => each.id) };
    }),
  );
});
afterAll(async () => {
  await narrow.close();
  await service.close();
});

describe('lookups of different tenants in the same tick', () => {
  it('never share a statement, and find their own rows', async () => {
    const statements: Statement[] = [];
    const stop = listen((statement) => statements.push(statement));
    const found = await Promise.all(
      tenants.flatMap(({ id, db, customers }) =>
        customers.map(async (customer) => (await db.customer.findUnique({ where: key(id, customer) }))?.companyName),
      ),
    ).finally(stop);
    expect(found).toEqual(tenants.flatMap(({ id }) => [id, id, id]));
    const ids = new Set(tenants.map(({ id }) => id));
    const reads = statements.filter(({ text }) => text.includes('"customers"'));
    for (const { values } of reads) expect(new Set(values.filter((value) => ids.has(value as string))).size).toBe(1);
    expect(reads, 'and of one tenant they are one statement').toHaveLength(tenants.length);
  });

  it('find their own rows beside transactions, lists, other tables, and identity', async () => {
    const kinds: ((db: TenantClient, id: string, customer: string) => Promise<unknown>)[] = [
      async (db, id, customer) => (await db.customer.findUnique({ where: key(id, customer) }))?.companyName,
      async (db, id, customer) => (await db.customer.findUniqueOrThrow({ where: key(id, customer) })).companyName,
      async (db, id, customer) =>
        (await db.customer.findUnique({ where: key(id, customer), select: { companyName: true } }))?.companyName,
      async (db) => (await db.customer.findMany({ take: 1 }))[0]?.companyName,
      async (db, id, customer) => (await db.customer.update({ where: key(id, customer), data: {} })).companyName,
      async (db, id, customer) =>
        (await db.$transaction((inside) => inside.customer.findUnique({ where: key(id, customer) })))?.companyName,
      async (db, id, customer) =>
        db.$transaction(async (inside) => {
          const [one, all] = await Promise.all([
            inside.customer.findUnique({ where: key(id, customer) }),
            inside.customer.findMany(),
          ]);
          return all.every(({ companyName }) => companyName === one?.companyName) && one?.companyName;
        }),
      async (_db, id) => (await service.client.tenant.findUnique({ where: { id } }))?.id,
      async (db, id) => ((await db.invoice.findUnique({ where: key(id, id) })) === null ? id : undefined),
    ];
    for (let round = 0; round < 20; round++) {
      const calls = tenants.flatMap(({ id, db, customers }, which) =>
        customers.map(async (customer, index) => {
          const kind = kinds[(which * 7 + index * 5 + round) % kinds.length]!;
          await new Promise((begin) => (which % 2 ? process.nextTick(begin) : queueMicrotask(() => begin(null))));
          return [id, await kind(db, id, customer)];
        }),
      );
      for (const [id, answer] of await Promise.all(calls)) expect(answer).toBe(id);
    }
  });

  it('answer null or not found for a row of another tenant', async () => {
    const [one, other] = tenants as [(typeof tenants)[0], (typeof tenants)[0]];
    const [mine = '', theirs = ''] = [one.customers[0], other.customers[0]];
    const where = key(other.id, theirs);
    const answers = await Promise.all([
      one.db.customer.findUnique({ where }),
      one.db.customer.findUnique({ where: key(one.id, mine) }),
      other.db.customer.findUnique({ where }),
      one.db.customer.findUniqueOrThrow({ where }).catch((error: { code: string }) => error.code),
    ]);
    expect(answers).toMatchObject([null, { id: mine }, { id: theirs }, 'P2025']);
  });
});

describe('a pooled connection is set to the current tenant, also after its last user', () => {
  let acme: TenantClient;
  let globex: TenantClient;
  const names = async (db: TenantClient): Promise<string[]> =>
    (await db.customer.findMany()).map(({ companyName }) => companyName);
  const ofTenant = (which: number): string[] => Array.from({ length: 3 }, () => tenants[which]!.id);

  beforeAll(() => {
    acme = forTenant(narrow, tenants[0]!.id);
    globex = forTenant(narrow, tenants[1]!.id);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['read', () => names(acme)],
    ['committed a transaction', () => acme.$transaction((db) => db.customer.count())],
    [
      'rolled one back',
      () =>
        acme.$transaction(async (db) => {
          await db.customer.count();
          throw new Error('no');
        }),
    ],
    ['broke a rule', () => acme.invoice.create({ data: {} as never })],
    [
      'broke a foreign key',
      () => acme.project.create({ data: { name: 'x', currency: 'EUR', customerId: tenants[1]!.customers[0]! } }),
    ],
    [
      'broke one in a transaction, in several queries at once',
      () =>
        acme.$transaction((db) =>
          Promise.all([
            db.customer.findMany(),
            db.project.create({ data: { name: 'x', currency: 'EUR', customerId: tenants[1]!.customers[0]! } }),
            db.customer.findMany(),
          ]),
        ),
    ],
    [
      'outlived a transaction’s time',
      () => acme.$transaction(async (db) => void (await db.customer.count(), await sleep(150)), { timeout: 50 }),
    ],
    [
      'used a transaction that had ended',
      async () => {
        let ended: Pick<TenantClient, 'customer'> | undefined;
        await acme.$transaction(async (db) => void (ended = db as unknown as TenantClient));
        await ended?.customer.count();
      },
    ],
    ['was cancelled', () => cut('pg_cancel_backend')],
    ['was cut off', () => cut('pg_terminate_backend')],
  ])('%s', async (_what, use) => {
    await use().catch(() => undefined);
    expect(await names(globex)).toEqual(ofTenant(1));
    await use().catch(() => undefined);
    const [mine, theirs] = await Promise.all([
      acme.$transaction(async (db) => (await db.customer.findMany()).map(({ companyName }) => companyName)),
      globex.$transaction(async (db) => (await db.customer.findMany()).map(({ companyName }) => companyName)),
    ]);
    expect(mine).toEqual(ofTenant(0));
    expect(theirs).toEqual(ofTenant(1));
  });

  /** Ends a write of the first tenant's that waits for a lock. */
  async function cut(how: string): Promise<unknown> {
    const holder = await service.pool.connect();
    try {
      await holder.query('begin');
      const { id, customers } = tenants[0]!;
      await holder.query('select from customers where tenant_id = $1 and id = $2 for update', [id, customers[0]]);
      const waiting = acme.$transaction((db) => db.customer.updateMany({ data: { city: 'Rome' } }));
      waiting.catch(() => undefined);
      await vi.waitFor(async () => {
        const waiters = await onEachServer(
          service,
          `select ${how}(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        expect(waiters).toHaveLength(1);
      }, 20_000);
      return await waiting;
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  }

  // Where the books are distributed, a connection isn't set to a tenant: its transactions are.
  it.skipIf(gateway.distributed)('a connection that can’t be set to a tenant is not used', async () => {
    const pool = new TenantPool({ connectionString: url, max: 1 });
    const pid = async (tenant: number): Promise<number> =>
      (await asTenant(tenants[tenant]!.id, () => pool.query('select pg_backend_pid() as pid'))).rows[0].pid;
    const first = await pid(0);
    pool.once('acquire', (client) => {
      vi.spyOn(client as PoolClient & PooledConnection, 'run').mockRejectedValueOnce(new Error('cancelled'));
    });
    await expect(pid(1)).rejects.toThrow('cancelled');
    expect(await pid(1)).not.toBe(first);
    await pool.end();
  });
});
