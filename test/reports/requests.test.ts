import { afterAll, beforeAll, expect, it } from 'vitest';
import { item, makeCustomer, makeInvoice, makePayment, makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';

// Requests that the reports accept and refuse.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  const invoice = await makeInvoice(acme, { status: 'ISSUED', dueDate: '2026-03-15' });
  await makePayment(acme, invoice, '19');
  await makeReceipt(acme, { status: 'BOOKED' });
});
afterAll(() => service.close());

const reports = [
  '/reports/ec-sales?from=2026-01-01&to=2026-12-31',
  '/reports/ec-sales/documents?from=2026-01-01&to=2026-12-31&kind=goods&currency=EUR',
  '/reports/open-items?at=2026-12-31',
  '/reports/profit-and-loss?from=2026-01-01&to=2026-12-31',
  '/reports/profit-and-loss/documents?from=2026-01-01&to=2026-12-31&kind=revenue&currency=EUR',
  '/reports/vat?from=2026-01-01&to=2026-12-31',
  '/reports/vat/documents?from=2026-01-01&to=2026-12-31&kind=output&vat_category=S&vat_rate=19&currency=EUR',
];

it('VAT of a period has the boxes of the return', async () => {
  const { body } = await acme.rest('GET', '/reports/vat?from=2026-03-01&to=2026-03-31');
  expect(body.data).toEqual({
    from: '2026-03-01',
    to: '2026-03-31',
    basis: 'accrual',
    date_by: 'supply',
    rows: [
      {
        kind: 'output',
        vat_category: 'S',
        vat_rate: 19,
        currency: 'EUR',
        supplier_place: null,
        customer_place: null,
        net: 100,
        vat: 19,
        documents: 1,
        net_box: '81',
        vat_box: null,
      },
      {
        kind: 'input',
        vat_category: 'S',
        vat_rate: 19,
        currency: 'EUR',
        supplier_place: null,
        customer_place: null,
        net: 100,
        vat: 19,
        documents: 1,
        net_box: null,
        vat_box: '66',
      },
    ],
  });
});

it.each([
  ['DE', '66', [19, 16, 7.8, 7, 5.5, 5], [20, 10, 9, 21]],
  ['AT', '060', [20, 13, 10, 4.9], [19, 7, 5, 21]],
] as const)(
  'input VAT of another country has no box in %s, for it can’t be deducted there',
  async (country, box, own, foreign) => {
    const who = await service.integrator({ country });
    for (const vatRate of [...own, ...foreign])
      await makeReceipt(who, {
        status: 'BOOKED',
        receiptDate: '2026-08-01',
        amountGross: '100',
        vatRate: String(vatRate),
      });
    const { body } = await who.rest('GET', '/reports/vat?from=2026-08-01&to=2026-08-31');
    const boxes = new Map(body.data.rows.map(({ vat_rate, vat_box }: Record<string, unknown>) => [vat_rate, vat_box]));
    for (const rate of own) expect([rate, boxes.get(rate)]).toEqual([rate, box]);
    for (const rate of foreign) expect([rate, boxes.get(rate)]).toEqual([rate, null]);
  },
);

it('input VAT has its box at rates of other times, for as long as they are a country’s own', async () => {
  const boxesIn = async (country: string, year: number, vatRate: number) => {
    const who = await service.integrator({ country });
    await makeReceipt(who, {
      status: 'BOOKED',
      receiptDate: `${year}-08-01`,
      amountGross: '100',
      vatRate: String(vatRate),
    });
    const { body } = await who.rest('GET', `/reports/vat?from=${year}-08-01&to=${year}-08-31`);
    return body.data.rows.map(({ vat_box: box }: Record<string, unknown>) => box);
  };
  expect(await boxesIn('DE', 2023, 9)).toEqual(['66']);
  expect(await boxesIn('DE', 2022, 9)).toEqual([null]);
  expect(await boxesIn('AT', 2020, 5)).toEqual(['060']);
  expect(await boxesIn('AT', 2019, 5)).toEqual([null]);
});

it('VAT of another member state has no box in Germany, and German rates of other times have theirs', async () => {
  const who = await service.integrator({ country: 'DE' });
  const [german, austrian] = [await makeCustomer(who, { country: 'DE' }), await makeCustomer(who, { country: 'AT' })];
  for (const [customerId, vatRate] of [
    [austrian, '20'],
    [austrian, '19'],
    [german, '16'],
    [german, '7'],
    [german, '5'],
  ] as const)
    await makeInvoice(who, { customerId, status: 'ISSUED', items: [{ ...item, vatRate }] });
  const boxesIn = async (year: number) => {
    const { body } = await who.rest('GET', `/reports/vat?from=${year}-01-01&to=${year}-12-31`);
    return body.data.rows.map((row: Record<string, unknown>) => [row['vat_rate'], row['net_box'], row['vat_box']]);
  };
  expect(await boxesIn(2026)).toEqual([
    [20, null, null],
    [19, '81', null],
    [16, '35', '36'],
    [7, '86', null],
    [5, '35', '36'],
  ]);
  for (const vatRate of ['20', '19', '16'])
    await makeInvoice(who, { invoiceDate: '2020-08-01', status: 'ISSUED', items: [{ ...item, vatRate }] });
  expect(await boxesIn(2020)).toEqual([
    [20, null, null],
    [19, '35', '36'],
    [16, '35', '36'],
  ]);
});

it('a profit and loss has the months of its period, cut to it', async () => {
  const { body } = await acme.rest('GET', '/reports/profit-and-loss?from=2026-02-15&to=2026-03-31');
  const rest = { currency: 'EUR', revenue: 100, expenses: 100, exchange_gains: 0, exchange_losses: 0, result: 0 };
  expect(body.data).toEqual({
    from: '2026-02-15',
    to: '2026-03-31',
    basis: 'accrual',
    months: [
      { month: '2026-02', from: '2026-02-15', to: '2026-02-28', ...rest, revenue: 0, expenses: 0 },
      { month: '2026-03', from: '2026-03-01', to: '2026-03-31', ...rest },
    ],
    totals: [rest],
  });
});

it('cancelling an invoice leaves its month as it was reported', async () => {
  const who = await service.integrator();
  service.clock.now = new Date('2026-05-10T12:00:00Z');
  const invoice = await makeInvoice(who, { status: 'ISSUED', invoiceDate: '2026-03-31' });
  const months = async () => {
    const { body } = await who.rest('GET', '/reports/profit-and-loss?from=2026-03-01&to=2026-05-31');
    return body.data.months.map(({ revenue }: { revenue: number }) => revenue);
  };
  expect(await months()).toEqual([100, 0, 0]);
  await who.rest('POST', `/invoices/${invoice}/cancel`);
  expect(await months()).toEqual([100, 0, -100]);
});

const supply = (vatCategory: string, unitPriceNet: string): object => ({
  items: [{ title: 'A', quantity: '1', unitPriceNet, vatRate: '0', vatCategory, exemptionReason: 'EU' }],
  status: 'ISSUED',
});

it('the EC sales list has the VAT numbers as they were issued, and shows where one is missing', async () => {
  const who = await service.integrator();
  const withNumber = await makeCustomer(who, { country: 'FR', vatId: 'FR 83 404 833 048' });
  const without = await makeCustomer(who, { country: 'FR', vatId: '83404833048' });
  const goods = await makeInvoice(who, { customerId: withNumber, ...supply('K', '100') });
  await makeInvoice(who, { customerId: withNumber, ...supply('AE', '7') });
  await makeInvoice(who, { customerId: without, ...supply('K', '30') });
  await who.graphql(`mutation { updateCustomer(id: "${withNumber}", input: { vatId: "FR61954506077" }) { id } }`);
  const list = async (days: string) => (await who.rest('GET', `/reports/ec-sales?${days}`)).body.data.rows;
  const row = { country: 'FR', vat_number: 'FR83404833048', currency: 'EUR', documents: 1 };
  const march = [
    { ...row, kind: 'goods', net: 100 },
    { ...row, kind: 'services', net: 7 },
    { ...row, kind: 'goods', vat_number: null, net: 30 },
  ];
  expect(await list('from=2026-03-01&to=2026-03-31')).toEqual(march);
  service.clock.now = new Date('2026-05-10T12:00:00Z');
  await who.rest('POST', `/invoices/${goods}/cancel`);
  expect(await list('from=2026-03-01&to=2026-03-31')).toEqual(march);
  expect(await list('from=2026-05-01&to=2026-05-31')).toEqual([{ ...row, kind: 'goods', net: -100 }]);
});

it('a seller outside the EU has no EC sales', async () => {
  const who = await service.integrator({ country: 'CH' });
  const customerId = await makeCustomer(who, { country: 'FR', vatId: 'FR83404833048' });
  await makeInvoice(who, { customerId, ...supply('AE', '7') });
  const { body } = await who.rest('GET', '/reports/ec-sales?from=2026-01-01&to=2026-12-31');
  expect(body.data.rows).toEqual([]);
});

it('open items have their age at the day', async () => {
  const late = async (at: string) => {
    const { body } = await acme.rest('GET', `/reports/open-items?at=${at}`);
    const [{ not_due, days1_to30, days31_to60, days61_to90, days_over90 } = {} as Record<string, number>] =
      body.data.totals;
    return [not_due, days1_to30, days31_to60, days61_to90, days_over90, body.data.items[0]?.days_late];
  };
  expect(await late('2026-03-15')).toEqual([119, 0, 0, 0, 0, 0]);
  expect(await late('2026-03-16')).toEqual([0, 119, 0, 0, 0, 1]);
  expect(await late('2026-04-14')).toEqual([0, 119, 0, 0, 0, 30]);
  expect(await late('2026-04-15')).toEqual([0, 0, 119, 0, 0, 31]);
  expect(await late('2026-05-15')).toEqual([0, 0, 0, 119, 0, 61]);
  expect(await late('2026-06-14')).toEqual([0, 0, 0, 0, 119, 91]);
  const today = await acme.rest('GET', `/reports/open-items?at=${new Date().toISOString().slice(0, 10)}`);
  expect(today.body.data.items).toMatchObject([{ gross: 119, paid: 19, credited: 0, open: 100 }]);
});

it('a page of items is asked for by limit and skip', async () => {
  const who = await service.integrator();
  for (const dueDate of ['2026-03-03', '2026-03-01', '2026-03-02'])
    await makeInvoice(who, { status: 'ISSUED', dueDate });
  const { body } = await who.rest('GET', '/reports/open-items?at=2026-03-31&limit=1&skip=1');
  expect(body.data).toMatchObject({ count: 3, items: [{ due_date: '2026-03-02' }], totals: [{ open: 357, count: 3 }] });
});

it.each([
  ['/reports/vat?from=2026-02-01&to=2026-01-31', { to: 'wrong_order' }],
  ['/reports/vat?from=2026-01-01&to=2027-01-02', { to: 'day_out_of_range' }],
  ['/reports/vat?from=2026-02-30&to=2026-03-31', { from: 'invalid_format' }],
  ['/reports/vat?to=2026-03-31', { from: 'required' }],
  ['/reports/vat?from=2026-01-01&to=2026-01-31&basis=none', { basis: 'unknown_value' }],
  ['/reports/profit-and-loss?from=2026-02-01&to=2026-01-31', { to: 'wrong_order' }],
  ['/reports/profit-and-loss?from=2026-01-01&to=2027-01-02', { to: 'day_out_of_range' }],
  ['/reports/profit-and-loss?from=2026-01-01&to=2026-01-31&basis=none', { basis: 'unknown_value' }],
  ['/reports/profit-and-loss/documents?from=2026-01-01&to=2026-01-31', { kind: 'required', currency: 'required' }],
  [
    '/reports/profit-and-loss/documents?from=2026-01-01&to=2026-01-31&kind=revenue&currency=EURO',
    { currency: 'too_long' },
  ],
  ['/reports/ec-sales?from=2026-02-01&to=2026-01-31', { to: 'wrong_order' }],
  ['/reports/ec-sales?from=2026-01-01&to=2027-01-02', { to: 'day_out_of_range' }],
  ['/reports/ec-sales/documents?from=2026-01-01&to=2026-01-31', { kind: 'required', currency: 'required' }],
  [
    `/reports/ec-sales/documents?from=2026-01-01&to=2026-01-31&kind=goods&currency=EUR&vat_number=${'1'.repeat(33)}`,
    { vat_number: 'too_long' },
  ],
  ['/reports/open-items', { at: 'required' }],
  ['/reports/open-items?at=2026-01-31&limit=1001', { limit: 'out_of_range' }],
  ['/reports/open-items?at=2026-01-31&skip=-1', { skip: 'out_of_range' }],
])('%s is refused', async (path, expected) => {
  const { status, body } = await acme.rest('GET', path);
  expect(status).toBe(422);
  const codes = body.details.map(({ field, code }: { field: string; code: string }) => [field, code]);
  expect(Object.fromEntries(codes)).toEqual(expected);
});

it('a year with a leap day is a period, and one day more is not', async () => {
  expect((await acme.rest('GET', '/reports/vat?from=2024-01-01&to=2024-12-31')).status).toBe(200);
  expect((await acme.rest('GET', '/reports/vat?from=2024-01-01&to=2025-01-01')).status).toBe(422);
});

it('they need the abilities to read what they show', async () => {
  const payable = '/reports/open-items?at=2026-12-31&side=payable';
  const statusesOf = async (...abilities: string[]) => {
    const who = await service.integrator({ abilities });
    return Promise.all([...reports, payable].map(async (path) => (await who.rest('GET', path)).status));
  };
  expect(await statusesOf('customers:read', 'invoices:read', 'receipts:read')).toEqual([
    200, 200, 200, 200, 200, 200, 200, 200,
  ]);
  expect(await statusesOf('invoices:read', 'receipts:read', 'write')).toEqual([403, 403, 403, 200, 200, 200, 200, 403]);
  expect(await statusesOf('customers:read', 'receipts:read')).toEqual([403, 403, 403, 403, 403, 403, 403, 403]);
  expect(await statusesOf('customers:read', 'invoices:read')).toEqual([200, 200, 200, 403, 403, 403, 403, 403]);
});

it('they have nothing of another tenant', async () => {
  const globex = await service.integrator({ name: 'Globex' });
  const [sales, salesDocuments, open, profit, profitDocuments, vat, documents] = await Promise.all(
    reports.map(async (path) => (await globex.rest('GET', path)).body.data),
  );
  expect(open).toMatchObject({ count: 0, totals: [], partners: [], items: [] });
  expect(sales.rows).toEqual([]);
  expect(salesDocuments).toEqual({ count: 0, items: [] });
  expect(profit).toMatchObject({ months: [], totals: [] });
  expect(profitDocuments).toEqual({ count: 0, items: [] });
  expect(vat.rows).toEqual([]);
  expect(documents).toEqual({ count: 0, items: [] });
});
