import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decimal } from '../../schema/money/money.ts';
import { type Integrator, type Service } from '../harness.ts';
import { books, dayOf, days, emptyIds, lastLocked, makeBooks } from '../reports/books.ts';
import { accrual, readBooks, type VatSums } from '../reports/oracle.ts';
import { exported } from './exports.ts';
import { readExtf, sumTaxed, type ReadFile } from './extf.ts';
import { startWithWorker } from '../with-worker.ts';

// DATEV's files of generated books come to the oracle's VAT and to the profit and loss, in any period.

let service: Service;
startWithWorker((started) => (service = started));

const runs = Number(process.env['RUNS'] ?? 1);
const period = fc.tuple(fc.nat({ max: days }), fc.nat({ max: days })).map((pair) => pair.toSorted((a, b) => a - b));

const read = async (who: Integrator, from: string, to: string): Promise<Buffer> =>
  (await exported(service, who, { type: 'datev', chart: 'skr03', from, to })).file;

/** The balances of accounts in each currency of the books: that of documents without a rate is their own. */
function balances(rows: ReadFile['rows']): Map<string, Map<string, Decimal>> {
  const byCurrency = Map.groupBy(rows, (row) => row['WKZ Basis-Umsatz'] || (row['WKZ Umsatz'] ?? ''));
  return new Map(
    [...byCurrency].map(([currency, all]) => [
      currency,
      sumTaxed(
        all.map((row): (typeof all)[number] => ({
          ...row,
          'Umsatz (ohne Soll/Haben-Kz)': row['Basis-Umsatz'] || (row['Umsatz (ohne Soll/Haben-Kz)'] ?? ''),
        })),
      ),
    ]),
  );
}

const sumOf = (sums: VatSums, names: RegExp, amount: 'net' | 'vat'): number =>
  Decimal.sum(
    0,
    ...Object.entries(sums)
      .filter(([name]) => names.test(name))
      .map(([, each]) => each[amount]),
  ).toNumber();

it('all postings come to the VAT of the documents and to the result', { timeout: runs * 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(books, fc.array(period, { minLength: 2, maxLength: 2 }), async (steps, periods) => {
      const who = await service.integrator({ country: 'DE' });
      await makeBooks(who, steps);
      const all = await readBooks(who, 'DE');
      for (const [first = 0, last = 0] of [[0, days], ...periods]) {
        const [from, to] = [dayOf(first), dayOf(last)];
        const found = balances(readExtf(await read(who, from, to)).rows);
        const vat = accrual(all, from, to, 'date');
        const query = new URLSearchParams({ from, to });
        const { totals } = (await who.rest('GET', `/reports/profit-and-loss?${query}`)).body.data;
        for (const currency of ['EUR', 'CHF']) {
          const accounts = found.get(currency) ?? new Map<string, Decimal>();
          const of = (pattern: RegExp): number =>
            Decimal.sum(
              0,
              ...[...accounts].filter(([account]) => pattern.test(account)).map(([, sum]) => sum),
            ).toNumber();
          const named = (names: string, end = ''): RegExp => new RegExp(`^${names} ${currency}${end}$`);
          const total = totals.find((each: { currency: string }) => each.currency === currency) ?? { result: 0 };
          expect({
            period: [from, to, currency],
            output19: 0 - of(/^1776$/),
            output7: 0 - of(/^1771$/),
            outputOther: 0 - of(/^17(70|67)$/),
            input: of(/^157[016]$/),
            ofAcquisitions: [of(/^1572$/), 0 - of(/^1772$/)],
            ofReverseCharge: [of(/^1578$/), 0 - of(/^1785$/)],
            ofImports: of(/^1588$/),
            revenue: 0 - of(/^8/),
            result: 0 - of(/^(?!1)\d{4}$/),
            sum: of(/./),
          }).toEqual({
            period: [from, to, currency],
            output19: sumOf(vat, named('OUTPUT S 19'), 'vat'),
            output7: sumOf(vat, named('OUTPUT S 7'), 'vat'),
            outputOther: sumOf(vat, named('OUTPUT S 5.5'), 'vat'),
            input: sumOf(vat, named('INPUT S (19|7)'), 'vat'),
            ofAcquisitions: [sumOf(vat, named('INPUT K .*'), 'vat'), sumOf(vat, named('ACQUISITION .*'), 'vat')],
            ofReverseCharge: [
              sumOf(vat, named('INPUT AE .*'), 'vat'),
              sumOf(vat, named('REVERSE_CHARGE .*', '.*'), 'vat'),
            ],
            ofImports: sumOf(vat, named('IMPORT .*'), 'vat'),
            revenue: sumOf(vat, named('OUTPUT .*', '.*'), 'net'),
            result: total.result,
            sum: 0,
          });
        }
      }
    }),
    { numRuns: runs },
  );
});

it(
  'a file of a period that is locked for ever has the same bytes, whatever is booked or undone afterwards',
  { timeout: runs * 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(books, books, period, async (steps, later, [first = 0, last = 0]) => {
        const who = await service.integrator({ country: 'DE' });
        const ids = emptyIds();
        await makeBooks(who, steps, ids);
        const [from, to] = [dayOf(first), dayOf(Math.max(last, lastLocked))];
        const lock = { series: 'all', locked_until: to, kind: 'final' };
        expect((await who.rest('PUT', '/period-locks', lock)).status).toBe(200);
        const before = await read(who, from, to);
        await makeBooks(who, later, ids);
        const after = await read(who, from, to);
        expect(readExtf(after).rows).toEqual(readExtf(before).rows);
        expect(after.equals(before)).toBe(true);
      }),
      { numRuns: runs },
    );
  },
);
