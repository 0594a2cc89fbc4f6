import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { accepts, characters, create, invalidFields, refusal, refuses } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const smallest: [string, object] = ['/receipts', sample.receipt];

describe('POST /receipts', () => {
  it('answers 201 with the whole receipt; by default a draft without VAT in the tenant’s currency', async () => {
    const { status, headers, body } = await acme.rest('POST', ...smallest);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${service.url}/api/v1/receipts/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: sample.anId,
        supplier_id: null,
        receipt_number: null,
        receipt_date: '2026-03-01',
        due_date: null,
        description: null,
        category: null,
        currency: 'EUR',
        amount_gross: 119,
        vat_rate: 0,
        vat_amount: 0,
        amount_net: 119,
        amount_prepaid: 0,
        amount_payable: 119,
        lines: [
          {
            position: 1,
            description: null,
            account: null,
            vat_category: 'Z',
            vat_rate: 0,
            deductible_percent: 100,
            amount_net: 119,
            vat_amount: 0,
            amount_gross: 119,
          },
        ],
        service_date: null,
        received_on: null,
        credited_receipt_id: null,
        amount_paid: 0,
        amount_adjusted: 0,
        project_id: null,
        status: 'draft',
        paid_at: null,
        exchange_rate: null,
        exchange_rate_date: null,
        exchange_rate_source: null,
        exchange_currency: null,
        reversal_of_id: null,
        reason: null,
        reversed_at: null,
        external_id: null,
        metadata: {},
        created_at: sample.aTime,
        updated_at: sample.aTime,
      },
      warnings: [],
    });
    expect((await acme.rest('GET', `/receipts/${body.data.id}`)).body).toEqual({ data: body.data });
  });

  it('accepts all its fields, and its answer as a body', async () => {
    const { id: supplierId } = await create(acme, '/customers', sample.supplier);
    const { id: projectId } = await create(acme, '/projects', sample.project);
    const whole = {
      supplier_id: supplierId,
      receipt_number: 'R-1',
      receipt_date: '2026-02-28',
      due_date: '2026-03-14',
      description: 'Papier',
      category: 'Büro',
      currency: 'TND',
      amount_gross: 11.999,
      vat_rate: 19.5,
      project_id: projectId,
      status: 'booked',
    };
    const read = await create(acme, '/receipts', whole);
    expect(read).toMatchObject(whole);
    expect(await create(acme, '/receipts', read)).toMatchObject(whole);
  });

  it('requires receipt_date and amount_gross', async () => {
    expect(invalidFields(await acme.rest('POST', '/receipts', {}))).toEqual(['amount_gross', 'receipt_date']);
    for (const field of ['receipt_date', 'amount_gross']) await refuses(acme, smallest, field, [null, '']);
  });

  it('amount_gross: at least 0, at most the currency’s minor digits, 15 significant digits', async () => {
    await accepts(acme, smallest, 'amount_gross', [0, 0.01, 9999999999999.99]);
    await accepts(acme, smallest, 'amount_gross', ['12.50', '1e2'], Number);
    await refuses(acme, smallest, 'amount_gross', [-0.01, 0.001, '10000000000000.01', '12,50', 'NaN', '1e15']);
    for (const [currency, good, bad] of [
      ['JPY', 1, 1.5],
      ['TND', 1.125, 1.1255],
      ['HUF', 1.25, 1.255],
    ]) {
      await accepts(acme, ['/receipts', { ...sample.receipt, currency }], 'amount_gross', [good]);
      await refuses(acme, ['/receipts', { ...sample.receipt, currency }], 'amount_gross', [bad]);
    }
    const yen = await service.integrator({ currency: 'JPY' });
    await refuses(yen, smallest, 'amount_gross', [1.5]);
  });

  it('vat_amount is gross × rate ÷ (100 + rate), rounded; amount_net is the difference', async () => {
    for (const [amount_gross, vat_rate, currency, vat_amount, amount_net] of [
      [119, 19, 'EUR', 19, 100],
      [100, 19, 'EUR', 15.97, 84.03],
      [0.03, 20, 'EUR', 0.01, 0.02],
      [100, 7.7, 'CHF', 7.15, 92.85],
      [110, 10, 'JPY', 10, 100],
      [100, 8, 'JPY', 7, 93],
      [1, 100, 'TND', 0.5, 0.5],
    ]) {
      const body = { ...sample.receipt, amount_gross, vat_rate, currency };
      expect(await create(acme, '/receipts', body)).toMatchObject({ ...body, vat_amount, amount_net });
    }
  });

  it('vat_rate: 0 to 100, at most 2 decimals, default 0', async () => {
    await accepts(acme, smallest, 'vat_rate', [0, 0.01, 100]);
    await accepts(acme, smallest, 'vat_rate', [null], () => 0);
    await refuses(acme, smallest, 'vat_rate', [-1, 100.01, 5.125, 'x']);
  });

  it('receipt_number ≤ 64, description ≤ 2000, category ≤ 64 characters; dates are real days', async () => {
    for (const [field, max] of [
      ['receipt_number', 64],
      ['description', 2000],
      ['category', 64],
    ] as const) {
      await accepts(acme, smallest, field, [null, characters(max)]);
      await refuses(acme, smallest, field, [characters(max + 1), 5]);
    }
    await accepts(acme, smallest, 'receipt_date', ['0001-01-01', '2028-02-29', '9999-12-31']);
    await accepts(acme, smallest, 'due_date', [null, '2025-01-01']);
    for (const field of ['receipt_date', 'due_date']) {
      await refuses(acme, smallest, field, ['2026-02-29', '2026-02-30', '0000-01-01', '10000-01-01', '01.03.2026']);
      await refuses(acme, smallest, field, ['2026-3-1', '2026-03-01T00:00:00Z', '20260301', 20260301]);
    }
  });

  it('supplier_id: a customer of type supplier; project_id: a project; both of this tenant', async () => {
    const { id: customerId } = await create(acme, '/customers', sample.customer);
    const stranger = await service.integrator();
    const foreignSupplier = await create(stranger, '/customers', sample.supplier);
    const foreignProject = await create(stranger, '/projects', sample.project);
    await refuses(acme, smallest, 'supplier_id', [customerId, foreignSupplier.id, sample.unknownId, 'x']);
    await refuses(acme, smallest, 'project_id', [customerId, foreignProject.id, sample.unknownId, 'x']);
  });

  it('status: draft (default) or booked on create; currency: ISO 4217', async () => {
    await accepts(acme, smallest, 'status', ['draft', 'booked']);
    await refuses(acme, smallest, 'status', ['paid', 'DRAFT', 'cancelled', 0]);
    await accepts(acme, smallest, 'currency', ['USD']);
    await accepts(acme, smallest, 'currency', [null], () => 'EUR');
    await refuses(acme, smallest, 'currency', ['usd', 'XXX', 'AAA']);
  });
});

describe('a receipt', () => {
  it('status narrows the list', async () => {
    const beta = await service.integrator();
    const draft = await create(beta, ...smallest);
    const booked = await create(beta, '/receipts', { ...sample.receipt, status: 'booked' });
    const paid = await create(beta, '/receipts', { ...sample.receipt, status: 'booked' });
    await beta.graphql(`mutation { payReceipt(id: "${paid.id}") { id } }`);
    const ids = async (query: string) =>
      (await beta.rest('GET', `/receipts${query}`)).body.data.map((row: { id: string }) => row.id);
    expect(await ids('')).toEqual([paid.id, booked.id, draft.id]);
    expect(await ids('?status=draft')).toEqual([draft.id]);
    expect(await ids('?status=booked')).toEqual([booked.id]);
    expect(await ids('?status=paid')).toEqual([paid.id]);
    expect(invalidFields(await beta.rest('GET', '/receipts?status=issued'))).toEqual(['status']);
    expect((await beta.rest('GET', `/receipts/${paid.id}`)).body.data.paid_at).toEqual(sample.aTime);
  });

  it('is deleted with 204, and has no PATCH', async () => {
    for (const status of ['draft', 'booked']) {
      const { id } = await create(acme, '/receipts', { ...sample.receipt, status });
      refusal(await acme.rest('PATCH', `/receipts/${id}`, {}), 405);
      expect((await acme.rest('DELETE', `/receipts/${id}`)).status).toBe(204);
      refusal(await acme.rest('GET', `/receipts/${id}`), 404);
    }
  });

  it('with payments can’t be deleted: 422, with payments in errors.id', async () => {
    const { id } = await create(acme, '/receipts', { ...sample.receipt, status: 'booked' });
    await acme.graphql(`mutation { payReceipt(id: "${id}", amount: "1") { id } }`);
    const errors = refusal(await acme.rest('DELETE', `/receipts/${id}`), 422);
    expect(errors).toEqual({ id: [expect.stringMatching(/payment/i)] });
    expect((await acme.rest('GET', `/receipts/${id}`)).status).toBe(200);
  });
});
