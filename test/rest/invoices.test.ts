import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { accepts, characters, create, invalidFields, refusal, refuses } from './samples.ts';

let service: Service;
let acme: Integrator;
let customerId: string;
let smallest: [string, ReturnType<typeof sample.invoice>];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  customerId = (await create(acme, '/customers', sample.customer)).id;
  smallest = ['/invoices', sample.invoice(customerId)];
});
afterAll(() => service.close());

describe('POST /invoices', () => {
  it('answers 201 with the whole invoice; a draft in the tenant’s currency, due after 14 days, has no number', async () => {
    const { status, headers, body } = await acme.rest('POST', ...smallest);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${service.url}/api/v1/invoices/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: sample.anId,
        number: null,
        customer_id: customerId,
        invoice_date: '2026-03-01',
        due_date: '2026-03-15',
        delivery_date: null,
        subject: null,
        currency: 'EUR',
        status: 'draft',
        items: [{ id: sample.anId, position: 1, ...sample.item, ...sample.itemDefaults, line_total_net: 100 }],
        total_net: 100,
        total_vat: 19,
        total_gross: 119,
        vat_breakdown: [{ vat_rate: 19, net: 100, vat: 19 }],
        amount_paid: 0,
        amount_adjusted: 0,
        amount_credited: 0,
        amount_refunded: 0,
        amount_due: 119,
        is_overdue: false,
        issued_at: null,
        paid_at: null,
        cancelled_at: null,
        exchange_rate: null,
        exchange_rate_date: null,
        exchange_rate_source: null,
        exchange_currency: null,
        external_id: null,
        metadata: {},
        created_at: sample.aTime,
        updated_at: sample.aTime,
      },
      warnings: expect.any(Array),
    });
    expect((await acme.rest('GET', `/invoices/${body.data.id}`)).body).toEqual({ data: body.data });
  });

  it('requires customer_id, invoice_date and items; of an item title, quantity, unit_price_net and vat_rate', async () => {
    expect(invalidFields(await acme.rest('POST', '/invoices', {}))).toEqual(['customer_id', 'invoice_date', 'items']);
    const answer = await acme.rest('POST', '/invoices', { ...smallest[1], items: [{}] });
    const required = ['items.0.quantity', 'items.0.title', 'items.0.unit_price_net', 'items.0.vat_rate'];
    expect(invalidFields(answer)).toEqual(required);
    for (const name of ['customer_id', 'invoice_date', 'items', ...required]) {
      await refuses(acme, smallest, name, [null, '']);
    }
  });

  it('customer_id: a customer of this tenant, otherwise 422', async () => {
    const stranger = await create(await service.integrator(), '/customers', sample.customer);
    await refuses(acme, smallest, 'customer_id', [stranger.id, sample.unknownId, 'x', 5, customerId.slice(1)]);
    await accepts(acme, smallest, 'customer_id', [customerId.toUpperCase()], () => customerId);
  });

  it('due_date: not before invoice_date, default invoice_date + 14 days', async () => {
    await accepts(acme, smallest, 'due_date', ['2026-03-01', '2026-12-31', '9999-12-31']);
    await accepts(acme, smallest, 'due_date', [null], () => '2026-03-15');
    await refuses(acme, smallest, 'due_date', ['2026-02-28', '0001-01-01']);
    const leap = await create(acme, '/invoices', { ...smallest[1], invoice_date: '2028-02-20' });
    expect(leap.due_date).toBe('2028-03-05');
  });

  it('due_date: by default after the customer’s payment terms, if it has any', async () => {
    const customer = { ...sample.customer, payment_terms_days: 30 };
    const { id } = await create(acme, '/customers', customer);
    expect(await create(acme, '/invoices', sample.invoice(id))).toMatchObject({ due_date: '2026-03-31' });
    const told = { ...sample.invoice(id), due_date: '2026-03-02' };
    expect(await create(acme, '/invoices', told)).toMatchObject({ due_date: '2026-03-02' });
    await acme.rest('PATCH', `/customers/${id}`, { payment_terms_days: 0 });
    expect(await create(acme, '/invoices', sample.invoice(id))).toMatchObject({ due_date: '2026-03-01' });
    const latest = { ...sample.invoice(id), invoice_date: '9999-12-31' };
    await acme.rest('PATCH', `/customers/${id}`, { payment_terms_days: 30 });
    expect(await create(acme, '/invoices', latest)).toMatchObject({ due_date: '9999-12-31' });
  });

  it('delivery_date: any day, before or after invoice_date; none by default', async () => {
    await accepts(acme, smallest, 'delivery_date', ['2026-03-01', '2026-02-27', '2026-12-31', null]);
    await refuses(acme, smallest, 'delivery_date', ['2026-02-29', '', '01.03.2026', 20260301]);
  });

  it('subject: at most 255 characters; currency: ISO 4217, default the tenant’s', async () => {
    await accepts(acme, smallest, 'subject', [null, characters(255)]);
    await refuses(acme, smallest, 'subject', [characters(256)]);
    await accepts(acme, smallest, 'currency', ['EUR', 'USD', 'JPY', 'TND', 'HUF']);
    await refuses(acme, smallest, 'currency', ['eur', 'EURO', 'XXX', 'XTS', 'ZZZ', 'DEM', '', '978', 978]);

    const swiss = await service.integrator({ currency: 'CHF' });
    const customer = await create(swiss, '/customers', sample.customer);
    expect((await create(swiss, '/invoices', sample.invoice(customer.id))).currency).toBe('CHF');
  });

  it('status: draft (default), issued or paid on create', async () => {
    await accepts(acme, smallest, 'status', ['draft', 'issued', 'paid']);
    await accepts(acme, smallest, 'status', [null], () => 'draft');
    await refuses(acme, smallest, 'status', ['cancelled', 'overdue', 'ISSUED', '', 1]);
  });

  it('items: 1 to 500', async () => {
    const most = Array.from({ length: 500 }, () => sample.item);
    await refuses(acme, smallest, 'items', [[], [...most, sample.item], {}, sample.item, 'x', 1]);
    const { items, total_gross } = await create(acme, '/invoices', { ...smallest[1], items: most });
    expect(items.map((item: { position: number }) => item.position)).toEqual(most.map((_, index) => index + 1));
    expect(total_gross).toBe(59_500);
  });

  it('title ≤ 255; quantity ≠ 0, ≤ 4 decimals; unit ≤ 20; unit_price_net ≤ 4 decimals; vat_rate 0 to 100, ≤ 2 decimals', async () => {
    await accepts(acme, smallest, 'items.0.title', [characters(255)]);
    await refuses(acme, smallest, 'items.0.title', [characters(256), ' ', 5]);
    await accepts(acme, smallest, 'items.0.quantity', [0.0001, 1.5, 12345.6789]);
    await refuses(acme, smallest, 'items.0.quantity', [0, '0', '-0', 0.00001, 1.00001, 'one', true, [1], {}]);
    await accepts(acme, smallest, 'items.0.unit', [null, characters(20)]);
    await refuses(acme, smallest, 'items.0.unit', [characters(21)]);
    await accepts(acme, smallest, 'items.0.unit_price_net', [0, 0.0001, 99.9999]);
    await refuses(acme, smallest, 'items.0.unit_price_net', [0.00001, '1.23456', null]);
    await accepts(acme, smallest, 'items.0.vat_rate', [0, 0.01, 7.7, 100]);
    await refuses(acme, smallest, 'items.0.vat_rate', [-0.01, 100.01, 101, 8.125]);
  });

  it('reports an invalid field of an item by its path: items.1.quantity', async () => {
    const items = [sample.item, { ...sample.item, quantity: 0, colour: 'red' }, { ...sample.item, vat_rate: 101 }, 7];
    const answer = await acme.rest('POST', '/invoices', { ...smallest[1], items });
    expect(invalidFields(answer)).toEqual(['items.1.colour', 'items.1.quantity', 'items.2.vat_rate', 'items.3']);
  });

  it('accepts an answered invoice as a body: response-only fields are ignored', async () => {
    const read = await create(acme, '/invoices', { ...smallest[1], status: 'issued', subject: 'Erste' });
    const again = await create(acme, '/invoices', read);
    expect(again).toEqual({
      ...read,
      id: sample.anId,
      number: `2026-${String(Number(read.number.slice(5)) + 1).padStart(4, '0')}`,
      items: [{ ...read.items[0], id: sample.anId }],
      issued_at: sample.aTime,
      external_id: null,
      metadata: {},
      created_at: sample.aTime,
      updated_at: sample.aTime,
    });
    expect(again.id).not.toBe(read.id);
  });
});

describe('GET /invoices', () => {
  it('status and customer_id narrow the list, also combined', async () => {
    const beta = await service.integrator();
    const one = await create(beta, '/customers', sample.customer);
    const other = await create(beta, '/customers', sample.customer);
    const make = async (id: string, status: string) =>
      (await create(beta, '/invoices', { ...sample.invoice(id), status })).id;
    const draft = await make(one.id, 'draft');
    const issued = await make(one.id, 'issued');
    const paid = await make(other.id, 'paid');
    const ids = async (query: string) =>
      (await beta.rest('GET', `/invoices${query}`)).body.data.map((row: { id: string }) => row.id);
    expect(await ids('')).toEqual([paid, issued, draft]);
    expect(await ids('?status=draft')).toEqual([draft]);
    expect(await ids('?status=issued')).toEqual([issued]);
    expect(await ids('?status=paid')).toEqual([paid]);
    expect(await ids('?status=cancelled')).toEqual([]);
    expect(await ids(`?customer_id=${one.id}`)).toEqual([issued, draft]);
    expect(await ids(`?customer_id=${one.id}&status=draft`)).toEqual([draft]);
    expect(await ids(`?customer_id=${sample.unknownId}`)).toEqual([]);
    expect(await ids(`?customer_id=${customerId}`)).toEqual([]);
    expect(invalidFields(await beta.rest('GET', '/invoices?status=overdue&customer_id=1'))).toEqual([
      'customer_id',
      'status',
    ]);
  });
});

describe('an invoice', () => {
  it('has no PATCH: answers 405', async () => {
    const { id } = await create(acme, ...smallest);
    const answer = await acme.rest('PATCH', `/invoices/${id}`, { subject: 'x' });
    refusal(answer, 405);
    expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS']);
  });

  it('can be deleted while it is a draft: 204 with an empty body', async () => {
    const { id } = await create(acme, ...smallest);
    const { status, text } = await acme.rest('DELETE', `/invoices/${id}`);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    refusal(await acme.rest('GET', `/invoices/${id}`), 404);
    refusal(await acme.rest('DELETE', `/invoices/${id}`), 404);
  });

  it('that is not a draft can’t be deleted: 422, errors.status', async () => {
    for (const status of ['issued', 'paid', 'cancelled']) {
      const read = await create(acme, '/invoices', { ...smallest[1], status: status === 'paid' ? 'paid' : 'issued' });
      if (status === 'cancelled') await acme.graphql(`mutation { cancelInvoice(id: "${read.id}") { id } }`);
      expect(invalidFields(await acme.rest('DELETE', `/invoices/${read.id}`))).toEqual(['status']);
      expect((await acme.rest('GET', `/invoices/${read.id}`)).body.data).toMatchObject({ number: read.number, status });
    }
  });
});
