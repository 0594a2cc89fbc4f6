import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { create, exactData, invoiceBody, receiptBody, computeSums, type JsonLine } from './exact.ts';

let service: Service;
let acme: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  ({ id: customerId } = await acme.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'x' } }));
});
afterAll(() => service.close());

const post = (currency: string, lines: JsonLine[]) =>
  acme.rest('POST', '/invoices', invoiceBody(customerId, currency, lines));

describe('every decimal has at most 15 significant digits', () => {
  it.each([
    '999999999999999',
    '-999999999999999',
    '99999999999.9999',
    '12345678901.2345',
    '90071992547409.9', // beyond 2^53 in tenths
    '0.0001',
    '123456789012345.000000', // trailing zeros don't count
    '12345678901234500e-2',
    '0.000000000000001e15',
  ])('%s is accepted', async (number) => {
    // × 0 and × 0.0001, so that only the numbers reach a limit, not their products.
    const text = await create(
      acme,
      '/invoices',
      invoiceBody(customerId, 'EUR', [
        [number, '0', '0'],
        [`"${number}"`, '0', '0'],
        ['0.0001', number, '0'],
        ['-0.0001', `"${number}"`, '0'],
      ]),
    );
    const { items } = exactData(text);
    const expected = {
      '123456789012345.000000': '123456789012345',
      '12345678901234500e-2': '123456789012345',
      '0.000000000000001e15': '1',
    };
    const shortest = expected[number as keyof typeof expected] ?? number;
    expect([items[0].quantity, items[1].quantity, items[2].unit_price_net, items[3].unit_price_net]).toEqual(
      Array(4).fill(shortest),
    );
  });

  it.each([
    '1000000000000000',
    '-9999999999999999',
    '9007199254740993', // 2^53 + 1, no binary fraction
    '90071992547409.93',
    '100000000000.0001',
    '1e15',
    '1e400', // infinite in binary
    '0.30000000000000001', // 0.3 in binary
    '1.0000000000000001', // 1 in binary
    '1e-400', // 0 in binary
    '0.00001',
  ])('answers 422 to %s, and names its field', async (number) => {
    const { status, body } = await post('EUR', [
      [number, '0', '0'],
      ['1', '0', '0'],
      ['1', number, '0'],
      ['1', `"${number}"`, '0'],
    ]);
    expect(status).toBe(422);
    expect(Object.keys(body.errors).filter((name) => name !== 'items')).toEqual([
      'items.0.quantity',
      'items.2.unit_price_net',
      'items.3.unit_price_net',
    ]);
  });

  it('a receipt’s amount has the same limit', async () => {
    for (const [currency, most, over] of [
      ['JPY', '999999999999999', '1000000000000000'],
      ['EUR', '9999999999999.99', '10000000000000.01'],
      ['EUR', '90071992547409.9', '90071992547409.93'],
      ['KWD', '999999999999.999', '1000000000000.001'],
      ['UYW', '99999999999.9999', '100000000000.0001'],
    ] as const) {
      const data = exactData(await create(acme, '/receipts', receiptBody(currency, most)));
      expect([data.amount_gross, data.amount_net, data.vat_amount]).toEqual([most, most, '0']);
      const { status, body } = await acme.rest('POST', '/receipts', receiptBody(currency, over));
      expect({ status, errors: body.errors }).toEqual({
        status: 422,
        errors: { amount_gross: ['Must not have more than 15 digits.'] },
      });
    }
  });

  it.each(['"1,5"', '"0x10"', '""', '"NaN"', '"Infinity"', '"1e"', '"--1"', '"1 000"', '"1.2.3"', 'true', '[1]', '{}'])(
    'answers 422 to %s, which is not a number',
    async (value) => {
      const { status, body } = await post('EUR', [[value, value, value]]);
      expect(status).toBe(422);
      expect(Object.keys(body.errors)).toEqual(['items.0.quantity', 'items.0.unit_price_net', 'items.0.vat_rate']);
    },
  );
});

describe('answers 422 to more than 15 significant digits', () => {
  const line = "The line's total is too large.";
  const total = "The invoice's total is too large.";

  it.each<[string, string, JsonLine[], Record<string, string[]>]>([
    // Lines of 9e14 × 2 = 1.8e15 and −1.8e15: all totals are zero
    [
      'in a line’s total',
      'JPY',
      [
        ['2', '9e14', '0'],
        ['-2', '9e14', '0'],
      ],
      { 'items.0': [line], 'items.1': [line] },
    ],
    // 3 × 6e14 = 1.8e15 at 0 % less 5e14 at 100 %: net 1.3e15; VAT −5e14; gross 8e14; and 1.8e15 at 0 %
    [
      'in the net total',
      'JPY',
      [
        ['1', '6e14', '0'],
        ['1', '6e14', '0'],
        ['1', '6e14', '0'],
        ['-1', '5e14', '100'],
      ],
      { items: [total] },
    ],
    // net 1.2e15 − 1.8e15 = −6e14; VAT 1.2e15; gross 6e14
    [
      'in the VAT total',
      'JPY',
      [
        ['1', '6e14', '100'],
        ['1', '6e14', '100'],
        ['-1', '9e14', '0'],
        ['-1', '9e14', '0'],
      ],
      { items: [total] },
    ],
    // 9e14 + 19 % = 1.071e15
    ['in the gross total', 'JPY', [['1', '9e14', '19']], { items: [total] }],
    // 1.8e15 at 19 % and −1.5e15 at 0 %: net 3e14; VAT 3.42e14; gross 6.42e14. The breakdown has two amounts of 16 digits
    [
      'in vat_breakdown',
      'JPY',
      [
        ['1', '9e14', '19'],
        ['1', '9e14', '19'],
        ['-1', '9e14', '0'],
        ['-1', '6e14', '0'],
      ],
      { items: [total] },
    ],
    // 9999999999999.99 + 0.01 = 10000000000000 has 14 digits; + 0.02 = 10000000000000.01 has 16 digits
    [
      'in a total with cents',
      'EUR',
      [
        ['1', '9999999999999.99', '0'],
        ['1', '0.02', '0'],
      ],
      { items: [total] },
    ],
  ])('%s', async (_what, currency, lines, errors) => {
    const { status, body } = await post(currency, lines);
    expect({ status, errors: body.errors }).toEqual({ status: 422, errors });
  });

  it.each<[string, JsonLine[], string]>([
    ['JPY', [['1', '999999999999999', '0']], '999999999999999'],
    // 840336134453781 + 19 % (159663865546218.39 → 159663865546218) = 999999999999999
    ['JPY', [['1', '840336134453781', '19']], '999999999999999'],
    ['EUR', [['1', '9999999999999.99', '0']], '9999999999999.99'],
    [
      'EUR',
      [
        ['1', '9999999999999.99', '0'],
        ['1', '0.01', '0'],
      ],
      '10000000000000',
    ],
    ['EUR', [['10', '99999999999.9999', '0']], '1000000000000'],
    ['KWD', [['10', '99999999999.9999', '0']], '999999999999.999'],
    ['CLF', [['1', '99999999999.9999', '0']], '99999999999.9999'],
  ])('a total of 15 digits is accepted: %s %j', async (currency, lines, gross) => {
    expect(computeSums(await create(acme, '/invoices', invoiceBody(customerId, currency, lines))).gross).toBe(gross);
  });
});

describe('answers 422 to a negative total', () => {
  it.each<[string, JsonLine[]]>([
    ['of a single line', [['-1', '0.01', '0']]],
    [
      'of a discount larger than the other lines',
      [
        ['1', '100', '19'],
        ['-1', '100.01', '19'],
      ],
    ],
    // net 0; VAT 7 − 19 = −12
    [
      'that is negative by its VAT only',
      [
        ['1', '100', '7'],
        ['-1', '100', '19'],
      ],
    ],
  ])('%s', async (_what, lines) => {
    const { status, body } = await post('EUR', lines);
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { items: ["The invoice's total must not be negative."] },
    });
  });

  it('a negative amount that rounds to zero is accepted as zero', async () => {
    const text = await create(acme, '/invoices', invoiceBody(customerId, 'EUR', [['-0.1', '0.04', '19']]));
    expect(computeSums(text)).toEqual({ lines: ['0'], net: '0', vat: '0', gross: '0', breakdown: [['19', '0', '0']] });
    expect(text).not.toContain('-0,');
  });

  it('answers 422 to a receipt’s negative amount, and accepts -0 as 0', async () => {
    const { status, body } = await acme.rest('POST', '/receipts', receiptBody('EUR', '-0.01'));
    expect({ status, errors: body.errors }).toEqual({ status: 422, errors: { amount_gross: ['Must be at least 0.'] } });
    const text = await create(acme, '/receipts', receiptBody('EUR', '-0.00', '-0'));
    expect(text).toContain('"amount_gross":0,"vat_rate":0,"vat_amount":0,"amount_net":0,');
  });
});
