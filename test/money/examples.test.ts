import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { create, exactData, invoiceBody, receiptBody, computeSums, type JsonLine, type Sums } from './exact.ts';

// Totals calculated by hand. Numbers are compared as text.

let service: Service;
let acme: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  ({ id: customerId } = await acme.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'x' } }));
});
afterAll(() => service.close());

interface Example {
  rule: string;
  currency: string;
  lines: JsonLine[];
  sums: Sums;
}

const examples: Example[] = [
  {
    // 10 × 100 = 1000; 19 % of it 190
    rule: 'a whole amount has no decimals: 1190, not 1190.00',
    currency: 'EUR',
    lines: [['10', '100', '19']],
    sums: { lines: ['1000'], net: '1000', vat: '190', gross: '1190', breakdown: [['19', '1000', '190']] },
  },
  {
    // 19 % of 0.03 + 0.03 + 0.03 = 0.09 is 0.0171, rounded 0.02. Per line: 0.0057 rounded 0.01, three times: 0.03.
    rule: 'VAT is computed once per rate over the sum of that rate’s lines, not per line',
    currency: 'EUR',
    lines: [
      ['1', '0.03', '19'],
      ['1', '0.03', '19'],
      ['1', '0.03', '19'],
    ],
    sums: {
      lines: ['0.03', '0.03', '0.03'],
      net: '0.09',
      vat: '0.02',
      gross: '0.11',
      breakdown: [['19', '0.09', '0.02']],
    },
  },
  {
    // 7 % of 0.07 = 0.0049 and 5 % of 0.07 = 0.0035: both 0.00. Over all 0.14 at, say, 7 % it would be 0.0098 → 0.01.
    rule: 'each rate’s VAT is rounded separately',
    currency: 'EUR',
    lines: [
      ['1', '0.07', '7'],
      ['1', '0.07', '5'],
    ],
    sums: {
      lines: ['0.07', '0.07'],
      net: '0.14',
      vat: '0',
      gross: '0.14',
      breakdown: [
        ['5', '0.07', '0'],
        ['7', '0.07', '0'],
      ],
    },
  },
  {
    // 1 × 0.005 → 0.01; 1 × 0.0049 → 0.00; 2.5 × 0.05 = 0.125 → 0.13 (banker's rounding: 0.12); −1 × 0.005 → −0.01 (half
    // up: 0.00); −2.5 × 0.05 = −0.125 → −0.13. Sum 0; 1 × 10 = 10 makes it 10.
    rule: 'lines are rounded half away from zero, also negative ones',
    currency: 'EUR',
    lines: [
      ['1', '0.005', '0'],
      ['1', '0.0049', '0'],
      ['2.5', '0.05', '0'],
      ['-1', '0.005', '0'],
      ['-2.5', '0.05', '0'],
      ['1', '10', '0'],
    ],
    sums: {
      lines: ['0.01', '0', '0.13', '-0.01', '-0.13', '10'],
      net: '10',
      vat: '0',
      gross: '10',
      breakdown: [['0', '10', '0']],
    },
  },
  {
    // 7 % of 10 = 0.70; 19 % of −0.50 = −0.095 → −0.10. Net 9.50; VAT 0.60.
    rule: 'VAT is rounded half away from zero, also negative VAT',
    currency: 'EUR',
    lines: [
      ['1', '10', '7'],
      ['-1', '0.5', '19'],
    ],
    sums: {
      lines: ['10', '-0.5'],
      net: '9.5',
      vat: '0.6',
      gross: '10.1',
      breakdown: [
        ['7', '10', '0.7'],
        ['19', '-0.5', '-0.1'],
      ],
    },
  },
  {
    // 1.005 as a binary fraction is a little less, 1.00499…: it would be rounded to 1.00. 3 × 1.1 = 3.3 (binary
    // 3.3000000000000003); 0.1 + 0.2 = 0.3 (binary 0.30000000000000004). Net 1.01 + 3.30 + 0.10 + 0.20 = 4.61.
    rule: 'arithmetic is decimal, never binary floating point',
    currency: 'EUR',
    lines: [
      ['1', '1.005', '0'],
      ['3', '1.1', '0'],
      ['1', '0.1', '0'],
      ['1', '0.2', '0'],
    ],
    sums: {
      lines: ['1.01', '3.3', '0.1', '0.2'],
      net: '4.61',
      vat: '0',
      gross: '4.61',
      breakdown: [['0', '4.61', '0']],
    },
  },
  {
    // 0 %: 100. 7 %: 50 → 3.50. 19 %: 10 + 20 + 30 = 60 → 11.40. Net 210; VAT 14.90.
    rule: 'the VAT breakdown has each rate once, in ascending order; 19 and 19.00 are one rate',
    currency: 'EUR',
    lines: [
      ['1', '10', '19'],
      ['1', '100', '0'],
      ['1', '20', '19.00'],
      ['1', '50', '7'],
      ['1', '30', '"19.0"'],
    ],
    sums: {
      lines: ['10', '100', '20', '50', '30'],
      net: '210',
      vat: '14.9',
      gross: '224.9',
      breakdown: [
        ['0', '100', '0'],
        ['7', '50', '3.5'],
        ['19', '60', '11.4'],
      ],
    },
  },
  {
    // 10 × 20 = 200 less 15 less 10 % of 200 = 165; 19 % = 31.35
    rule: 'a line with a negative quantity or price is a discount',
    currency: 'EUR',
    lines: [
      ['10', '20', '19'],
      ['-1', '15', '19'],
      ['0.1', '-200', '19'],
    ],
    sums: {
      lines: ['200', '-15', '-20'],
      net: '165',
      vat: '31.35',
      gross: '196.35',
      breakdown: [['19', '165', '31.35']],
    },
  },
  {
    // 100 − 100 at the same rate
    rule: 'a total of zero is accepted',
    currency: 'EUR',
    lines: [
      ['1', '100', '19'],
      ['-1', '100', '19'],
    ],
    sums: { lines: ['100', '-100'], net: '0', vat: '0', gross: '0', breakdown: [['19', '0', '0']] },
  },
  {
    // Net 100 − 107 = −7; VAT 19 % of 100 = 19; gross 12. Only the gross total must not be negative.
    rule: 'the net total may be negative if the gross total is not',
    currency: 'EUR',
    lines: [
      ['1', '100', '19'],
      ['-1', '107', '0'],
    ],
    sums: {
      lines: ['100', '-107'],
      net: '-7',
      vat: '19',
      gross: '12',
      breakdown: [
        ['0', '-107', '0'],
        ['19', '100', '19'],
      ],
    },
  },
  {
    // 5.5 % of 100 = 5.50; 8.25 % of 100 = 8.25; 0.01 % of 100 = 0.01; 100 % of 100 = 100
    rule: 'rates with two decimals and of 100 per cent are accepted',
    currency: 'EUR',
    lines: [
      ['1', '100', '5.5'],
      ['1', '100', '8.25'],
      ['1', '100', '0.01'],
      ['1', '100', '100'],
    ],
    sums: {
      lines: ['100', '100', '100', '100'],
      net: '400',
      vat: '113.76',
      gross: '513.76',
      breakdown: [
        ['0.01', '100', '0.01'],
        ['5.5', '100', '5.5'],
        ['8.25', '100', '8.25'],
        ['100', '100', '100'],
      ],
    },
  },
  {
    // 3 × 333.3333 = 999.9999 → 1000; 1 × 0.5 → 1; 1 × 0.4999 → 0; −3 × 0.5 = −1.5 → −2. Net 999; 10 % = 99.9 → 100.
    rule: 'JPY has no minor digits',
    currency: 'JPY',
    lines: [
      ['3', '333.3333', '10'],
      ['1', '0.5', '10'],
      ['1', '0.4999', '10'],
      ['-3', '0.5', '10'],
    ],
    sums: { lines: ['1000', '1', '0', '-2'], net: '999', vat: '100', gross: '1099', breakdown: [['10', '999', '100']] },
  },
  {
    // 1.5 × 0.333 = 0.4995 → 0.500; 19 % of 0.5 = 0.095
    rule: 'TND has three minor digits',
    currency: 'TND',
    lines: [['1.5', '0.333', '19']],
    sums: { lines: ['0.5'], net: '0.5', vat: '0.095', gross: '0.595', breakdown: [['19', '0.5', '0.095']] },
  },
  {
    // 3 × 1.2345 = 3.7035 → 3.704; 5 % = 0.1852 → 0.185
    rule: 'KWD has three minor digits',
    currency: 'KWD',
    lines: [['3', '1.2345', '5']],
    sums: { lines: ['3.704'], net: '3.704', vat: '0.185', gross: '3.889', breakdown: [['5', '3.704', '0.185']] },
  },
  {
    // 1 × 1234.567 → 1234.57; 27 % = 333.3339 → 333.33
    rule: 'HUF has two minor digits by ISO 4217 (Intl says none)',
    currency: 'HUF',
    lines: [['1', '1234.567', '27']],
    sums: {
      lines: ['1234.57'],
      net: '1234.57',
      vat: '333.33',
      gross: '1567.9',
      breakdown: [['27', '1234.57', '333.33']],
    },
  },
  {
    // 1 × 10.555 → 10.56; 19 % = 2.0064 → 2.01
    rule: 'COP has two minor digits by ISO 4217 (Intl says none)',
    currency: 'COP',
    lines: [['1', '10.555', '19']],
    sums: { lines: ['10.56'], net: '10.56', vat: '2.01', gross: '12.57', breakdown: [['19', '10.56', '2.01']] },
  },
  {
    // 1 × 0.0005 → 0.001; 7 × 0.1234 = 0.8638 → 0.864. Net 0.865; 15 % = 0.12975 → 0.130
    rule: 'IQD has three minor digits by ISO 4217 (Intl says none)',
    currency: 'IQD',
    lines: [
      ['1', '0.0005', '15'],
      ['7', '0.1234', '15'],
    ],
    sums: {
      lines: ['0.001', '0.864'],
      net: '0.865',
      vat: '0.13',
      gross: '0.995',
      breakdown: [['15', '0.865', '0.13']],
    },
  },
  {
    // 0.5 × 0.0001 = 0.00005 → 0.0001; 1 × 2.0001. Net 2.0002; 19 % = 0.380038 → 0.3800
    rule: 'CLF has four minor digits; small numbers are written without an exponent',
    currency: 'CLF',
    lines: [
      ['0.5', '0.0001', '19'],
      ['1', '2.0001', '19'],
    ],
    sums: {
      lines: ['0.0001', '2.0001'],
      net: '2.0002',
      vat: '0.38',
      gross: '2.3802',
      breakdown: [['19', '2.0002', '0.38']],
    },
  },
  {
    // 1 × 100000000000000 and 0.01 × 100 = 1
    rule: 'large numbers are written without an exponent',
    currency: 'JPY',
    lines: [
      ['1', '1e14', '0'],
      ['0.01', '1E+2', '0'],
    ],
    sums: {
      lines: ['100000000000000', '1'],
      net: '100000000000001',
      vat: '0',
      gross: '100000000000001',
      breakdown: [['0', '100000000000001', '0']],
    },
  },
];

describe('the totals of an invoice', () => {
  it.each(examples)('$rule', async ({ currency, lines, sums }) => {
    expect(computeSums(await create(acme, '/invoices', invoiceBody(customerId, currency, lines)))).toEqual(sums);
  });
});

it('decimals are answered as JSON numbers in their shortest form', async () => {
  const lines: JsonLine[] = [
    ['0.00010', '"100000000000000"', '19.00'],
    ['-0.5', '1000.50', '"0.00"'],
  ];
  const text = await create(acme, '/invoices', invoiceBody(customerId, 'EUR', lines));
  // 0.0001 × 100000000000000 = 10000000000; −0.5 × 1000.5 = −500.25
  expect(text).toContain(
    '"quantity":0.0001,"unit":null,"unit_price_net":100000000000000,"vat_rate":19,"line_total_net":10000000000}',
  );
  expect(text).toContain('"quantity":-0.5,"unit":null,"unit_price_net":1000.5,"vat_rate":0,"line_total_net":-500.25}');
  expect(text).toContain('"total_net":9999999499.75,"total_vat":1900000000,"total_gross":11899999499.75,');
  expect(text).toContain(
    '"vat_breakdown":[{"vat_rate":0,"net":-500.25,"vat":0},{"vat_rate":19,"net":10000000000,"vat":1900000000}],',
  );
  expect(text).toContain('"amount_paid":0,"amount_adjusted":0,"amount_due":11899999499.75,');
});

it('an invoice with a total of zero is paid as soon as it is issued', async () => {
  const lines: JsonLine[] = [
    ['1', '100', '19'],
    ['-2', '50', '19'],
  ];
  const issued = await create(acme, '/invoices', invoiceBody(customerId, 'EUR', lines, ',"status":"issued"'));
  expect(exactData(issued)).toMatchObject({ status: 'paid', total_gross: '0', amount_paid: '0', amount_due: '0' });
  const draft = await create(acme, '/invoices', invoiceBody(customerId, 'EUR', lines));
  expect(exactData(draft)).toMatchObject({ status: 'draft', total_gross: '0', amount_due: '0' });
});

it('a draft’s totals are recalculated from quantity and price when its currency changes', async () => {
  // 3 × 0.3333 = 0.9999: EUR 1.00, TND 1.000, JPY 1, CLF 0.9999. 19 %: 0.19, 0.190, 0, 0.189981 → 0.1900.
  const text = await create(acme, '/invoices', invoiceBody(customerId, 'JPY', [['3', '0.3333', '19']]));
  expect(computeSums(text)).toMatchObject({ net: '1', vat: '0', gross: '1' });
  const { updateInvoice } = await acme.graphql(
    `mutation ($id: UUID!) {
      updateInvoice(id: $id, input: { currency: "CLF" }) { totalNet totalVat totalGross items { lineTotalNet } }
    }`,
    { id: exactData(text).id },
  );
  expect(updateInvoice).toEqual({
    totalNet: '0.9999',
    totalVat: '0.19',
    totalGross: '1.1899',
    items: [{ lineTotalNet: '0.9999' }],
  });
});

describe('vat_amount of a receipt is gross × rate ÷ (100 + rate), rounded; amount_net is the difference', () => {
  it.each([
    ['EUR', '119', '19', '19', '100'], // 119 × 19 ÷ 119
    ['EUR', '100', '7', '6.54', '93.46'], // 700 ÷ 107 = 6.5420…
    ['EUR', '100', '19.00', '15.97', '84.03'], // 1900 ÷ 119 = 15.9663…
    ['EUR', '0.01', '19', '0', '0.01'], // 0.19 ÷ 119 = 0.0015…
    ['EUR', '0.01', '100', '0.01', '0'], // 0.01 ÷ 2 = 0.005, half away from zero
    ['EUR', '0.15', '25', '0.03', '0.12'], // 0.15 ÷ 5
    ['EUR', '107.00', '0', '0', '107'],
    ['EUR', '0', '19', '0', '0'],
    ['EUR', '1.19e2', '"19"', '19', '100'],
    ['JPY', '1000', '10', '91', '909'], // 10000 ÷ 110 = 90.909…
    ['JPY', '1.00', '100', '1', '0'], // 1 ÷ 2 = 0.5, half away from zero
    ['HUF', '1270.5', '27', '270.11', '1000.39'], // 34303.5 ÷ 127 = 270.1062…
    ['TND', '1.19', '19', '0.19', '1'],
    ['KWD', '0.001', '100', '0.001', '0'], // 0.0005, half away from zero
    ['IQD', '11.5', '15', '1.5', '10'], // 172.5 ÷ 115
    ['CLF', '0.0119', '19', '0.0019', '0.01'],
    ['EUR', '9999999999999.99', '100', '5000000000000', '4999999999999.99'], // 4999999999999.995
  ])('%s %s at %s per cent: %s and %s', async (currency, gross, rate, vat, net) => {
    const data = exactData(await create(acme, '/receipts', receiptBody(currency, gross, rate)));
    expect({ vat: data.vat_amount, net: data.amount_net }).toEqual({ vat, net });
  });

  it('a receipt without a rate has no VAT', async () => {
    const text = await create(acme, '/receipts', receiptBody('EUR', '100000.50'));
    expect(text).toContain('"amount_gross":100000.5,"vat_rate":0,"vat_amount":0,"amount_net":100000.5,');
  });
});
