import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { create, invalidFields } from './samples.ts';

let service: Service;
let acme: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  customerId = (await create(acme, '/customers', sample.customer)).id;
});
afterAll(() => service.close());

type Price = [quantity: unknown, price: unknown, rate?: unknown];
const withItems = (prices: Price[], more: object = {}) => ({
  ...sample.invoice(customerId),
  items: prices.map(([quantity, unit_price_net, vat_rate = 0]) => ({ title: 'x', quantity, unit_price_net, vat_rate })),
  ...more,
});
const invoiced = (prices: Price[], more?: object) => create(acme, '/invoices', withItems(prices, more));
const refused = async (prices: Price[], more?: object) =>
  invalidFields(await acme.rest('POST', '/invoices', withItems(prices, more)));

describe('money on an invoice', () => {
  it('a line’s total is quantity × unit_price_net, rounded half away from zero', async () => {
    const { items, total_net } = await invoiced([
      [1, '0.005'],
      [1, '0.0049'],
      [-1, '0.005'],
      [3, '33.335'],
      ['1.005', 1000],
      [7, '1.0050'],
    ]);
    expect(items.map((item: { line_total_net: number }) => item.line_total_net)).toEqual([
      0.01, 0, -0.01, 100.01, 1005, 7.04,
    ]);
    expect(total_net).toBe(1112.05);
  });

  it('VAT is computed once per rate over the sum of that rate’s lines; gross is net plus all VAT', async () => {
    // Rounded per line it would be 3 × 0.00.
    const cents: Price[] = [
      [1, '0.02', 19],
      [1, '0.02', 7],
      [1, '0.02', 19],
      [1, '0.02', '19.00'],
    ];
    const { vat_breakdown, total_net, total_vat, total_gross, amount_due } = await invoiced(cents);
    expect(vat_breakdown).toEqual([
      { vat_rate: 7, net: 0.02, vat: 0 },
      { vat_rate: 19, net: 0.06, vat: 0.01 },
    ]);
    expect({ total_net, total_vat, total_gross, amount_due }).toEqual({
      total_net: 0.08,
      total_vat: 0.01,
      total_gross: 0.09,
      amount_due: 0.09,
    });
  });

  it('amounts have the currency’s minor digits: none for JPY, three for TND', async () => {
    for (const [currency, ...totals] of [
      ['EUR', 6172.84, 1172.84, 7345.68],
      ['JPY', 6173, 1173, 7346],
      ['TND', 6172.839, 1172.839, 7345.678],
      ['HUF', 6172.84, 1172.84, 7345.68],
    ]) {
      const { total_net, total_vat, total_gross } = await invoiced([['0.5', '12345.6789', 19]], { currency });
      expect([currency, total_net, total_vat, total_gross]).toEqual([currency, ...totals]);
    }
  });

  it('decimals are accepted as JSON numbers or numeric strings, without binary floating point', async () => {
    const { id, items } = await invoiced([['2', '10.50', '19.0']]);
    expect(items[0]).toMatchObject({ quantity: 2, unit_price_net: 10.5, vat_rate: 19, line_total_net: 21 });
    const exact = JSON.stringify(
      withItems([
        [1, 'P'],
        [1, 'Q'],
      ]),
    )
      .replace('"P"', '12345678901.2345')
      .replace('"Q"', '1.5e1');
    const { text } = await acme.rest('POST', '/invoices', exact);
    expect(text).toContain('"unit_price_net":12345678901.2345,');
    expect(text).toContain('"unit_price_net":15,');
    expect(text).toContain('"total_gross":12345678916.23,');
    // In binary floating point these would be 10, 0.1, and 1000000000000.
    for (const number of ['10.000000000000000001', '0.1000000000000000055', '999999999999.99999999']) {
      const answer = await acme.rest('POST', '/invoices', exact.replace('12345678901.2345', number));
      expect([number, invalidFields(answer)]).toEqual([number, ['items.0.unit_price_net']]);
    }
    // The answer has JSON numbers in their shortest form.
    expect((await acme.rest('GET', `/invoices/${id}`)).text).toContain(
      '"quantity":2,"unit":null,"unit_price_net":10.5,',
    );
  });

  it('every decimal has at most 15 significant digits', async () => {
    const { text } = await acme.rest(
      'POST',
      '/invoices',
      withItems([
        [1, '99999999999.9999'],
        [1, '0.0001'],
      ]),
    );
    expect(text).toContain('"unit_price_net":99999999999.9999,');
    expect(text).toContain('"total_net":100000000000,');
    expect(await refused([[1, '100000000000.0001']])).toEqual(['items.0.unit_price_net']);
    expect(await refused([['999999999999999.9', 0]])).toEqual(['items.0.quantity']);
    expect((await invoiced([['-999999999999999', 0]])).items[0].quantity).toBe(-999999999999999);
  });

  it('answers 422 to a negative total and to one beyond 15 significant digits', async () => {
    expect((await invoiced([['9999999999999.99', 1]])).total_gross).toBe(9999999999999.99);
    expect(
      await refused([
        ['9999999999999.99', 1],
        [1, '0.02'],
      ]),
    ).toEqual(['items']);
    expect(await refused([['9999999999999', 1, 19]])).toEqual(['items']);
    expect(await refused([['999999999999999', '99999999999.9999']])).toEqual(['items', 'items.0']);
    expect(await refused([[-1, '0.01']])).toEqual(['items']);
    expect(
      await refused([
        [1, 100],
        [-1, '100.01'],
      ]),
    ).toEqual(['items']);
    expect(
      (
        await invoiced([
          [1, 100, 7],
          [-1, 100, 0],
        ])
      ).total_gross,
    ).toBe(7);
  });
});

describe('an invoice created with a status', () => {
  it('issued is numbered YYYY-NNNN by the year of invoice_date, without gaps', async () => {
    const beta = await service.integrator();
    const { id } = await create(beta, '/customers', sample.customer);
    const numbers = [];
    for (const [date, status] of [
      ['2026-01-01', 'issued'],
      ['2025-12-31', 'paid'],
      ['2026-12-31', 'draft'],
      ['2026-06-01', 'paid'],
      ['2025-01-01', 'issued'],
    ]) {
      const { number } = await create(beta, '/invoices', { ...sample.invoice(id), invoice_date: date, status });
      numbers.push(number);
      // A rejected invoice leaves no gap.
      await beta.rest('POST', '/invoices', { ...sample.invoice(id), invoice_date: date, status, items: [] });
    }
    expect(numbers).toEqual(['2026-0001', '2025-0001', null, '2026-0002', '2025-0002']);
  });

  it('paid is numbered and paid in full', async () => {
    const issued = await invoiced([[1, 100, 19]], { status: 'issued' });
    expect(issued).toMatchObject({ amount_paid: 0, amount_due: 119, issued_at: sample.aTime, paid_at: null });
    const paid = await invoiced([[1, 100, 19]], { status: 'paid' });
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 119, amount_due: 0, cancelled_at: null });
    expect(paid).toMatchObject({ number: expect.any(String), issued_at: sample.aTime, paid_at: sample.aTime });
  });

  it('and a total of zero is paid', async () => {
    for (const status of ['issued', 'paid']) {
      const zero = await invoiced([[1, 0, 19]], { status });
      expect(zero).toMatchObject({ status: 'paid', total_gross: 0, amount_due: 0, paid_at: sample.aTime });
    }
    expect(await invoiced([[1, 0]], { status: 'draft' })).toMatchObject({ status: 'draft', paid_at: null });
  });

  it('issued is overdue after its due_date in the tenant’s time zone', async () => {
    const tokyo = await service.integrator({ timezone: 'Asia/Tokyo' });
    const { id } = await create(tokyo, '/customers', sample.customer);
    const due = { ...sample.invoice(id), due_date: '2026-03-01' };
    const issued = await create(tokyo, '/invoices', { ...due, status: 'issued' });
    const draft = await create(tokyo, '/invoices', due);
    const paid = await create(tokyo, '/invoices', { ...due, status: 'paid' });
    const overdue = async (at: string) => {
      service.clock.now = new Date(at);
      const { data } = (await tokyo.rest('GET', '/invoices')).body;
      return data.map((each: { is_overdue: boolean }) => each.is_overdue);
    };
    expect([paid.id > draft.id, draft.id > issued.id]).toEqual([true, true]);
    expect(await overdue('2026-03-01T14:59:59Z')).toEqual([false, false, false]);
    expect(await overdue('2026-03-01T15:00:00Z')).toEqual([false, false, true]);
    service.clock.now = undefined;
  });
});
