import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxLines } from '../../schema/resources/receipt/lines.ts';
import { eventsDuring, makeCustomer, makeReceipt, refusal as graphqlRefusal } from '../graphql/books.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import * as sample from '../rest/samples.ts';
import { verify } from '../verify/books.ts';

// The lines of a receipt (schema/DECISIONS.md#d145-receipt-lines).

let service: Service;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
  acme = await service.integrator({ currency: 'EUR' });
});
afterAll(() => service.close());

const day = { receipt_date: '2026-03-01' };
const post = (body: object): Promise<Answer> => acme.rest('POST', '/receipts', { ...day, ...body });
const codes = ({ status, body }: Answer): object => {
  expect([status, body.data]).toEqual([422, undefined]);
  return Object.fromEntries(body.details.map(({ field, code }: { field: string; code: string }) => [field, code]));
};
const usual = { description: null, account: null, deductible_percent: 100 };

describe('a receipt with lines', () => {
  const lines = [
    { description: 'Paper', account: '4930', vat_rate: 19, amount_net: 100 },
    { vat_rate: 7, amount_gross: 10.7, vat_amount: 0.71, deductible_percent: 50 },
    { amount_gross: 5, vat_category: 'E' },
    { amount_net: 200, vat_category: 'AE', vat_rate: 19 },
    { amount_gross: 80, vat_category: 'K', vat_rate: 7 },
    { amount_gross: 38, vat_category: 'IMPORT', vat_rate: 19 },
  ];
  const answered = [
    {
      ...usual,
      position: 1,
      description: 'Paper',
      account: '4930',
      vat_category: 'S',
      vat_rate: 19,
      amount_net: 100,
      vat_amount: 19,
      amount_gross: 119,
    },
    {
      ...usual,
      position: 2,
      vat_category: 'S',
      vat_rate: 7,
      deductible_percent: 50,
      amount_net: 9.99,
      vat_amount: 0.71,
      amount_gross: 10.7,
    },
    { ...usual, position: 3, vat_category: 'E', vat_rate: 0, amount_net: 5, vat_amount: 0, amount_gross: 5 },
    { ...usual, position: 4, vat_category: 'AE', vat_rate: 19, amount_net: 200, vat_amount: 0, amount_gross: 200 },
    { ...usual, position: 5, vat_category: 'K', vat_rate: 7, amount_net: 80, vat_amount: 0, amount_gross: 80 },
    { ...usual, position: 6, vat_category: 'IMPORT', vat_rate: 19, amount_net: 0, vat_amount: 38, amount_gross: 38 },
  ];

  it('answers them whole; its own VAT rate and amount are null', async () => {
    const { status, body } = await post({ lines, service_date: '2026-02-27', received_on: '2026-03-03' });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: sample.anId,
        supplier_id: null,
        receipt_number: null,
        ...day,
        due_date: null,
        description: null,
        category: null,
        currency: 'EUR',
        amount_gross: 452.7,
        vat_rate: null,
        vat_amount: null,
        amount_net: 394.99,
        amount_prepaid: 0,
        amount_payable: 452.7,
        amount_paid: 0,
        amount_adjusted: 0,
        lines: answered,
        service_date: '2026-02-27',
        received_on: '2026-03-03',
        credited_receipt_id: null,
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
    const path = `/receipts/${body.data.id}`;
    expect((await acme.rest('GET', path)).body).toEqual({ data: body.data });
    const again = await post(body.data);
    expect([again.status, again.body.data.lines]).toEqual([201, answered]);
    const booked = await acme.rest('POST', `${path}/book`);
    expect(booked.body.data.lines).toEqual(answered);
  });

  it('has them in its events, and in the list', async () => {
    const who = await service.integrator({ currency: 'EUR' });
    const events = await eventsDuring(service, who, () =>
      who.rest('POST', '/receipts', { ...day, lines, status: 'booked' }),
    );
    expect(events.map(({ type, body }) => [type, body.data.receipt.lines])).toEqual([
      ['receipt.created', answered],
      ['receipt.booked', answered],
    ]);
    expect((await who.rest('GET', '/receipts')).body.data[0].lines).toEqual(answered);
  });

  it.each([
    [{ lines: [] }, { lines: 'wrong_count' }],
    [{ lines: Array.from({ length: maxLines + 1 }, () => ({ amount_gross: 1 })) }, { lines: 'wrong_count' }],
    [{ lines: [{}] }, { 'lines.0.amount_gross': 'required' }],
    [{ lines: [null] }, { 'lines.0': 'not_nullable' }],
    [{ lines: 'x' }, { lines: 'wrong_type' }],
    [{ lines: [{ amount_gross: 1, title: 'x' }] }, { 'lines.0.title': 'unknown_field' }],
    [{ lines: [{ amount_gross: -1 }] }, { lines: 'out_of_range' }],
    [{ lines: [{ amount_net: 1 }, { amount_gross: -1.01 }] }, { lines: 'out_of_range' }],
    [{ lines: [{ amount_net: 2 }, { amount_net: -1, amount_gross: 1 }] }, { 'lines.1.vat_amount': 'inconsistent' }],
    [{ lines: [{ amount_gross: 1, vat_rate: 19, vat_amount: -1 }] }, { 'lines.0.vat_amount': 'inconsistent' }],
    [{ lines: [{ amount_gross: 1.001 }] }, { 'lines.0.amount_gross': 'too_many_decimals' }],
    [
      { lines: [{ amount_gross: 1 }, { amount_net: 1.5 }], currency: 'JPY' },
      { 'lines.1.amount_net': 'too_many_decimals' },
    ],
    [{ lines: [{ amount_gross: 1, account: 'x'.repeat(65) }] }, { 'lines.0.account': 'too_long' }],
    [{ lines: [{ amount_gross: 1, description: 'x'.repeat(2001) }] }, { 'lines.0.description': 'too_long' }],
    [{ lines: [{ amount_gross: 1, vat_category: 'X' }] }, { 'lines.0.vat_category': 'unknown_value' }],
    [{ lines: [{ amount_gross: 1, vat_category: 'S' }] }, { 'lines.0.vat_category': 'inconsistent' }],
    [
      { lines: [{ amount_gross: 1, vat_category: 'Z', vat_rate: 7, vat_amount: 0 }] },
      { 'lines.0.vat_category': 'inconsistent' },
    ],
    [{ lines: [{ amount_gross: 1, vat_rate: 100.01 }] }, { 'lines.0.vat_rate': 'out_of_range' }],
    [{ lines: [{ amount_gross: 1, deductible_percent: 100.5 }] }, { 'lines.0.deductible_percent': 'out_of_range' }],
    [{ lines: [{ amount_gross: 1, deductible_percent: -1 }] }, { 'lines.0.deductible_percent': 'out_of_range' }],
    [
      { lines: [{ amount_gross: 1, vat_category: 'AE', vat_rate: 19, vat_amount: 0.1 }] },
      { 'lines.0.vat_amount': 'inconsistent' },
    ],
    [{ lines: [{ amount_gross: 1, vat_category: 'E', vat_amount: 0.1 }] }, { 'lines.0.vat_amount': 'inconsistent' }],
    [{ lines: [{ amount_net: 1, vat_category: 'IMPORT' }] }, { 'lines.0.amount_net': 'inconsistent' }],
    [{ lines: [{ amount_gross: 1, vat_rate: 19, vat_amount: 1.01 }] }, { 'lines.0.vat_amount': 'inconsistent' }],
    [
      { lines: [{ amount_net: 1, amount_gross: 2, vat_rate: 19, vat_amount: 0.5 }] },
      { 'lines.0.vat_amount': 'inconsistent' },
    ],
    [{ lines: [{ amount_gross: 1 }, { amount_gross: 2 }], amount_gross: 3.01 }, { amount_gross: 'inconsistent' }],
    [{ lines: [{ amount_gross: 1 }, { amount_gross: 2 }], vat_rate: 0 }, { vat_rate: 'inconsistent' }],
    [{ lines: [{ amount_gross: 1 }], vat_rate: 7 }, { vat_rate: 'inconsistent' }],
    [
      { lines: [{ amount_gross: 9999999999999.99 }, { amount_gross: 9999999999999.99 }] },
      { lines: 'total_out_of_range' },
    ],
    [{ lines: [{ amount_net: 9999999999999.99, vat_rate: 19 }] }, { 'lines.0': 'total_out_of_range' }],
    [{ amount_gross: 1, amount_prepaid: 1.01 }, { amount_prepaid: 'out_of_range' }],
    [{ amount_gross: 1, amount_prepaid: -0.01 }, { amount_prepaid: 'out_of_range' }],
    [{ amount_gross: 1, amount_prepaid: 0.001 }, { amount_prepaid: 'too_many_decimals' }],
    [{ amount_gross: 1, service_date: '2026-02-30' }, { service_date: 'invalid_format' }],
  ])('%j is refused', async (body, expected) => {
    expect(codes(await post(body))).toEqual(expected);
  });

  it('takes as many lines as the limit, and their sum as its amount', async () => {
    const many = Array.from({ length: maxLines }, () => ({ amount_gross: 0.03, vat_rate: 20 }));
    const { status, body } = await post({ lines: many, amount_gross: (maxLines * 3) / 100 });
    expect([status, body.data.lines.length, body.warnings]).toEqual([201, maxLines, []]);
  });

  it('takes back a part of the others, as a discount does', async () => {
    const who = await service.integrator({ country: 'DE', currency: 'EUR' });
    const { id } = await sample.create(who, '/receipts', {
      ...day,
      status: 'booked',
      lines: [
        { amount_net: 100, vat_rate: 19 },
        { amount_net: 50, vat_rate: 7 },
        { amount_net: -10, vat_rate: 19, description: '10 % off', account: '4980' },
      ],
    });
    const vat = async (): Promise<unknown> =>
      (await who.rest('GET', '/reports/vat?from=2026-03-01&to=2026-03-31')).body.data.rows;
    expect(await vat()).toMatchObject([
      { kind: 'input', vat_rate: 19, net: 90, vat: 17.1 },
      { kind: 'input', vat_rate: 7, net: 50, vat: 3.5 },
    ]);
    const { body } = await who.rest('POST', `/receipts/${id}/payments`, { paid_on: '2026-03-31', amount: 60.6 });
    expect(body.data).toMatchObject({
      amount_gross: 160.6,
      amount_payable: 160.6,
      amount_paid: 60.6,
      status: 'booked',
    });
    const reversal = (await who.rest('GET', '/payments')).body.data[0].id;
    await who.rest('POST', `/payments/${reversal}/reverse`);
    expect((await who.rest('POST', `/receipts/${id}/reverse`)).status).toBe(200);
    expect((await verify(service, who)).all).toEqual([]);
  });

  it('of another tenant can not be read', async () => {
    const { id } = await sample.create(acme, '/receipts', { ...day, lines });
    const globex = await service.integrator();
    expect((await globex.rest('GET', `/receipts/${id}`)).status).toBe(404);
    expect(await globex.db.receiptLine.count()).toBe(0);
    const values = [service.url && id];
    expect(
      await globex.db.$rows('select id from receipt_lines where tenant_id = $1 and receipt_id = $2::uuid', values),
    ).toEqual([]);
  });
});

const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });
const digitsOf: Record<string, number> = { EUR: 2, JPY: 0, TND: 3 };

it('the amounts of any lines are exact, and add up to those of the receipt', async () => {
  const line = fc.record({
    units: fc.integer({ min: -2_000_000, max: 10_000_000 }),
    rate: fc.constantFrom('0', '5.5', '7', '19', '20', '100'),
    isNet: fc.boolean(),
    category: fc.constantFrom(null, null, 'AE', 'K', 'IMPORT'),
  });
  const receipts = fc.tuple(fc.constantFrom('EUR', 'JPY', 'TND'), fc.array(line, { minLength: 1, maxLength: 8 }));
  await fc.assert(
    fc.asyncProperty(receipts, async ([currency, lines]) => {
      const digits = digitsOf[currency] ?? 2;
      const expected = lines.map(({ units, rate, isNet, category }) => {
        const amount = new Exact(units).dividedBy(new Exact(10).pow(digits));
        if (category === 'IMPORT') return { net: new Exact(0), vat: amount, gross: amount };
        if (category) return { net: amount, vat: new Exact(0), gross: amount };
        const vat = amount
          .times(rate)
          .dividedBy(isNet ? 100 : new Exact(100).plus(rate))
          .toDecimalPlaces(digits);
        return isNet ? { net: amount, vat, gross: amount.plus(vat) } : { net: amount.minus(vat), vat, gross: amount };
      });
      const body = lines.map(({ rate, isNet, category }, index) => ({
        vat_rate: rate,
        ...(category && { vat_category: category }),
        ...(isNet && category !== 'IMPORT'
          ? { amount_net: expected[index]?.net.toFixed() }
          : { amount_gross: expected[index]?.gross.toFixed() }),
      }));
      if (Exact.sum(0, ...expected.map(({ gross }) => gross)).lessThan(0)) {
        expect(codes(await post({ currency, lines: body }))).toEqual({ lines: 'out_of_range' });
        return;
      }
      const data = await sample.create(acme, '/receipts', { ...day, currency, lines: body });
      const amounts = data.lines.map((each: Record<string, number>) => [
        each['amount_net'],
        each['vat_amount'],
        each['amount_gross'],
      ]);
      expect(amounts).toEqual(
        expected.map(({ net, vat, gross }) => [net, vat, gross].map((amount) => amount.toNumber() + 0)),
      );
      const sum = (name: 'net' | 'vat' | 'gross') => Exact.sum(0, ...expected.map((each) => each[name])).toNumber();
      expect([data.amount_net, data.amount_gross]).toEqual([sum('net'), sum('gross')]);
      expect(data.vat_amount).toBe(lines.length === 1 ? sum('vat') : null);
    }),
    { numRuns: 40 },
  );
});

describe('a warning', () => {
  it('of VAT that is not that of the amounts, by more than one minor unit', async () => {
    const of = async (...lines: object[]) =>
      (await post({ lines })).body.warnings.map(({ code, field }: { code: string; field: string }) => [code, field]);
    expect(await of({ amount_net: 100, vat_rate: 19, vat_amount: 19.01 })).toEqual([]);
    expect(await of({ amount_net: 100, vat_rate: 19, vat_amount: 18.99 })).toEqual([]);
    expect(await of({ amount_net: 100, vat_rate: 19, vat_amount: 19.02 })).toEqual([
      ['vat_amount', 'lines.0.vat_amount'],
    ]);
    const part = { amount_net: 1.03, vat_rate: 5 };
    // Their sum makes 0.1545, each by itself 0.05.
    expect(
      await of({ ...part, vat_amount: 0.05 }, { ...part, vat_amount: 0.05 }, { ...part, vat_amount: 0.06 }),
    ).toEqual([]);
    const seven = { amount_gross: 10.7, vat_rate: 7, vat_amount: 0.5 };
    expect(await of({ amount_gross: 1 }, seven)).toEqual([['vat_amount', 'lines.1.vat_amount']]);
  });

  it('of a receipt that is there already, by supplier, number, and gross amount', async () => {
    const supplier_id = await makeCustomer(acme, { type: 'SUPPLIER' });
    const again = async (fields: object) =>
      (await post({ supplier_id, receipt_number: 'D-1', amount_gross: 10, ...fields })).body.warnings.map(
        ({ code }: { code: string }) => code,
      );
    expect(await again({})).toEqual([]);
    expect(await again({ amount_gross: 11 })).toEqual(['receipt_number']);
    expect(await again({ currency: 'USD' })).toEqual(['receipt_number']);
    expect(await again({})).toEqual(['receipt_number', 'receipt_duplicate']);
    const asked = async (more: string) =>
      (
        await acme.graphql(
          `query ($id: UUID!) { receiptNumberWarnings(supplierId: $id, receiptNumber: "D-1" ${more}) { code } }`,
          { id: supplier_id },
        )
      ).receiptNumberWarnings.map(({ code }: { code: string }) => code);
    expect(await asked('')).toEqual(['RECEIPT_NUMBER']);
    expect(await asked(', amountGross: "11"')).toEqual(['RECEIPT_NUMBER', 'RECEIPT_DUPLICATE']);
    expect(await asked(', amountGross: "11", currency: "CHF"')).toEqual(['RECEIPT_NUMBER']);
  });
});

const update = (who: Integrator, id: string, input: object) =>
  who.graphqlAnswer(
    `mutation ($id: UUID!, $input: UpdateReceiptInput!) { updateReceipt(id: $id, input: $input) {
      version amountGross amountNet vatRate vatAmount lines { position description vatCategory vatRate vatAmount amountGross } } }`,
    { id, input },
  );

describe('a draft', () => {
  const change = async (id: string, input: object) => {
    const answer = await update(acme, id, input);
    expect(answer.body.errors).toBeUndefined();
    return answer.body.data.updateReceipt;
  };
  const several = [{ amountGross: '119', vatRate: '19' }, { amountGross: '10' }];

  it('gets other lines, and its own fields follow', async () => {
    const id = await makeReceipt(acme);
    expect(await change(id, { lines: several })).toMatchObject({
      version: 2,
      amountGross: '129',
      amountNet: '110',
      vatRate: null,
      vatAmount: null,
      lines: [{ vatAmount: '19' }, { vatCategory: 'Z' }],
    });
    expect(await change(id, { lines: several })).toMatchObject({ version: 2 });
    const described = [{ ...several[0], description: 'x' }, several[1]];
    expect(await change(id, { lines: described })).toMatchObject({ version: 3, lines: [{ description: 'x' }, {}] });
    expect(await change(id, { lines: [several[0]] })).toMatchObject({
      version: 4,
      amountGross: '119',
      vatRate: '19',
      vatAmount: '19',
    });
    expect(await acme.db.receiptLine.count({ where: { receiptId: id } })).toBe(0);
  });

  it('of one line: the gross amount, the rate, and the currency change that line, and nothing else of it', async () => {
    const line = { amountGross: '119', vatRate: '19', vatAmount: '18', description: 'Paper' };
    const id = await makeReceipt(acme, { amountGross: undefined, vatRate: undefined, lines: [line] });
    expect(await change(id, { amountGross: '119', vatRate: '19' })).toMatchObject({ version: 1, vatAmount: '18' });
    expect(await change(id, { amountGross: '107', vatRate: '7' })).toMatchObject({
      amountNet: '100',
      vatRate: '7',
      lines: [{ description: 'Paper', vatAmount: '7', amountGross: '107' }],
    });
    expect(await change(id, { vatRate: '0' })).toMatchObject({ vatAmount: '0', lines: [{ vatCategory: 'Z' }] });
    const owed = { amountGross: '100', vatRate: '19', vatCategory: 'AE' };
    expect(await change(id, { lines: [owed] })).toMatchObject({ vatRate: '19', vatAmount: '0', amountNet: '100' });
    expect(await change(id, { amountGross: '200' })).toMatchObject({
      amountNet: '200',
      lines: [{ vatCategory: 'AE' }],
    });
  });

  it('of several lines: refuses a gross amount and a rate for all of them', async () => {
    const id = await makeReceipt(acme, { amountGross: undefined, vatRate: undefined, lines: several });
    const refused = graphqlRefusal(await update(acme, id, { amountGross: '1', vatRate: '7' }));
    const message = ['This receipt has several lines: change these.'];
    expect(refused.errors).toEqual({ 'input.amountGross': message, 'input.vatRate': message });
    expect(await change(id, { amountGross: '129', currency: 'JPY' })).toMatchObject({ amountGross: '129', version: 2 });
    const inCents = await makeReceipt(acme, {
      amountGross: undefined,
      vatRate: undefined,
      lines: [{ amountGross: '1.01' }, { amountGross: '0.99' }],
    });
    expect(graphqlRefusal(await update(acme, inCents, { currency: 'JPY' })).errors).toHaveProperty('input.currency');
  });

  it('keeps what was prepaid within its amount', async () => {
    const id = await makeReceipt(acme, { amountPrepaid: '100' });
    expect(graphqlRefusal(await update(acme, id, { amountGross: '99' })).errors).toHaveProperty('input.amountPrepaid');
    expect(await change(id, { amountGross: '99', amountPrepaid: '99' })).toMatchObject({ amountGross: '99' });
  });

  it('is changed by one of many at a time, so that its lines are of one of them', async () => {
    const id = await makeReceipt(acme);
    const texts = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(
      texts.map((text) =>
        update(acme, id, { lines: several.map((line) => ({ ...line, description: text, amountGross: '10' })) }),
      ),
    );
    expect(answers.every(({ body }) => body.errors === undefined)).toBe(true);
    const { lines } = (await acme.rest('GET', `/receipts/${id}`)).body.data;
    expect(new Set(lines.map(({ description }: { description: string }) => description)).size).toBe(1);
    expect(lines).toHaveLength(2);
  });

  it('is deleted with its lines', async () => {
    const id = await makeReceipt(acme, { amountGross: undefined, vatRate: undefined, lines: several });
    expect((await acme.rest('DELETE', `/receipts/${id}`)).status).toBe(204);
    expect(await acme.db.receiptLine.count({ where: { receiptId: id } })).toBe(0);
  });

  it('that changes in its lines alone is a change of the feed and of the audit log', async () => {
    const who = await service.integrator();
    const id = await makeReceipt(who, { lines: several, amountGross: undefined, vatRate: undefined });
    const { meta } = (await who.rest('GET', '/changes?since=now')).body;
    const events = await eventsDuring(service, who, () =>
      update(who, id, { lines: [several[0], { ...several[1], account: '1' }] }),
    );
    expect(events.map(({ type, body }) => [type, body.data.receipt.lines[1].account])).toEqual([
      ['receipt.updated', '1'],
    ]);
    const changes = (await who.rest('GET', `/changes?since=${meta.cursor}`)).body.data;
    expect(changes).toMatchObject([{ resource: 'receipt', id, deleted: false }]);
    const [entry] = (await who.rest('GET', '/audit-log?resource=receipt_lines')).body.data;
    expect(entry).toMatchObject({ resource_id: id, action: 'updated', before: { lines: [{}, {}] } });
    expect(entry.after.lines[1]).toMatchObject({ position: 2, account: '1' });
  });
});

describe('a booked receipt', () => {
  it('has the lines that it had, also in SQL as the service’s role', async () => {
    const line = { amount_gross: 10, vat_rate: 19, account: '1' };
    const { id } = await sample.create(acme, '/receipts', { ...day, lines: [line, line], status: 'booked' });
    const other = await makeReceipt(acme, {
      lines: [{ amountGross: '5', account: '2' }],
      amountGross: undefined,
      vatRate: undefined,
    });
    const before = await acme.db.receiptLine.findMany({ where: { receiptId: id }, orderBy: { position: 'asc' } });
    for (const statement of [
      `update receipt_lines set amount_net = 1, vat_amount = 9 where tenant_id = $1 and receipt_id = $2::uuid`,
      `update receipt_lines set account = '2' where tenant_id = $1 and receipt_id = $2::uuid`,
      `update receipt_lines set receipt_id = '${other}', position = position + 5 where tenant_id = $1 and receipt_id = $2::uuid`,
      `delete from receipt_lines where tenant_id = $1 and receipt_id = $2::uuid and position = 2`,
      `insert into receipt_lines (tenant_id, id, receipt_id, position, vat_category, vat_rate, amount_net, vat_amount, amount_gross)
       select tenant_id, gen_random_uuid(), id, 3, 'Z', 0, 1, 0, 1 from receipts where tenant_id = $1 and id = $2::uuid`,
    ])
      await expect(acme.db.$rows(statement, [id])).rejects.toThrow('is booked');
    const move = `update receipt_lines set receipt_id = '${id}', position = 9 where tenant_id = $1 and receipt_id = $2::uuid`;
    await expect(acme.db.$rows(move, [other])).rejects.toThrow('is booked');
    for (const column of [`amount_prepaid = 1`, `service_date = '2026-01-01'`, `received_on = '2026-01-01'`])
      await expect(
        acme.db.$rows(`update receipts set ${column} where tenant_id = $1 and id = $2::uuid`, [id]),
      ).rejects.toThrow('is booked');
    expect(await acme.db.receiptLine.findMany({ where: { receiptId: id }, orderBy: { position: 'asc' } })).toEqual(
      before,
    );
    expect(graphqlRefusal(await update(acme, id, { lines: [{ amountGross: '20' }] })).errors).toHaveProperty('status');
  });

  it('without rows of its own gets none', async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED' });
    const insert = `insert into receipt_lines (tenant_id, id, receipt_id, position, vat_category, vat_rate, amount_net, vat_amount, amount_gross)
       select tenant_id, gen_random_uuid(), id, 1, 'Z', 0, 119, 0, 119 from receipts where tenant_id = $1 and id = $2::uuid`;
    await expect(acme.db.$rows(insert, [id])).rejects.toThrow('is booked');
  });

  it('is reversed by one with the opposite lines', async () => {
    const line = { amount_gross: 10, vat_rate: 19, account: '1' };
    const { id } = await sample.create(acme, '/receipts', {
      ...day,
      lines: [line, { ...line, vat_category: 'AE' }],
      amount_prepaid: 5,
      status: 'booked',
      service_date: '2026-02-01',
    });
    expect((await acme.rest('POST', `/receipts/${id}/reverse`)).status).toBe(200);
    const { receipt } = await acme.graphql(
      `query ($id: UUID!) { receipt(id: $id) { reversal { amountGross amountPrepaid amountPayable vatRate serviceDate
        lines { vatCategory vatAmount amountNet account } } } }`,
      { id },
    );
    expect(receipt.reversal).toEqual({
      amountGross: '-20',
      amountPrepaid: '-5',
      amountPayable: '-15',
      vatRate: null,
      serviceDate: '2026-02-01',
      lines: [
        { vatCategory: 'S', vatAmount: '-1.6', amountNet: '-8.4', account: '1' },
        { vatCategory: 'AE', vatAmount: '0', amountNet: '-10', account: '1' },
      ],
    });
  });

  it('is paid up to what was not prepaid', async () => {
    const { id } = await sample.create(acme, '/receipts', {
      ...day,
      amount_gross: 100,
      amount_prepaid: 30,
      status: 'booked',
    });
    expect(codes(await acme.rest('POST', `/receipts/${id}/payments`, { amount: 70.01 }))).toEqual({
      amount: 'exceeds_left',
    });
    const open = (await acme.rest('GET', '/reports/open-items?at=2026-12-31&side=payable&limit=1000')).body.data.items;
    expect(open.find((item: { id: string }) => item.id === id)).toMatchObject({ gross: 100, paid: 30, open: 70 });
    const { data } = (await acme.rest('POST', `/receipts/${id}/payments`)).body;
    expect(data).toMatchObject({ status: 'paid', amount_payable: 70, amount_gross: 100 });
    expect((await acme.db.payment.findFirstOrThrow({ where: { receiptId: id } })).amount.toFixed()).toBe('70');
  });
});
