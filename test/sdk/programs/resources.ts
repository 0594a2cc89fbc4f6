import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  AuthenticationError,
  etagOf,
  ForbiddenError,
  Kontor,
  KontorError,
  NotFoundError,
  PreconditionFailedError,
  RateLimitError,
  ValidationError,
  type ProblemDetail,
  type CreateInvoiceInput,
  type Customer,
  type Invoice,
  type ListCustomersQuery,
} from '@kontor/sdk';
import { baseUrl, connect, token } from './environment.js';

const kontor = connect();
const unknownId = '019d3c5e-6b0a-7c41-9d53-0f6e3b1f4a10';

const bakery = (): Promise<Customer> =>
  kontor.customers.create({ type: 'customer', company_name: 'Bäckerei Sonnenschein GmbH', country: 'DE' });

const catchError = async (request: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await request;
  } catch (error) {
    return error;
  }
  throw new Error('The request did not fail');
};

describe('resources', () => {
  it('me() has the user, the tenant, and the token', async () => {
    const { tenant, token: own } = await kontor.me();
    assert.deepEqual([tenant.name, own?.abilities], ['Acme', ['*']]);
  });

  it('are created, read, changed, and deleted', async () => {
    const created = await bakery();
    assert.deepEqual(await kontor.customers.get(created.id), created);
    const changed = await kontor.customers.update(created.id, { city: 'Kiel' });
    assert.deepEqual([changed.city, changed.company_name], ['Kiel', created.company_name]);
    // A resource that was read can be sent back, with the fields that the service sets itself. An answer's enums
    // are open, and a request's are not.
    const sent = { ...changed, type: 'customer' as const, required_e_invoice: null, city: null };
    assert.equal((await kontor.customers.update(created.id, sent)).city, null);
    assert.equal(await kontor.customers.delete(created.id), undefined);
    await assert.rejects(kontor.customers.get(created.id), NotFoundError);
  });

  it('are created and changed by many, each alone or all or none', async () => {
    const body = { type: 'customer', company_name: 'Bäckerei Sonnenschein GmbH' } as const;
    const { results } = await kontor.customers.createMany({ items: [body, { ...body, company_name: '' }] });
    const [created, refused] = results;
    assert.ok(created && 'data' in created && refused && !('data' in refused));
    assert.deepEqual(refused.errors, { company_name: ['Must not be empty.'] });
    const { id } = created.data;
    const changed = await kontor.customers.updateMany({ items: [{ id, city: 'Kiel' }] });
    assert.deepEqual(
      changed.results.map((result) => 'data' in result && result.data.city),
      ['Kiel'],
    );
    const items = [{ id, city: 'Bonn' }, { id: unknownId }];
    const error = await catchError(kontor.customers.updateMany({ items, atomic: true }));
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(Object.keys(error.errors), ['items.1.id']);
    assert.equal((await kontor.customers.get(id)).city, 'Kiel');
    await kontor.customers.delete(id);
  });

  it('are changed only in the version that was read, if asked to', async () => {
    const read = await bakery();
    await kontor.customers.update(read.id, { city: 'Kiel' });
    const refused = await catchError(kontor.customers.update(read.id, { city: 'Bonn' }, { ifMatch: etagOf(read) }));
    assert.ok(refused instanceof PreconditionFailedError && refused.status === 412);
    assert.deepEqual(refused.current, await kontor.customers.get(read.id));
    const ifMatch = etagOf(refused.current as Customer);
    assert.equal((await kontor.customers.update(read.id, { city: 'Bonn' }, { ifMatch })).city, 'Bonn');
    await assert.rejects(kontor.customers.delete(read.id, { ifMatch }), PreconditionFailedError);
    await kontor.customers.delete(read.id, { ifMatch: etagOf(await kontor.customers.get(read.id)) });
  });

  it('have transitions, and a log of events that tells them apart', async () => {
    const { id } = await bakery();
    const items = [{ title: 'Work', quantity: 1, unit_price_net: 100, vat_rate: 19 }];
    const draft = await kontor.invoices.create({ customer_id: id, invoice_date: '2026-01-31', items });
    assert.equal((await kontor.invoices.issue(draft.id)).status, 'issued');
    const partlyPaid = await kontor.invoices.pay(draft.id, { amount: '19', paid_on: '2026-02-01' });
    assert.equal(partlyPaid.amount_due, 100);
    assert.equal((await kontor.invoices.pay(draft.id)).status, 'paid');
    await assert.rejects(kontor.invoices.cancel(draft.id), ValidationError);

    const found: unknown[] = [];
    for await (const event of kontor.events.list({ resource_id: draft.id })) {
      assert.match(event.id, /^[\da-f-]{36}$/);
      if (event.event === 'invoice.paid') found.push(event.data.invoice.amount_due);
      found.push(event.event);
    }
    assert.deepEqual(found, [
      0,
      'invoice.paid',
      'invoice.payment_recorded',
      'invoice.payment_recorded',
      'invoice.issued',
      'invoice.created',
    ]);
  });

  it('have decimals as exact numbers, also of 15 digits, and take them as text', async () => {
    const { id } = await bakery();
    const input: CreateInvoiceInput = {
      customer_id: id,
      invoice_date: '2026-01-31',
      status: 'issued',
      items: [
        { title: 'Layout', quantity: '4.5', unit: 'h', unit_price_net: '85', vat_rate: 0 },
        { title: 'A building', quantity: 1, unit_price_net: '9007199254740.93', vat_rate: 0 },
      ],
    };
    const invoice: Invoice = await kontor.invoices.create(input);
    assert.equal(invoice.items[1]?.unit_price_net, 9007199254740.93);
    assert.equal(String(invoice.total_gross), '9007199255123.43');
  });

  it('have files to save, as bytes with their type', async () => {
    const { id } = await kontor.customers.create({
      type: 'customer',
      company_name: 'Stadt Ulm',
      address_line1: 'Marktplatz 1',
      postal_code: '89073',
      city: 'Ulm',
      country: 'DE',
    });
    const items = [{ title: 'Layout', quantity: 1, unit_price_net: 100, vat_rate: 19 }];
    const input: CreateInvoiceInput = { customer_id: id, invoice_date: '2026-01-31', status: 'issued', items };
    const invoice = await kontor.invoices.create(input);

    const pdf: Blob = await kontor.invoices.getPdf(invoice.id);
    assert.equal(pdf.type, 'application/pdf');
    assert.equal(await pdf.slice(0, 5).text(), '%PDF-');
    const xml: Blob = await kontor.invoices.getXml(invoice.id, { format: 'factur-x' });
    assert.equal(xml.type, 'application/xml');
    assert.ok((await xml.text()).includes(String(invoice.number)));

    const refused = await catchError(kontor.invoices.getXml(invoice.id, { format: 'xrechnung-cii' }));
    assert.ok(refused instanceof ValidationError);
    assert.match(refused.errors['customer.buyer_reference']?.[0] ?? '', /^BR-DE-15: /);
    await assert.rejects(kontor.invoices.getPdf(unknownId), NotFoundError);
  });

  it('answer to every address that baseUrl may have', async () => {
    for (const address of [baseUrl, `${baseUrl}/`, `${baseUrl}/api/v1`, `${baseUrl}/api/v1/`])
      assert.equal((await new Kontor({ baseUrl: address, token }).me()).tenant.name, 'Acme');
  });

  it('can be reached by paths that the package does not know', async () => {
    const { data } = await kontor.request<{ data: Customer }>('POST', '/customers', {
      body: { type: 'supplier', company_name: 'Papier & Co' },
    });
    const list = await kontor.request<{ data: Customer[] }>('GET', '/customers', { query: { type: 'supplier' } });
    assert.deepEqual(list.data, [data]);
  });
});

describe('lists', () => {
  it('are a page when awaited, and all rows in for await', async () => {
    for (let number = 0; number < 7; number += 1)
      await kontor.projects.create({ name: `Project ${number}`, customer_id: null });
    const page = await kontor.projects.list({ per_page: 3 });
    assert.deepEqual([page.data.length, page.meta.total, page.links.prev], [3, 7, null]);

    const names: string[] = [];
    for await (const { name } of kontor.projects.list({ per_page: 3 })) names.push(name);
    assert.deepEqual(
      names,
      [6, 5, 4, 3, 2, 1, 0].map((number) => `Project ${number}`),
    );

    const sizes: number[] = [];
    for await (const { data } of kontor.projects.list({ per_page: 3 }).pages()) sizes.push(data.length);
    assert.deepEqual(sizes, [3, 3, 1]);
  });

  it('have each row once, though rows are added and deleted meanwhile', async () => {
    const before = new Set<string>();
    for await (const { id } of kontor.projects.list()) before.add(id);
    const seen: string[] = [];
    for await (const { id } of kontor.projects.list({ per_page: 2 })) {
      seen.push(id);
      if (seen.length === 3) await kontor.projects.delete(seen[0] ?? '');
      await kontor.projects.create({ name: 'new', customer_id: null });
    }
    assert.deepEqual(new Set(seen), before);
    assert.equal(seen.length, before.size);
  });

  it('pass filters on, and begin again with each loop', async () => {
    const query: ListCustomersQuery = { type: 'supplier', q: undefined };
    const list = kontor.customers.list(query);
    assert.equal((await list).data[0]?.type, 'supplier');
    for (let time = 0; time < 2; time += 1) {
      const names: string[] = [];
      for await (const { company_name } of list) names.push(company_name);
      assert.deepEqual(names, ['Papier & Co']);
    }
  });

  it('request nothing before they are awaited', async () => {
    let requests = 0;
    const counting = connect({ fetch: (...args) => ((requests += 1), fetch(...args)) });
    const list = counting.customers.list();
    assert.equal(requests, 0);
    await list;
    await list;
    assert.equal(requests, 1);
  });
});

describe('errors', () => {
  it('404 is a NotFoundError, with the id of the request', async () => {
    const error = await catchError(kontor.invoices.get(unknownId));
    assert.ok(error instanceof NotFoundError && error instanceof KontorError);
    assert.deepEqual([error.name, error.status, error.message], ['NotFoundError', 404, 'Not found.']);
    assert.match(error.requestId ?? '', /^[\da-f-]{36}$/);
  });

  it('422 is a ValidationError, with all errors by field', async () => {
    const error = await catchError(
      kontor.invoices.create({
        customer_id: unknownId,
        invoice_date: '2026-01-31',
        items: [{ title: '', quantity: 0, unit_price_net: 1, vat_rate: 19 }],
      }),
    );
    assert.ok(error instanceof ValidationError);
    assert.equal(error.status, 422);
    assert.deepEqual(error.errors, {
      'items.0.title': ['Must not be empty.'],
      'items.0.quantity': ['Must not be zero.'],
      customer_id: ['There is no such customer.'],
    });
    assert.deepEqual(
      error.details.map(({ field, code, params }) => [field, code, params]),
      [
        ['items.0.title', 'required', {}],
        ['items.0.quantity', 'zero', {}],
        ['customer_id', 'not_found', {}],
      ],
    );
    const known: ProblemDetail['code'] = 'not_found';
    assert.ok(error.details.some(({ code }) => code === known));
  });

  it('401 is an AuthenticationError, and 403 a ForbiddenError', async () => {
    const unknown = await catchError(connect({ token: 'kontor_unknown' }).me());
    assert.ok(unknown instanceof AuthenticationError && unknown.status === 401);
    const reading = connect({ token: process.env['READING_TOKEN'] ?? '' });
    const error = await catchError(reading.customers.create({ type: 'customer', company_name: 'x' }));
    assert.ok(error instanceof ForbiddenError && error.status === 403);
    assert.ok((await reading.customers.list()).data.length > 0);
  });

  it('429 is a RateLimitError with retryAfter, if waiting would take too long', async () => {
    const limited = connect({ baseUrl: process.env['LIMITED_KONTOR'] ?? '', maxRetryTime: 500 });
    await limited.me();
    const error = await catchError(limited.me());
    assert.ok(error instanceof RateLimitError && error.status === 429);
    assert.ok((error.retryAfter ?? 0) >= 1);
  });

  it('a body that is not JSON is a KontorError', async () => {
    const error = await catchError(connect({ fetch: async () => new Response('<html>') }).me());
    assert.ok(error instanceof KontorError && !(error instanceof NotFoundError));
    assert.equal(error.message, 'The answer is not JSON. Is baseUrl right?');
  });
});

/** Never called: what the types refuse. */
export async function refusedByTypes(customer: Customer): Promise<void> {
  // @ts-expect-error a filter that there isn't
  await kontor.invoices.list({ status: 'overdue' });
  // @ts-expect-error a state that no invoice is created in
  await kontor.invoices.create({ customer_id: '', invoice_date: '', items: [], status: 'cancelled' });
  // @ts-expect-error a field that is required
  await kontor.customers.create({ type: 'customer' });
  // @ts-expect-error a field that is not known
  await kontor.customers.create({ type: 'customer', company_name: 'x', nick_name: 'x' });
  // @ts-expect-error null for what can't be cleared
  await kontor.customers.update('', { company_name: null });
  // @ts-expect-error a method that invoices don't have
  await kontor.invoices.update('', {});
  // @ts-expect-error what may be null
  customer.email.toUpperCase();
  // @ts-expect-error a format that there isn't
  await kontor.invoices.getXml('', { format: 'edifact' });
  // @ts-expect-error a format is required
  await kontor.invoices.getXml('');
  // @ts-expect-error a key is for POST only
  await kontor.customers.get('', { idempotencyKey: 'x' });
}
