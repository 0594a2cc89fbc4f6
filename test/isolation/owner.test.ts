import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findTenantTables } from '../../prisma/delete-tenant.ts';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { tenantModels } from '../../prisma/client.ts';
import { closeTenant, deleteTenant } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Service } from '../harness.ts';
import { fill } from './books.ts';
import { nameless } from './statements.ts';

// A database as operators have it: its owner is an ordinary role.

const owner = `owner_${randomUUID().replaceAll('-', '')}`;
let superuser: Client;
let url: string;
let service: Service | undefined;

beforeAll(async () => {
  superuser = new Client({ connectionString: new URL('/postgres', inject('serverUrl')).href });
  await superuser.connect();
  await superuser.query(`create role ${owner} login password 'secret'`);
  await superuser.query(`create database ${owner} owner ${owner}`);
  const address = new URL(`/${owner}`, inject('serverUrl'));
  address.username = owner;
  address.password = 'secret';
  url = address.href;
});
afterAll(async () => {
  await service?.close();
  await superuser.query(`drop database ${owner} with (force)`);
  await superuser.query(`revoke kontor_books from ${owner}`);
  await superuser.query(`drop role ${owner}`);
  await superuser.end();
});

it('migration fails with one line of advice if the owner can’t switch to the role of the books', async () => {
  await expect(migrate(url)).rejects.toThrow(
    `${owner} may not act as kontor_books. As a superuser, run: grant kontor_books to ${owner}`,
  );
  await superuser.query(`grant kontor_books to ${owner}`);
});

it('migration needs no superuser if the owner can, and names the statements that only a superuser can run', async () => {
  const told: string[] = [];
  await migrate(url, (line) => told.push(line));
  expect(told.at(-1)).toContain('alter function enum_eq(anyenum,anyenum) leakproof;');
  service = await startService({ database: { url, drop: async () => {} } });
  const acme = await service.integrator();
  const globex = await service.integrator();
  const { customer } = await fill(acme);
  expect((await acme.rest('GET', `/customers/${customer}`)).status).toBe(200);
  expect((await globex.rest('GET', `/customers/${customer}`)).status).toBe(404);
  const { rows } = await service.pool.query(`select count(*)::int as jobs from graphile_worker.jobs`);
  expect(rows[0].jobs).toBeGreaterThan(5);
});

it('a tenant is not deleted where row-level security would hide rows, and none of them is', async () => {
  const { client, pool, integrator, fileStorage } = service!;
  const acme = await integrator();
  await fill(acme);
  await closeTenant(client, acme.tenantId);
  await superuser.query(`create role other_${owner}`);
  const inDatabase = new Client({ connectionString: new URL(`/${owner}`, inject('serverUrl')).href });
  await inDatabase.connect();
  await inDatabase.query(`alter policy deletion on customers to other_${owner}`);
  const now = () => new Date(Date.now() + 31 * 86_400_000);
  await expect(deleteTenant({ client, pool }, fileStorage, { id: acme.tenantId, by: 'owner', now })).rejects.toThrow(
    'Row-level security hides rows of customers: connect as the role that owned the tables',
  );
  expect(await acme.db.invoice.count()).toBeGreaterThan(0);
  await inDatabase.query(`alter policy deletion on customers to ${owner}`);
  await inDatabase.query(`drop role other_${owner}`);
  await inDatabase.end();
});

it('the owner, who deletes a tenant, deletes all its rows', async () => {
  const { client, pool, integrator, fileStorage } = service!;
  const acme = await integrator();
  await fill(acme);
  await acme.db.periodLock.updateMany({ data: { kind: 'FINAL' } });
  await closeTenant(client, acme.tenantId);
  const now = () => new Date(Date.now() + 31 * 86_400_000);
  const { rows: deleted } = await deleteTenant({ client, pool }, fileStorage, { id: acme.tenantId, by: 'owner', now });
  expect(deleted).toMatchObject({ tenants: 1, anchors: 1, audit_seals: 1, period_locks: 1, invoices: 3 });
  const inDatabase = new Client({ connectionString: new URL(`/${owner}`, inject('serverUrl')).href });
  await inDatabase.connect();
  for (const { name } of await findTenantTables(pool)) {
    const { rowCount } = await inDatabase.query(`select from ${name} where tenant_id = $1`, [acme.tenantId]);
    expect([name, rowCount]).toEqual([name, 0]);
  }
  await inDatabase.end();
});

it('a test tenant is deleted with all of its rows', async () => {
  const acme = await service!.integrator();
  const { body } = await acme.rest('POST', '/test-tenants', { name: 'Test' });
  const { id: tenantId, token } = body.data;
  const test = asIntegrator(service!, { ...acme, tenantId, token });
  await fill(test);
  expect((await acme.rest('DELETE', `/test-tenants/${tenantId}`)).status).toBe(204);
  for (const model of tenantModels) expect([model, await test.db.model(model).count()]).toEqual([model, 0]);
});

it('the owner sees no rows of the books', async () => {
  expect(await service?.client.customer.count()).toBe(0);
  await expect(service?.client.customer.deleteMany()).resolves.toEqual({ count: 0 });
  nameless.clear(); // on purpose
});
