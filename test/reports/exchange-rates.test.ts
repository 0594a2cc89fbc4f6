import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from '../rest/samples.ts';
import { create } from '../rest/samples.ts';

// "Documents with an exchange rate count in the home currency, and their parts add up to the converted whole."

let service: Service;
let who: Integrator;
let customerId: string;
let day = 0;
/** Each test has a day of its own. */
let today: string;

beforeAll(async () => {
  service = await startService();
  who = await service.integrator();
  customerId = (await create(who, '/customers', sample.customer)).id;
});
afterAll(() => service.close());

const nextDay = (): string =>
  (today = Temporal.PlainDate.from('2026-02-01')
    .add({ days: (day += 1) })
    .toString());
const rate = { currency: 'USD', exchange_rate: 0.92345, exchange_rate_date: '2026-01-31' };
const invoice = (more: object) =>
  create(who, '/invoices', { ...sample.invoice(customerId), invoice_date: today, status: 'issued', ...rate, ...more });
const item = (net: number, vat_rate: number) => ({ ...sample.item, unit_price_net: net, vat_rate });

interface Row {
  kind: string;
  vat_category: string;
  vat_rate: number;
  currency: string;
  net: number;
  vat: number;
  net_box: string | null;
}

async function vat(more: Record<string, string> = {}): Promise<Row[]> {
  const query = new URLSearchParams({ from: today, to: today, ...more });
  return (await who.rest('GET', `/reports/vat?${query}`)).body.data.rows;
}
const cents = (rows: Row[], name: 'net' | 'vat'): number =>
  rows.reduce((sum, row) => sum + Math.round(row[name] * 100), 0);

// Net 100.13: 92.465…. VAT 19.01 and 0.01, in all 19.02: 17.564019; each for itself, they would be 17.55 and 0.01.
const items = [item(100.03, 19), item(0.1, 7)];

it('the VAT of the rates adds up to the VAT that the invoice states in the home currency', async () => {
  nextDay();
  const { id } = await invoice({ items });
  const rows = await vat();
  expect(rows).toEqual([
    expect.objectContaining({ kind: 'output', vat_rate: 19, currency: 'EUR', net: 92.38, vat: 17.55, net_box: '81' }),
    expect.objectContaining({ kind: 'output', vat_rate: 7, currency: 'EUR', net: 0.09, vat: 0.01, net_box: '86' }),
  ]);
  expect([cents(rows, 'net'), cents(rows, 'vat')]).toEqual([9247, 1756]);
  const of = { kind: 'output', vat_category: 'S', vat_rate: '19', currency: 'EUR' };
  const query = new URLSearchParams({ from: today, to: today, ...of });
  expect((await who.rest('GET', `/reports/vat/documents?${query}`)).body.data.items).toEqual([
    expect.objectContaining({ id, net: 92.38, vat: 17.55 }),
  ]);
  await create(who, '/credit-notes', { invoice_id: id, credit_note_date: today });
  expect((await vat()).map((row) => [row.net, row.vat])).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

it('payments in parts add up to the same, on the cash basis', async () => {
  nextDay();
  const first = today;
  const { id } = await invoice({ items });
  const paid: Row[] = [];
  for (const amount of [0.03, 40.77, 33.33, undefined]) {
    expect((await who.rest('POST', `/invoices/${id}/payments`, { amount, paid_on: today })).status).toBe(200);
    paid.push(...(await vat({ basis: 'cash' })));
    nextDay();
  }
  const whole = await vat({ from: first, basis: 'cash' });
  expect([cents(whole, 'net'), cents(whole, 'vat')]).toEqual([9247, 1756]);
  expect([cents(paid, 'net'), cents(paid, 'vat')]).toEqual([9247, 1756]);
  expect(new Set([...whole, ...paid].map(({ currency }) => currency))).toEqual(new Set(['EUR']));
});

it('VAT that the buyer owes is calculated in the home currency, and deducted alike', async () => {
  nextDay();
  const lines = [
    { vat_category: 'S', vat_rate: 19, amount_net: 10.01 },
    { vat_category: 'AE', vat_rate: 19, amount_net: 33.33 },
    { vat_category: 'AE', vat_rate: 7, amount_net: 0.99 },
  ];
  await create(who, '/receipts', { receipt_date: today, status: 'booked', lines, ...rate });
  const rows = await vat();
  const of = (kind: string) => rows.filter((row) => row.kind === kind && row.vat_category === 'AE');
  expect(of('input').map((row) => [row.vat_rate, row.vat])).toEqual(
    of('reverse_charge').map((row) => [row.vat_rate, row.vat]),
  );
  // 44.33 × 0.92345 = 40.9365…; 30.78 at 19 %, and 0.91 at 7 %.
  const input = rows.filter(({ kind }) => kind === 'input');
  expect(cents(input, 'net')).toBe(4094);
  expect(of('reverse_charge').map((row) => row.vat)).toEqual([5.85, 0.06]);
});

it('documents without a rate stay in their own currency, and so do open items', async () => {
  nextDay();
  const none = { exchange_rate: null, exchange_rate_date: null };
  await invoice({ items: [item(100, 19)], ...none });
  await invoice({ items: [item(100, 19)] });
  expect((await vat()).map(({ currency, net, vat: of }) => [currency, net, of])).toEqual([
    ['EUR', 92.34, 17.55], // 109.89 in all
    ['USD', 100, 19],
  ]);
  const profit = await who.rest('GET', `/reports/profit-and-loss?from=${today}&to=${today}`);
  expect(profit.body.data.totals).toEqual([
    { currency: 'EUR', revenue: 92.34, expenses: 0, exchange_gains: 0, exchange_losses: 0, result: 92.34 },
    { currency: 'USD', revenue: 100, expenses: 0, exchange_gains: 0, exchange_losses: 0, result: 100 },
  ]);
  const { totals } = (await who.rest('GET', `/reports/open-items?at=${today}&side=receivable`)).body.data;
  expect(totals.map(({ currency }: Row) => currency)).toEqual(['USD']);
});

it('what payments gain and lose at rates of their own is a part of the result, with its documents', async () => {
  nextDay();
  const { id } = await invoice({ items: [item(100, 19)] }); // 109.89 EUR, with 17.55 of VAT
  const lines = [{ vat_category: 'S', vat_rate: 19, amount_net: 100 }];
  const receipt = await create(who, '/receipts', { receipt_date: today, status: 'booked', lines, ...rate });
  nextDay();
  const pay = (path: string, exchange_rate: number, amount?: number) =>
    who.rest('POST', `${path}/payments`, { amount, exchange_rate, paid_on: today });
  expect((await pay(`/invoices/${id}`, 0.95, 100)).status).toBe(200); // 95.00 for 92.35 (92.345)
  expect((await pay(`/invoices/${id}`, 0.9)).status).toBe(200); // 17.10 for the rest, 17.54
  expect((await pay(`/receipts/${receipt.id}`, 0.9)).status).toBe(200); // 107.10 for 109.89
  const query = `from=${today}&to=${today}`;
  const read = async (path: string) => (await who.rest('GET', path)).body.data;
  const differences = { exchange_gains: 5.44, exchange_losses: 0.44 };
  expect((await read(`/reports/profit-and-loss?${query}`)).totals).toEqual([
    { currency: 'EUR', revenue: 0, expenses: 0, ...differences, result: 5 },
  ]);
  expect((await read(`/reports/profit-and-loss?${query}&basis=cash`)).totals).toEqual([
    { currency: 'EUR', revenue: 92.34, expenses: 92.34, ...differences, result: 5 },
  ]);
  const documents = (kind: string) => read(`/reports/profit-and-loss/documents?${query}&kind=${kind}&currency=EUR`);
  const gains = [
    { type: 'invoice_adjustment', id, number: expect.any(String), date: today, net: 2.65 },
    { type: 'receipt_adjustment', id: receipt.id, number: null, date: today, net: 2.79 },
  ];
  expect(await documents('exchange_gains')).toEqual({ count: 2, items: expect.arrayContaining(gains) });
  expect((await documents('exchange_losses')).items).toEqual([{ ...gains[0], net: 0.44 }]);
  expect((await documents('expenses')).count).toBe(0);
  const [, first] = await read(`/payments?invoice_id=${id}`);
  expect((await who.rest('POST', `/payments/${first.id}/reverse`)).status).toBe(200);
  expect((await read(`/reports/profit-and-loss?${query}`)).totals[0]).toMatchObject({
    exchange_gains: 2.79,
    exchange_losses: 0.44,
    result: 2.35,
  });
});
