import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { knownConstraints } from '../../schema/graphql/input/constraints.ts';
import { Prisma, violatedConstraint } from '../../prisma/client.ts';
import { item, makeCustomer, makeInvoice, makeProject, makeReceipt, makeTimeEntry, refusal } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';

let service: Service;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

describe('a CHECK constraint', () => {
  it('has a message for clients', async () => {
    const { rows } = await service.pool.query<{ name: string }>(
      `select conname as name from pg_constraint
       where contype = 'c' and connamespace = 'public'::regnamespace
         and conrelid not in ('outbox'::regclass, 'secret_checks'::regclass, 'bulk_operations'::regclass, 'exports'::regclass, 'partner_accounts'::regclass, 'audit_entries'::regclass) -- which no input reaches
       order by conname collate "C"`,
    );
    expect(rows.map(({ name }) => name)).toEqual(knownConstraints.toSorted());
  });

  it('is known by its name, also on a shard of Citus', () => {
    for (const shard of ['', '_102072']) {
      const message = `insert or update on table "projects${shard}" violates foreign key constraint "projects_tenant_id_customer_id_fkey${shard}"`;
      const error = new Prisma.PrismaClientKnownRequestError(message, { code: 'P2003', clientVersion: '' });
      expect(violatedConstraint(error)).toBe('projects_tenant_id_customer_id_fkey');
    }
  });

  it('that an existing row violates rejects the next change of that row, with the message of the rule', async () => {
    const id = await makeProject(acme, { startDate: '2026-01-20' });
    const drop = 'alter table projects drop constraint projects_end_after_start';
    const add = 'alter table projects add constraint projects_end_after_start check (end_date >= start_date) not valid';
    await service.pool.query(drop);
    await acme.db.project.updateMany({ where: { id }, data: { endDate: new Date('2026-01-10') } });
    await service.pool.query(add);
    const renamed = await acme.rest('PATCH', `/projects/${id}`, { name: 'Renamed' });
    expect(renamed.status).toBe(422);
    expect(renamed.body.errors).toEqual({ end_date: ['Must not be before the start date.'] });
    const mended = await acme.rest('PATCH', `/projects/${id}`, { name: 'Renamed', end_date: null });
    expect(mended.body.data).toMatchObject({ name: 'Renamed', start_date: '2026-01-20', end_date: null });
  });

  it('without a message causes an internal error, at an update and at an insertion', async () => {
    const id = await makeCustomer(acme);
    await service.pool.query(`alter table customers add constraint unheard_of check (city <> 'Atlantis')`);
    const update = 'mutation ($id: UUID!) { updateCustomer(id: $id, input: { city: "Atlantis" }) { id } }';
    const create = 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "x", city: "Atlantis" }) { id } }';
    for (const answer of [await acme.graphqlAnswer(update, { id }), await acme.graphqlAnswer(create)])
      expect(refusal(answer)).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    await service.pool.query('alter table customers drop constraint unheard_of');
  });
});

describe('an issued invoice, in the database, as the role of requests', () => {
  let id: string;
  let draft: string;
  beforeEach(async () => {
    [id, draft] = [await makeInvoice(acme, { status: 'ISSUED' }), await makeInvoice(acme)];
  });

  const line = (invoiceId: string, position = 2) =>
    acme.db.row('InvoiceItem', {
      invoiceId,
      position,
      title: 'Later',
      quantity: 1,
      unitPriceNet: 1,
      vatRate: 19,
      lineTotalNet: 1,
    });
  const whole = () =>
    acme.db.invoice.findMany({ where: { id }, include: { items: true }, omit: { updatedAt: true, version: true } });

  it.each<[string, () => Promise<unknown>]>([
    ['a changed line', () => acme.db.invoiceItem.updateMany({ where: { invoiceId: id }, data: { title: 'Other' } })],
    [
      'a line that is taken away',
      () => acme.db.invoiceItem.updateMany({ where: { invoiceId: id }, data: { invoiceId: draft, position: 2 } }),
    ],
    [
      'a line that comes from a draft',
      () => acme.db.invoiceItem.updateMany({ where: { invoiceId: draft }, data: { invoiceId: id, position: 2 } }),
    ],
    ['a deleted line', () => acme.db.invoiceItem.deleteMany({ where: { invoiceId: id } })],
    ['an added line', () => acme.db.insert({ InvoiceItem: [line(id)] })],
    ['lines of which one is added', () => acme.db.insert({ InvoiceItem: [line(draft), line(id)] })],
  ])('refuses %s', async (_, write) => {
    const before = await whole();
    await expect(write()).rejects.toThrow('is issued: its lines can not change');
    expect(await whole()).toEqual(before);
  });

  it.each<[string, () => Prisma.InvoiceUncheckedUpdateManyInput | Promise<Prisma.InvoiceUncheckedUpdateManyInput>]>([
    ['number', () => ({ number: '2026-9999' })],
    ['number, back to a draft', () => ({ number: null, status: 'DRAFT' })],
    ['customer', async () => ({ customerId: await makeCustomer(acme) })],
    ['date', () => ({ invoiceDate: new Date('2026-02-01') })],
    ['due date', () => ({ dueDate: new Date('2027-01-01') })],
    ['delivery date', () => ({ deliveryDate: new Date('2026-02-28') })],
    ['subject', () => ({ subject: 'Other' })],
    ['currency', () => ({ currency: 'USD' })],
    ['totals', () => ({ totalNet: 101, totalGross: 120 })],
    ['VAT', () => ({ totalVat: 20, totalGross: 120 })],
    ['time of issue', () => ({ issuedAt: new Date() })],
    ['exchange rate', () => ({ exchangeRate: 2 })],
    ['day of the exchange rate', () => ({ exchangeRateDate: new Date('2026-02-01') })],
    ['source of the exchange rate', () => ({ exchangeRateSource: 'A bank' })],
    ['currency of the exchange rate', () => ({ exchangeCurrency: 'USD' })],
  ])('refuses another %s', async (_, data) => {
    const before = await whole();
    const write = acme.db.invoice.updateMany({ where: { id }, data: await data() });
    await expect(write).rejects.toThrow('is issued: it can not change');
    expect(await whole()).toEqual(before);
  });

  it('refuses its deletion', async () => {
    await expect(acme.db.invoice.deleteMany({ where: { id } })).rejects.toThrow('is issued: it can not change');
    expect(await whole()).toHaveLength(1);
  });

  it('can be created with as many lines as there may be, which are several statements', async () => {
    const items = Array.from({ length: 500 }, () => item);
    const many = await makeInvoice(acme, { status: 'ISSUED', items });
    expect(await acme.db.invoiceItem.count({ where: { invoiceId: many } })).toBe(500);
  });

  it('accepts changes of what its documents don’t say, and any change of a draft', async () => {
    await acme.db.invoice.updateMany({ where: { id }, data: { overdueAt: new Date() } });
    const update = `mutation ($id: UUID!) {
      updateInvoice(id: $id, input: { subject: "New", items: [{ title: "x", quantity: "2", unitPriceNet: "1", vatRate: "7" }] }) { id }
    }`;
    await acme.graphql(update, { id: draft });
    await acme.db.invoiceItem.updateMany({ where: { invoiceId: draft }, data: { title: 'Other' } });
    await acme.db.insert({ InvoiceItem: [line(draft)] });
    await acme.graphql('mutation ($id: UUID!) { deleteInvoice(id: $id) { id } }', { id: draft });
    const paid = await acme.rest('POST', `/invoices/${id}/payments`, { amount: '119' });
    expect(paid.body.data).toMatchObject({ status: 'paid' });
  });
});

describe('a supplier with receipts can’t change its type', () => {
  const message = 'Receipts name this supplier: it can not become a customer.';

  it('answers 422 errors.type; accepts other changes and the same type', async () => {
    const id = await makeCustomer(acme, { type: 'SUPPLIER' });
    const receipt = await makeReceipt(acme, { supplierId: id });
    const refused = await acme.rest('PATCH', `/customers/${id}`, { type: 'customer', city: 'Rome', country: 'XX' });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual({
      type: [message],
      country: ['Must be an ISO 3166-1 country code of two capital letters.'],
    });
    const alone = await acme.rest('PATCH', `/customers/${id}`, { type: 'customer' });
    expect([alone.status, alone.body.errors]).toEqual([422, { type: [message] }]);
    const update = 'mutation ($id: UUID!) { updateCustomer(id: $id, input: { type: CUSTOMER }) { type } }';
    expect(refusal(await acme.graphqlAnswer(update, { id })).errors).toEqual({ 'input.type': [message] });
    const changed = await acme.rest('PATCH', `/customers/${id}`, { type: 'supplier', city: 'Rome' });
    expect(changed.body.data).toMatchObject({ type: 'supplier', city: 'Rome' });

    await acme.rest('DELETE', `/receipts/${receipt}`);
    expect((await acme.rest('PATCH', `/customers/${id}`, { type: 'customer' })).body.data.type).toBe('customer');
    const late = await acme.rest('POST', '/receipts', { supplier_id: id, receipt_date: '2026-01-01', amount_gross: 1 });
    expect(late.body.errors).toEqual({ supplier_id: ['There is no such supplier.'] });
  });
});

describe('a project’s currency is fixed once time is tracked on it', () => {
  const message = 'Time is tracked on this project: its currency can not be changed.';

  it('answers 422 errors.currency; accepts other changes and the same currency', async () => {
    const id = await makeProject(acme, { currency: 'EUR' });
    expect((await acme.rest('PATCH', `/projects/${id}`, { currency: 'USD' })).body.data.currency).toBe('USD');
    const entry = await makeTimeEntry(acme, { projectId: id });
    const dates = { start_date: '2026-01-20', end_date: '2026-01-10' };
    const refused = await acme.rest('PATCH', `/projects/${id}`, { currency: 'JPY', ...dates });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { currency: [message], end_date: ['Must not be before the start date.'] },
    ]);
    const update = 'mutation ($id: UUID!) { updateProject(id: $id, input: { currency: "JPY" }) { currency } }';
    expect(refusal(await acme.graphqlAnswer(update, { id })).errors).toEqual({ 'input.currency': [message] });
    const changed = await acme.rest('PATCH', `/projects/${id}`, { currency: 'USD', hourly_rate_net: 95 });
    expect(changed.body.data).toMatchObject({ currency: 'USD', hourly_rate_net: 95 });

    await acme.rest('DELETE', `/time-entries/${entry}`);
    expect((await acme.rest('PATCH', `/projects/${id}`, { currency: 'JPY' })).body.data.currency).toBe('JPY');
  });
});

describe('a row’s lock', () => {
  it('can be taken only inside a transaction, and only of the tenant’s own rows', async () => {
    const globex = await service.integrator({ name: 'Globex' });
    const [mine, theirs] = [await makeCustomer(acme), await makeCustomer(globex)];
    await expect(acme.db.lock('Customer', mine, 'update')).rejects.toThrow('inside a transaction');
    for (const strength of ['update', 'no key update', 'key share'] as const) {
      await acme.db.$transaction(async (db) => {
        expect(await db.lock('Customer', mine, strength)).toMatchObject({ id: mine, companyName: 'Globex' });
        expect(await db.lock('Customer', theirs, strength)).toBeNull();
        await expect(db.lock('User', acme.userId, strength)).rejects.toThrow('is not a table of the books');
      });
    }
  });
});
