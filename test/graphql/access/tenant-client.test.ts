import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tenantModels, type Prisma, type TenantClient } from '../../../prisma/client.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { refused } from '../../isolation/statements.ts';
import { readBooks, makeCustomer, makeInvoice, makePayment, makeProject, makeTimeEntry } from '../books.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;
/** Rows of Globex, which Acme tries to reach. */
let theirs: Record<'customer' | 'invoice' | 'draft' | 'project', string>;
/** Rows of Acme. */
let ours: typeof theirs;

const fill = async (who: Integrator) => {
  const customer = await makeCustomer(who, { companyName: `Of ${who.tenantId}` });
  const invoice = await makeInvoice(who, { customerId: customer, status: 'ISSUED', subject: `Of ${who.tenantId}` });
  await makePayment(who, invoice, '1');
  const [draft, project] = [await makeInvoice(who, { customerId: customer }), await makeProject(who)];
  await makeTimeEntry(who, { projectId: project });
  return { customer, invoice, draft, project };
};

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator({ name: 'Acme' });
  globex = await service.integrator({ name: 'Globex' });
  ours = await fill(acme);
  theirs = await fill(globex);
});
afterAll(() => service.close());

const snake = (model: string): string => model.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
const plural = (name: string): string =>
  name.endsWith('parties') ? name : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;

it('tenant tables are exactly those whose primary key begins with tenant_id, except identity’s memberships, and what triggers write as the owner', async () => {
  const others = new Set(['memberships', 'outbox', 'watchers']);
  const { rows } = await service.pool.query(`
    select table_name from information_schema.key_column_usage join information_schema.table_constraints using (constraint_name, table_name)
    where constraint_type = 'PRIMARY KEY' and table_constraints.table_schema = 'public' and column_name = 'tenant_id' and ordinal_position = 1`);
  const tables = new Set(rows.map(({ table_name: name }) => name).filter((name) => !others.has(name)));
  expect(new Set([...tenantModels].map((model) => plural(snake(model))))).toEqual(tables);
});

it('every foreign key between tenant tables carries tenant_id on both sides', async () => {
  const { rows } = await service.pool.query(`
    select conname as name,
      (select array_agg(attname::text order by attnum) from pg_attribute where attrelid = conrelid and attnum = any (conkey)) as "from",
      (select array_agg(attname::text order by attnum) from pg_attribute where attrelid = confrelid and attnum = any (confkey)) as "to"
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace
      and conrelid::regclass::text not in ('memberships', 'api_tokens', 'users', 'tenants', 'sessions', 'invitations', 'trusted_documents', 'rate_limit_pages')`);
  expect(rows.length).toBeGreaterThan(8);
  for (const { from, to } of rows) {
    expect(from).toContain('tenant_id');
    expect(to).toContain('tenant_id');
  }
});

describe('the database accepts no reference across tenants', () => {
  it.each<[string, keyof typeof theirs, string]>([
    [
      'an invoice to a customer',
      'customer',
      `insert into invoices (tenant_id, id, customer_id, invoice_date, due_date, currency, total_net, total_vat, total_gross, updated_at) values ($1, gen_random_uuid(), $2, now(), now(), 'EUR', 0, 0, 0, now())`,
    ],
    [
      'an item to an invoice',
      'draft',
      `insert into invoice_items (tenant_id, id, invoice_id, position, title, quantity, unit_price_net, vat_rate, line_total_net) values ($1, gen_random_uuid(), $2, 9, 'x', 1, 1, 1, 1)`,
    ],
    [
      'a payment to an invoice',
      'invoice',
      `insert into payments (tenant_id, id, invoice_id, amount, currency, paid_on) values ($1, gen_random_uuid(), $2, 1, 'EUR', now())`,
    ],
    [
      'a time entry to a project',
      'project',
      `insert into time_entries (tenant_id, id, project_id, user_id, date, duration_minutes, updated_at) values ($1, gen_random_uuid(), $2, gen_random_uuid(), now(), 1, now())`,
    ],
    ['a project to a customer', 'customer', 'update projects set customer_id = $2 where tenant_id = $1'],
    ['a time entry to an invoice', 'invoice', 'update time_entries set invoice_id = $2 where tenant_id = $1'],
  ])('%s', async (_what, other, sql) => {
    await expect(service.pool.query(sql, [acme.tenantId, theirs[other]])).rejects.toMatchObject({ code: '23503' });
  });
});

const key = (tenantId: string, id: string) => ({ tenantId_id: { tenantId, id } });

describe('forTenant() returns a client that can’t see or write another tenant', () => {
  type Attempt = (db: TenantClient, tenantId: string) => Promise<unknown>;
  const marker = 'Taken over';
  const row = (tenantId: string) => ({ tenantId, type: 'CUSTOMER' as const, companyName: marker });

  // Each query names the other tenant wherever it can.
  const reads: Record<string, Attempt> = {
    findUnique: (db, tenantId) => db.customer.findUnique({ where: key(tenantId, theirs.customer) }),
    'findUnique by number': (db, tenantId) =>
      db.invoice.findUnique({ where: { tenantId_number: { tenantId, number: '2026-0001' } } }),
    findFirst: (db, tenantId) => db.customer.findFirst({ where: { tenantId, id: theirs.customer } }),
    findMany: (db, tenantId) => db.customer.findMany({ where: { tenantId } }),
    'findMany with OR': (db, tenantId) =>
      db.customer.findMany({ where: { OR: [{ tenantId }, { id: theirs.customer }] } }),
    'findMany with NOT': (db, tenantId) => db.customer.findMany({ where: { NOT: { tenantId: { not: tenantId } } } }),
    'findMany through a relation': (db, tenantId) =>
      db.customer.findMany({ where: { invoices: { some: { tenantId } } } }),
    'findMany from a cursor': (db, tenantId) => db.customer.findMany({ cursor: key(tenantId, theirs.customer) }),
    count: (db, tenantId) => db.customer.count({ where: { OR: [{ tenantId }] } }),
    aggregate: async (db, tenantId) =>
      (await db.invoice.aggregate({ where: { OR: [{ tenantId }] }, _sum: { totalGross: true } }))._sum.totalGross,
    groupBy: (db, tenantId) => db.invoice.groupBy({ by: ['tenantId'], where: { OR: [{ tenantId }] }, _count: true }),
    'nested includes': async (db, tenantId) =>
      (
        await db.customer.findMany({ include: { invoices: { where: { tenantId }, include: { items: true } } } })
      ).flatMap(({ invoices }) => invoices),
    'the same inside a transaction': (db, tenantId) =>
      db.$transaction((inside) => inside.customer.findMany({ where: { tenantId } })),
  };

  it.each(Object.keys(reads))('%s finds none of its rows', async (name) => {
    const seen = await reads[name]!(acme.db, globex.tenantId).catch((error: unknown) => [error]);
    const text = JSON.stringify(seen) ?? '';
    expect(text).not.toContain(globex.tenantId);
    for (const id of Object.values(theirs)) expect(text).not.toContain(id);
    if (['count', 'aggregate'].includes(name)) expect(Number(seen)).toBe(0);
    // The tenant makes the difference: its own client answers the same query.
    const athome = JSON.stringify(await reads[name]!(globex.db, globex.tenantId));
    expect(athome).not.toBe(text);
  });

  const writes: Record<string, Attempt> = {
    create: (db, tenantId) => db.customer.create({ data: row(tenantId) }),
    createMany: (db, tenantId) => db.customer.createMany({ data: [row(tenantId)] }),
    createManyAndReturn: (db, tenantId) => db.customer.createManyAndReturn({ data: [row(tenantId)] }),
    update: (db, tenantId) => db.customer.update({ where: key(tenantId, theirs.customer), data: { city: marker } }),
    'update of an own row into it': (db, tenantId) =>
      db.customer.update({ where: key(tenantId, ours.customer), data: { tenantId } }),
    updateMany: (db, tenantId) => db.customer.updateMany({ where: { tenantId }, data: { city: marker } }),
    'updateMany with OR': (db, tenantId) =>
      db.customer.updateMany({ where: { OR: [{ tenantId }] }, data: { city: marker } }),
    'updateMany of own rows into it': (db, tenantId) => db.invoiceItem.updateMany({ where: {}, data: { tenantId } }),
    updateManyAndReturn: (db, tenantId) =>
      db.customer.updateManyAndReturn({ where: { tenantId, id: theirs.customer }, data: { city: marker } }),
    'upsert that updates': (db, tenantId) =>
      db.customer.upsert({
        where: key(tenantId, theirs.customer),
        create: row(tenantId),
        update: { city: marker, tenantId },
      }),
    'upsert that creates': (db, tenantId) =>
      db.invoiceSequence.upsert({
        where: { tenantId_year: { tenantId, year: 2026 } },
        create: { tenantId, year: 2026, last: 99 },
        update: { last: 99 },
      }),
    delete: (db, tenantId) => db.invoice.delete({ where: key(tenantId, theirs.invoice) }),
    deleteMany: (db, tenantId) => db.invoiceItem.deleteMany({ where: { tenantId } }),
    'deleteMany with OR': (db, tenantId) =>
      db.invoiceItem.deleteMany({ where: { OR: [{ tenantId }, { invoiceId: theirs.invoice }] } }),
    'nested create': (db, tenantId) =>
      db.customer.update({
        where: key(tenantId, ours.customer),
        data: {
          projects: { create: { tenantId, name: marker, currency: 'EUR' } as Prisma.ProjectCreateWithoutCustomerInput },
        },
      }),
    'nested connect': (db, tenantId) =>
      db.customer.update({
        where: key(tenantId, ours.customer),
        data: { invoices: { connect: key(tenantId, theirs.draft) } },
      }),
    'nested connect on creation': (db, tenantId) =>
      db.customer.create({ data: { ...row(tenantId), invoices: { connect: [key(tenantId, theirs.draft)] } } }),
    'nested set': (db, tenantId) =>
      db.customer.update({
        where: key(tenantId, ours.customer),
        data: { projects: { set: [key(tenantId, theirs.project)] } },
      }),
    'nested connectOrCreate': (db, tenantId) =>
      db.customer.update({
        where: key(tenantId, ours.customer),
        data: {
          projects: {
            connectOrCreate: { where: key(tenantId, theirs.project), create: { name: marker, currency: 'EUR' } },
          },
        },
      }),
    'nested update': (db, tenantId) =>
      db.customer.update({
        where: key(tenantId, ours.customer),
        data: { invoices: { update: { where: key(tenantId, theirs.draft), data: { subject: marker } } } },
      }),
    'nested updateMany and deleteMany': (db, tenantId) =>
      db.customer.update({
        where: key(tenantId, ours.customer),
        data: {
          invoices: { updateMany: { where: { tenantId }, data: { subject: marker } } },
          projects: { deleteMany: { tenantId } },
        },
      }),
    'the same inside a transaction': (db, tenantId) =>
      db.$transaction((inside) => inside.customer.updateMany({ where: { tenantId }, data: { city: marker } })),
  };

  it.each(Object.keys(writes))('%s changes none of its rows', async (name) => {
    const before = await readBooks(service, globex);
    await writes[name]!(acme.db, globex.tenantId).catch(() => undefined);
    refused.clear(); // a nested connect sets tenant_id; the service has none
    expect(await readBooks(service, globex)).toEqual(before);
  });

  it('another tenant in `where` finds nothing, rather than own rows', async () => {
    const tenantId = globex.tenantId;
    const before = await readBooks(service, acme);
    expect(await acme.db.customer.findMany({ where: { tenantId } })).toEqual([]);
    expect(await acme.db.customer.updateMany({ where: { tenantId }, data: { city: marker } })).toEqual({ count: 0 });
    expect(await acme.db.invoiceItem.deleteMany({ where: { tenantId } })).toEqual({ count: 0 });
    expect(await readBooks(service, acme)).toEqual(before);
  });

  it('its own rows need no tenant in the query', async () => {
    const { id } = await acme.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Own' } });
    const own = { id, tenantId: acme.tenantId };
    expect(await service.client.customer.findFirst({ where: own })).toMatchObject(own);
    await acme.db.customer.update({ where: key(acme.tenantId, id), data: { city: 'Rome' } });
    expect(await acme.db.customer.findUnique({ where: key(acme.tenantId, id) })).toMatchObject({ city: 'Rome' });
    expect(await acme.db.customer.deleteMany({ where: { id } })).toEqual({ count: 1 });
  });

  it('raw SQL is rejected', async () => {
    const raw: ((db: TenantClient) => Promise<unknown>)[] = [
      (db) => db.$queryRaw`select * from customers`,
      (db) => db.$executeRaw`delete from customers`,
      (db) => db.$queryRawUnsafe('select * from customers'),
      (db) => db.$executeRawUnsafe('delete from customers'),
      (db) => db.$transaction((inside) => inside.$queryRaw`select * from customers`),
    ];
    for (const attempt of raw)
      await expect((async () => attempt(acme.db))()).rejects.toThrow('The tenant client refuses raw SQL');
  });

  it('a batch of queries is rejected: a transaction is a function', () => {
    expect(() => acme.db.$transaction([acme.db.customer.findMany()] as never)).toThrow(
      'A transaction of the books is a function',
    );
  });

  it('identity tables are rejected', async () => {
    const { tenant, user, membership, apiToken, rateLimit } = acme.db;
    for (const [name, model] of Object.entries({
      Tenant: tenant,
      User: user,
      Membership: membership,
      ApiToken: apiToken,
      RateLimit: rateLimit,
    })) {
      const find = (model as typeof tenant).findMany;
      await expect((async () => find())()).rejects.toThrow(`${name} is not a table of the books`);
    }
  });
});
