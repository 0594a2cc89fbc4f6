import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { books, dayOf, days, emptyIds, lastLocked, makeBooks } from './books.ts';
import { verify } from '../verify/books.ts';
import {
  accrual,
  cash,
  differences,
  ecSales,
  noProfit,
  payables,
  profit,
  readBooks,
  receivables,
  reverseChargeBoxes,
  type Books,
  type VatSums,
} from './oracle.ts';

// The reports agree with an oracle over generated books, on any day.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const runs = Number(process.env['RUNS'] ?? 4);
const period = fc.tuple(fc.nat({ max: days }), fc.nat({ max: days })).map((pair) => pair.toSorted((a, b) => a - b));

interface Row {
  kind: string;
  vat_category: string;
  vat_rate: number;
  currency: string;
  supplier_place: string | null;
  customer_place: string | null;
  net: number;
  vat: number;
  net_box: string | null;
  vat_box: string | null;
}

const get = async (who: Integrator, path: string, query: Record<string, string>) => {
  const { status, body, text } = await who.rest('GET', `${path}?${new URLSearchParams(query)}`);
  if (status !== 200) throw new Error(text);
  return body.data;
};

async function vatReport(who: Integrator, query: Record<string, string>): Promise<VatSums> {
  const { rows } = (await get(who, '/reports/vat', query)) as { rows: Row[] };
  const sums = rows
    .filter(({ net, vat }) => net !== 0 || vat !== 0)
    .map(({ kind, vat_category, vat_rate, currency, net, vat, ...row }): [string, object] => {
      const place = row.supplier_place ?? row.customer_place;
      const key = [kind.toUpperCase(), vat_category, vat_rate, currency, ...(place ? [place.toUpperCase()] : [])];
      return [key.join(' '), { net: String(net), vat: String(vat) }];
    });
  expect(new Set(sums.map(([key]) => key)).size).toBe(sums.length);
  return Object.fromEntries(sums.toSorted(([a], [b]) => (a < b ? -1 : 1))) as VatSums;
}

/** An invoice is listed once, and its adjustments once for each day. */
const nameDocument = ({ type, id, date }: Record<string, string>): string => [type, id, date].join(' ');

async function checkBoxes(who: Integrator, query: Record<string, string>, country: string): Promise<void> {
  const { rows } = (await get(who, '/reports/vat', query)) as { rows: Row[] };
  for (const { kind, vat_category, supplier_place, customer_place, net_box, vat_box } of rows)
    if (vat_category === 'AE')
      expect([net_box, vat_box]).toEqual(
        reverseChargeBoxes[country]?.[
          `${kind} ${supplier_place ?? customer_place}`.toUpperCase().replace('NULL', 'null')
        ],
      );
}

/** Net and VAT of each row are the sums of its documents. */
async function checkDocuments(who: Integrator, query: Record<string, string>): Promise<void> {
  const { rows } = (await get(who, '/reports/vat', query)) as { rows: (Row & { documents: number })[] };
  for (const row of rows) {
    const { kind, vat_category, vat_rate, currency, supplier_place, customer_place, documents } = row;
    const of = {
      kind,
      vat_category,
      vat_rate: String(vat_rate),
      currency,
      ...(supplier_place && { supplier_place }),
      ...(customer_place && { customer_place }),
      limit: '1000',
    };
    const { count, items } = await get(who, '/reports/vat/documents', { ...query, ...of });
    expect(new Set(items.map(nameDocument)).size).toBe(documents);
    expect(count).toBe(items.length);
    const cents = (name: 'net' | 'vat'): number =>
      items.reduce((sum: number, each: Row) => sum + Math.round(each[name] * 100), 0);
    expect([cents('net'), cents('vat')]).toEqual([Math.round(row.net * 100), Math.round(row.vat * 100)]);
  }
}

const inCents = (amount: number): number => Math.round(amount * 100);

interface ProfitRow {
  currency: string;
  from: string;
  to: string;
  revenue: number;
  expenses: number;
  exchange_gains: number;
  exchange_losses: number;
  result: number;
}

/** Each month and the totals are the oracle's, on both bases; and so are the documents behind each figure. */
async function checkProfit(who: Integrator, all: Books, from: string, to: string): Promise<void> {
  for (const basis of ['accrual', 'cash'] as const) {
    const report = await get(who, '/reports/profit-and-loss', { from, to, basis });
    const months = report.months as (ProfitRow & { month: string })[];
    const totals = report.totals as ProfitRow[];
    const currencies = totals.map(({ currency }) => currency);
    expect(currencies).toEqual([...new Set(currencies)].toSorted());
    const expectedMonths: string[] = [];
    for (let day = Temporal.PlainDate.from(from); day.toString() <= to; day = day.add({ days: 1 })) {
      const month = day.toString().slice(0, 7);
      if (expectedMonths.at(-1) !== month) expectedMonths.push(month);
    }
    const names = expectedMonths.flatMap((month) => currencies.map((currency) => `${month} ${currency}`));
    expect(months.map(({ month, currency }) => `${month} ${currency}`)).toEqual(names);
    for (const row of [...months, ...totals.map((total) => ({ ...total, from, to }))]) {
      const sums = profit(all, row.from, row.to, basis)[row.currency] ?? noProfit;
      const parts = ['revenue', 'expenses', 'exchange_gains', 'exchange_losses'] as const;
      const result = sums.revenue - sums.expenses + sums.exchange_gains - sums.exchange_losses;
      const shown = [...parts.map((part) => inCents(row[part])), inCents(row.result)];
      expect([row, ...shown]).toEqual([row, ...parts.map((part) => sums[part]), result]);
      for (const kind of parts) {
        const of = { from: row.from, to: row.to, basis, kind, currency: row.currency, limit: '1000' };
        const { count, items } = await get(who, '/reports/profit-and-loss/documents', of);
        expect(new Set(items.map(nameDocument)).size).toBe(count);
        const sum = items.reduce((before: number, { net }: { net: number }) => before + inCents(net), 0);
        expect([of, sum]).toEqual([of, inCents(row[kind])]);
      }
    }
  }
}

interface SalesRow {
  kind: string;
  country: string | null;
  vat_number: string | null;
  currency: string;
  net: number;
  documents: number;
}

/** Rows, and the documents of each, are the oracle's. */
async function checkSales(who: Integrator, all: Books, country: string, from: string, to: string): Promise<void> {
  for (const date_by of ['supply', 'document'] as const) {
    const asked = { from, to, date_by };
    const expected = ecSales(all, country, from, to, date_by === 'supply' ? 'supplied' : 'date');
    const { rows } = (await get(who, '/reports/ec-sales', asked)) as { rows: SalesRow[] };
    const found: typeof expected = {};
    for (const { kind, country: of, vat_number, currency, net, documents } of rows) {
      const { count, items } = await get(who, '/reports/ec-sales/documents', {
        ...asked,
        kind,
        currency,
        ...(of && { country: of }),
        ...(vat_number && { vat_number }),
        limit: '1000',
      });
      expect([count, items.length]).toEqual([documents, documents]);
      const sum = items.reduce((before: number, each: { net: number }) => before + inCents(each.net), 0);
      expect(sum).toBe(inCents(net));
      const ids = items.map(({ id }: { id: string }) => id).toSorted();
      found[`${kind.toUpperCase()} ${of} ${vat_number} ${currency}`] = { net: inCents(net), ids };
    }
    for (const row of Object.values(expected)) row.ids.sort();
    expect(found).toEqual(expected);
  }
}

async function openItems(who: Integrator, at: string, side: string): Promise<{ id: string; open: string }[]> {
  const report = await get(who, '/reports/open-items', { at, side, limit: '1000' });
  expect(report.count).toBe(report.items.length);
  const cents = (rows: { currency: string; open: number }[]) => {
    const sums: Record<string, number> = {};
    for (const { currency, open } of rows) sums[currency] = (sums[currency] ?? 0) + Math.round(open * 100);
    return sums;
  };
  expect(cents(report.totals)).toEqual(cents(report.items));
  expect(cents(report.partners)).toEqual(cents(report.items));
  for (const total of report.totals) {
    const { not_due, days1_to30, days31_to60, days61_to90, days_over90, credit, open } = total;
    const parts = [not_due, days1_to30, days31_to60, days61_to90, days_over90, -credit];
    expect(parts.reduce((sum, part) => sum + Math.round(part * 100), 0)).toBe(Math.round(open * 100));
  }
  return report.items.map(({ id, open }: { id: string; open: number }) => ({ id, open: String(open) }));
}

/** Compares the amounts due of all invoices and the open amounts of all receipts with their documents and payments. */
async function checkBalances(who: Integrator, all: Books): Promise<void> {
  const at = '9999-12-31';
  const open = Object.fromEntries([...receivables(all, at), ...payables(all, at)].map((each) => [each.id, each.open]));
  for (const { id } of all.invoices) {
    const { amount_due: due } = await get(who, `/invoices/${id}`, {});
    // An amount to be refunded is due of the credit note.
    expect([id, inCents(due)]).toEqual([id, Math.max(inCents(Number(open[id] ?? 0)), 0)]);
  }
  for (const { id, reversalOfId } of all.receipts) {
    if (reversalOfId !== null) continue;
    const { body } = await who.rest('GET', `/receipts/${id}`);
    if (!body.data) continue; // it is reversed
    const { amount_payable, amount_paid, amount_adjusted } = body.data;
    const left = inCents(amount_payable) - inCents(amount_paid) - inCents(amount_adjusted);
    expect([id, left]).toEqual([id, inCents(Number(open[id] ?? 0))]);
  }
}

describe.each(['DE', 'AT'])('in %s', { timeout: runs * 60_000 }, (country) => {
  it('all reports agree with the oracle', async () => {
    await fc.assert(
      fc.asyncProperty(books, fc.array(period, { minLength: 4, maxLength: 4 }), async (steps, periods) => {
        const who = await service.integrator({ country });
        await makeBooks(who, steps);
        expect((await verify(service, who)).all).toEqual([]);
        const all = await readBooks(who, country);
        await checkBalances(who, all);
        for (const { said, expected } of differences(all)) expect(said).toBe(expected);
        for (const [first = 0, last = 0] of periods) {
          const [from, to] = [dayOf(first), dayOf(last)];
          const query = { from, to };
          expect(await vatReport(who, query)).toEqual(accrual(all, from, to, 'supplied'));
          expect(await vatReport(who, { ...query, date_by: 'document' })).toEqual(accrual(all, from, to, 'date'));
          expect(await vatReport(who, { ...query, basis: 'cash' })).toEqual(cash(all, from, to, country !== 'DE'));
          expect(await openItems(who, to, 'receivable')).toEqual(receivables(all, to));
          expect((await openItems(who, to, 'payable')).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
            payables(all, to),
          );
        }
        const [first = 0, last = 0] = periods[0] ?? [];
        await checkProfit(who, all, dayOf(first), dayOf(last));
        await checkProfit(who, all, dayOf(0), dayOf(days));
        await checkSales(who, all, country, dayOf(first), dayOf(last));
        await checkSales(who, all, country, dayOf(0), dayOf(days));
        await checkBoxes(who, { from: dayOf(0), to: dayOf(days) }, country);
        await checkDocuments(who, { from: dayOf(first), to: dayOf(last) });
        await checkDocuments(who, { from: dayOf(first), to: dayOf(last), basis: 'cash' });
      }),
      { numRuns: runs },
    );
  });
});

it(
  'reports of a locked period stay the same, whatever is booked or undone afterwards',
  { timeout: runs * 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(books, books, period, async (steps, later, [first = 0, last = 0]) => {
        const who = await service.integrator({ country: 'AT' });
        const ids = emptyIds();
        await makeBooks(who, steps, ids);
        // Not before a lock that the books have already: a final one moves nothing back.
        const [from, to] = [dayOf(first), dayOf(Math.max(last, lastLocked))];
        const lock = { series: 'all', locked_until: to, kind: 'final' };
        expect((await who.rest('PUT', '/period-locks', lock)).status).toBe(200);
        const reports = async (): Promise<unknown> => [
          await get(who, '/reports/vat', { from, to, date_by: 'document' }),
          await get(who, '/reports/vat', { from, to, basis: 'cash' }),
          await openItems(who, to, 'receivable'),
          await openItems(who, to, 'payable'),
          await get(who, '/reports/profit-and-loss', { from, to }),
          await get(who, '/reports/profit-and-loss', { from, to, basis: 'cash' }),
        ];
        const before = await reports();
        await makeBooks(who, later, ids);
        expect(await reports()).toEqual(before);
      }),
      { numRuns: runs },
    );
  },
);
