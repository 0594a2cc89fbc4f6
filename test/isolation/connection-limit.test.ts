import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { asTenant, TenantPool } from '../../prisma/tenant/pool.ts';
import { withHolder, openBooks, type Holder } from '../../prisma/client.ts';
import { TenantQueues } from '../../prisma/tenant/connection-limit.ts';
import { makeCustomer } from '../graphql/books.ts';
import { createDatabase, onEachServer, startService, type Database } from '../harness.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { until } from '../webhooks/receiver.ts';

// One tenant, with its test tenants, has at most a quarter of a pool's connections at once, so that the others always find some.

let database: Database;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

const [acme, globex, testOfAcme] = [
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '01890a5d-ac96-774b-bcce-b302099a8058',
  '01890a5d-ac96-774b-bcce-b302099a8059',
];

describe('one tenant holds', () => {
  it.each([
    [20, 5],
    [10, 2],
    [7, 1],
    [4, 1],
    [1, 1],
  ])('of %i connections of a pool at most %i', async (size, most) => {
    const pool = new TenantPool({ connectionString: database.url, max: size });
    const taken: PoolClient[] = [];
    const all = Array.from({ length: most + 3 }, () =>
      asTenant(acme, () => pool.connect()).then((client) => taken.push(client)),
    );
    if (size > most) {
      const other = await asTenant(globex, () => pool.connect()); // asked for last, and got
      other.release();
    }
    await vi.waitFor(() => expect(taken).toHaveLength(most));
    expect(pool.totalCount).toBeLessThanOrEqual(most + 1);
    for (let index = 0; index < all.length; index += 1) {
      await vi.waitFor(() => expect(taken.length).toBeGreaterThan(index));
      expect(taken.length).toBeLessThanOrEqual(most + index);
      taken[index]?.release();
    }
    await Promise.all(all);
    await pool.end();
  });

  it('a part of its share through its test tenant, which sees its own rows all the same', async () => {
    const pool = new TenantPool({ connectionString: database.url, max: 8, connectionTimeoutMillis: 1000 });
    const holder = withHolder({ id: testOfAcme, testOf: acme }).holder;
    const [own, test] = [await pool.acquire(acme, { holder }), await pool.acquire(testOfAcme, { holder })];
    const tenantOf = async (connection: typeof own) =>
      (await connection.run({ text: `select current_setting('kontor.tenant_id') as id` })).rows;
    expect([await tenantOf(own), await tenantOf(test)]).toEqual([[{ id: acme }], [{ id: testOfAcme }]]);
    for (const id of [acme, testOfAcme])
      await expect(pool.acquire(id, { holder })).rejects.toThrow('all the connections that one tenant may');
    (await pool.acquire(globex, { holder: withHolder({ id: globex, testOf: null }).holder })).release();
    test.release();
    const next = await pool.acquire(acme, { holder });
    expect(await tenantOf(next)).toEqual([{ id: acme }]);
    for (const connection of [own, next]) connection.release();
    await pool.end();
  });

  it('no connection after a statement fails or a connection is closed', async () => {
    const pool = new TenantPool({ connectionString: database.url, max: 4 });
    for (let round = 0; round < 3; round += 1) {
      await expect(asTenant(acme, () => pool.query('select nothing'))).rejects.toThrow('nothing');
      const client = await asTenant(acme, () => pool.connect());
      client.release(true);
      expect(() => client.release()).toThrow('already been released');
    }
    await pool.end();
  });
});

describe('a request that waits for a connection of its tenant', () => {
  it('gets one in the order of arrival, and delays no other tenant', async () => {
    const [ofAcme, ofGlobex] = [acme, globex].map((id) => withHolder({ id, testOf: null }).holder) as [Holder, Holder];
    const queues = new TenantQueues();
    const order: number[] = [];
    const waiting = [0, 1, 2].map(async (index) => {
      await queues.wait(ofAcme);
      order.push(index);
    });
    expect(queues.takeNext(ofGlobex)).toBe(false);
    for (let count = 0; count < 3; count += 1) expect(queues.takeNext(ofAcme)).toBe(true);
    await Promise.all(waiting);
    expect(order).toEqual([0, 1, 2]);
    expect(queues.takeNext(ofAcme)).toBe(false);
  });

  it('gives up after the pool’s timeout, and when its request is aborted', async () => {
    const pool = new TenantPool({ connectionString: database.url, max: 1, connectionTimeoutMillis: 1000 });
    const holder = withHolder({ id: acme, testOf: null }).holder;
    const held = await pool.acquire(acme, { holder });
    await expect(pool.acquire(acme, { holder })).rejects.toThrow('all the connections that one tenant may');
    const request = new AbortController();
    const { signal } = request;
    const waiting = pool.acquire(acme, { holder, signal });
    request.abort(new Error('Too late'));
    await expect(waiting).rejects.toThrow('Too late');
    await expect(pool.acquire(acme, { holder, signal })).rejects.toThrow('Too late');
    held.release();
    const next = await pool.acquire(acme, { holder }); // nobody who gave up has taken the place
    next.release();
    await pool.end();
  });
});

describe.each(['session', 'transaction'] as const)('while a connection belongs to one user for a %s', (pooled) => {
  it('blocked requests of one tenant leave connections to the others', async () => {
    const books = openBooks({ connectionString: database.url, max: 8 }, pooled);
    const service = await startService({ database, books });
    const [attacker, innocent] = [await service.integrator(), await service.integrator()];
    const id = await makeCustomer(attacker);
    const holder = await service.pool.connect();
    onTestFinished(async () => {
      holder.release(true);
      await service.close();
    });
    await holder.query('begin');
    const key = [attacker.tenantId, id];
    await holder.query('select from customers where tenant_id = $1 and id = $2 for update', key);
    const held = Array.from({ length: 20 }, () => attacker.rest('PATCH', `/customers/${id}`, { city: 'Rome' }));
    const waiting = async (): Promise<number> =>
      (
        await onEachServer(
          service,
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length;
    await until(async () => (await waiting()) === 2, 'as many as may to wait for the row');
    for (let count = 0; count < 20; count += 1)
      expect((await innocent.rest('GET', '/customers?per_page=1')).status).toBe(200);
    expect(await waiting()).toBe(2);
    await holder.query('rollback');
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
  });

  it('blocked requests of a tenant and of all its test tenants leave connections to the others', async () => {
    const books = openBooks({ connectionString: database.url, max: 8 }, pooled);
    const service = await startService({ database, books });
    const [attacker, innocent] = [await service.integrator(), await service.integrator()];
    const all = [attacker];
    for (let count = 0; count < 5; count += 1) all.push(await startTestTenant(service, attacker));
    const blocked = await Promise.all(all.map(async (who) => ({ who, id: await makeCustomer(who) })));
    const holder = await service.pool.connect();
    onTestFinished(async () => {
      holder.release(true);
      await service.close();
    });
    await holder.query('begin');
    for (const { who, id } of blocked)
      await holder.query('select from customers where tenant_id = $1 and id = $2 for update', [who.tenantId, id]);
    const held = blocked.flatMap(({ who, id }) =>
      Array.from({ length: 4 }, () => who.rest('PATCH', `/customers/${id}`, { city: 'Rome' })),
    );
    const waiting = async (): Promise<number> =>
      (
        await onEachServer(
          service,
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length;
    await until(async () => (await waiting()) >= 2, 'as many as may to wait for the rows');
    for (let count = 0; count < 20; count += 1)
      expect((await innocent.rest('GET', '/customers?per_page=1')).status).toBe(200);
    expect(await waiting()).toBe(2);
    await holder.query('rollback');
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array<number>(24).fill(200));
    for (const { who, id } of blocked)
      expect(await who.db.customer.findMany({ select: { id: true, city: true } })).toEqual([{ id, city: 'Rome' }]);
  });
});
