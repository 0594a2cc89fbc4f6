import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decimal } from '../../schema/money/money.ts';
import { item, makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import { type Integrator, type Service } from '../harness.ts';
import { exported, readCsv } from './exports.ts';
import { readExtf, sumAccounts, sumTaxed } from './extf.ts';
import { startWithWorker } from '../with-worker.ts';

// Documents in foreign money that are settled in parts: their partners' accounts end at zero in the books' currency.

let service: Service;
startWithWorker((started) => (service = started));

const year = { from: '2026-01-01', to: '2026-12-31' };
const rate = fc.constantFrom('0.92345', '1.0731', '0.0061', '155.37');
const part = fc.record({
  kind: fc.constantFrom('pay', 'pay', 'pay', 'pay at a rate', 'pay at a rate', 'undo', 'credit'),
  /** Of what is due, in per mille. */
  share: fc.integer({ min: 1, max: 700 }),
  days: fc.nat({ max: 60 }),
  adjustment: fc.option(fc.constantFrom('cash_discount', 'write_off', 'fee'), { freq: 3 }),
});
const settled = fc.record({
  isInvoice: fc.boolean(),
  rate,
  cents: fc.integer({ min: 100, max: 90_000 }),
  /** Of a receipt. */
  lines: fc.nat({ max: 3 }),
  parts: fc.array(part, { maxLength: 7 }),
  last: fc.constantFrom('pay', 'pay', 'pay at a rate', 'discount', 'credit'),
});

interface VatRow {
  kind: string;
  vat_rate: number;
  net: number;
  vat: number;
}

const inCents = (cents: number): string => (cents / 100).toFixed(2);
const dayOf = (days: number): string => Temporal.PlainDate.from('2026-03-01').add({ days }).toString();

async function ok(who: Integrator, path: string, body?: object) {
  const answer = await who.rest('POST', path, body);
  expect([path, answer.status < 300, answer.body.errors]).toEqual([path, true, undefined]);
  return answer.body.data;
}

/** The amounts of a receipt: one, or those of lines whose VAT is owed by the tenant, or is deducted in part. */
function bought({ cents, lines }: ReturnType<typeof sample>[number]): object {
  if (lines === 0) return { amountGross: inCents(cents) };
  const partly = { amountGross: inCents(cents), vatRate: '19', vatCategory: 'S', deductiblePercent: '35' };
  const owed = { amountNet: inCents(cents), vatRate: '19', vatCategory: 'AE' };
  return {
    lines: [owed, { ...partly, amountGross: '3.33', vatRate: '7' }, partly].slice(0, lines),
    vatRate: undefined,
    amountGross: inCents([cents, cents + 333, 2 * cents + 333][lines - 1] ?? 0),
  };
}

/** Makes a document of a partner of its own, and settles all of it. */
async function settle(who: Integrator, made: ReturnType<typeof sample>[number]): Promise<void> {
  const priced = { currency: 'USD', exchangeRate: made.rate, exchangeRateDate: '2026-02-28' };
  const customerId = await makeCustomer(who, made.isInvoice ? {} : { type: 'SUPPLIER' });
  const items = [
    { ...item, unitPriceNet: inCents(made.cents), vatRate: '19' },
    { ...item, unitPriceNet: '3.33', vatRate: '7' },
  ];
  const path = made.isInvoice ? 'invoices' : 'receipts';
  const id = made.isInvoice
    ? await makeInvoice(who, { customerId, ...priced, invoiceDate: '2026-03-01', items, status: 'ISSUED' })
    : await makeReceipt(who, { supplierId: customerId, ...priced, ...bought(made), status: 'BOOKED' });
  const due = async (): Promise<number> => {
    const { data } = (await who.rest('GET', `/${path}/${id}`)).body;
    const left = data.amount_due ?? data.amount_payable - data.amount_paid - data.amount_adjusted;
    return Math.round(left * 100) + 0; // not -0
  };
  const atRate = (share: number) => ({ exchange_rate: Number((Number(made.rate) * (0.9 + share / 4000)).toFixed(8)) });
  for (const { kind, share, days, adjustment } of made.parts) {
    const left = await due();
    const amount = Math.ceil((left * share) / 1000);
    const paid_on = dayOf(days);
    if (kind === 'undo') {
      const list = (
        await who.rest('GET', `/payments?${made.isInvoice ? 'invoice' : 'receipt'}_id=${id}&reversed=false`)
      ).body.data;
      const first = list.find((each: { recorded_with_id: string | null }) => each.recorded_with_id === null);
      if (first) await ok(who, `/payments/${first.id}/reverse`);
    } else if (kind === 'credit') {
      if (made.isInvoice) await credit(who, id, left, share);
    } else {
      const type = adjustment === 'fee' && !made.isInvoice ? 'write_off' : adjustment;
      const lost = Math.ceil(amount / 9);
      if (left < 20) continue;
      await ok(who, `/${path}/${id}/payments`, {
        amount: inCents(amount),
        paid_on,
        ...(kind === 'pay at a rate' && Number(inCents(amount)) * Number(made.rate) > 0.05 && atRate(share)),
        ...(type && {
          adjustments: [{ type, amount: inCents(lost), ...(type === 'write_off' && { reason: 'Lost' }) }],
        }),
      });
    }
  }
  if (made.last === 'credit' && made.isInvoice) await credit(who, id, await due(), 1000);
  const left = await due();
  if (made.last === 'discount' && left > 0) {
    const adjustments = [{ type: 'cash_discount', amount: inCents(left) }];
    await ok(who, `/${path}/${id}/payments`, { paid_on: dayOf(70), amount: 0, adjustments });
    return;
  }
  const isAtRate = made.last === 'pay at a rate' && left * Number(made.rate) > 5;
  if (left > 0) await ok(who, `/${path}/${id}/payments`, { paid_on: dayOf(70), ...(isAtRate && atRate(left % 700)) });
  expect(await due()).toBe(0);
}

/** Takes back a part of what is due, or nothing if rounding forbids it. */
async function credit(who: Integrator, id: string, due: number, share: number): Promise<void> {
  const net = Math.floor((due * share) / 1190);
  if (net === 0) return;
  const amounts = [{ vat_category: 'S', vat_rate: 19, net: Number(inCents(net)) }];
  await who.rest('POST', '/credit-notes', { invoice_id: id, credit_note_date: dayOf(40), amounts });
}

const sample = (seed: number, numRuns: number) => fc.sample(settled, { seed, numRuns });

it(
  'what is settled in parts leaves nothing on the account, and the profit and loss has what DATEV has',
  { timeout: 120_000 },
  async () => {
    const who = await service.integrator({ country: 'DE' });
    const documents = sample(Number(process.env['SEED'] ?? 151), Number(process.env['RUNS'] ?? 24));
    for (const made of documents) await settle(who, made);

    const read = readExtf((await exported(service, who, { type: 'datev', chart: 'skr03', ...year })).file).rows;
    const rows = read.map((row): (typeof read)[number] => ({
      ...row,
      'Umsatz (ohne Soll/Haben-Kz)': row['Basis-Umsatz'] || (row['Umsatz (ohne Soll/Haben-Kz)'] ?? ''),
    }));
    for (const row of rows) expect([row['WKZ Umsatz'], row['WKZ Basis-Umsatz']]).not.toEqual(['USD', '']);
    const taxed = sumTaxed(rows);
    const ofAccounts = (accounts: RegExp): number =>
      Decimal.sum(0, ...[...taxed].filter(([account]) => accounts.test(account)).map(([, sum]) => sum)).toNumber();
    const vat = (
      await who.rest('GET', `/reports/vat?${new URLSearchParams({ ...year, date_by: 'document' }).toString()}`)
    ).body.data.rows;
    const ofReport = (kind: string, amount: 'net' | 'vat', vat_rate?: number): number =>
      Decimal.sum(
        0,
        ...vat
          .filter((row: VatRow) => row.kind === kind && row.vat_rate === (vat_rate ?? row.vat_rate))
          .map((row: VatRow) => row[amount]),
      ).toNumber();
    expect({
      output19: ofAccounts(/^1776$/),
      output7: ofAccounts(/^1771$/),
      revenue: ofAccounts(/^(8400|8300|8730)$/),
      input: ofAccounts(/^15(7[0168])$/),
      owed: ofAccounts(/^1785$/),
    }).toEqual({
      output19: -ofReport('output', 'vat', 19) + 0,
      output7: -ofReport('output', 'vat', 7) + 0,
      revenue: -ofReport('output', 'net') + 0,
      input: ofReport('input', 'vat'),
      owed: -ofReport('reverse_charge', 'vat') + 0,
    });

    const sums = sumAccounts(rows);
    const partners = [...sums].filter(([account]) => account.length === 5);
    expect(partners.length).toBe(documents.length);
    expect(partners.filter(([, sum]) => !sum.isZero())).toEqual([]);

    const sumOf = (...accounts: string[]): number =>
      accounts.reduce((sum, account) => sum.plus(sums.get(account) ?? 0), new Decimal(0)).toNumber();
    const [total] = (await who.rest('GET', `/reports/profit-and-loss?${new URLSearchParams(year).toString()}`)).body
      .data.totals;
    expect([sumOf('2660'), sumOf('2150')]).toEqual([-total.exchange_gains, total.exchange_losses]);
    // All accounts but those of partners, the bank, and VAT.
    expect(ofAccounts(/^(?!1200|15..|17..)\d{4}$/)).toBe(-total.result);

    const list = { type: 'list', resource: 'payments', ...year };
    const payments = readCsv((await exported(service, who, list)).file);
    const ofPayments = Decimal.sum(0, ...payments.map((row) => row['exchange_difference'] || 0));
    // The rests of credit notes and discounts belong to no payment.
    const rests = rows.filter((row) => row['Buchungstext'] === 'Rundung Kurs');
    const sumOfRests = [...sumAccounts(rests)].filter(([account]) => account.length === 4).map(([, sum]) => sum);
    const differences = sumOf('2660', '2150');
    expect(
      Decimal.sum(0, ...sumOfRests)
        .minus(ofPayments)
        .toNumber(),
    ).toBe(differences);
    expect(rests.length).toBeGreaterThan(0);
  },
);
