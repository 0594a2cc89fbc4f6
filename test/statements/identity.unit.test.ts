import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../schema/money/money.ts';
import { formatDay } from '../../schema/graphql/scalars/scalars.ts';
import { computeIdentity, withOccurrence } from '../../schema/bank-statements/parsers/identity.ts';
import type { StatementTransaction } from '../../schema/bank-statements/parsers/statement.ts';
import { camt, entry, readAll, sample } from './files.ts';

const day = (date: string) => new Date(`${date}T00:00:00Z`);

const known: StatementTransaction = {
  accountIban: 'DE89370400440532013000',
  bookingDate: day('2026-03-02'),
  valueDate: day('2026-03-03'),
  amount: new Decimal('-10'),
  currency: 'EUR',
  externalId: 'B1',
  counterpartyName: 'Ada',
  counterpartyIban: 'FR1',
  reference: 'Rechnung für März',
};

describe('an identity', () => {
  test('never changes, so that imported transactions stay recognizable', () => {
    expect(computeIdentity(known)).toBe('9de7882df495b7c65c7e35a221e9508473b2fd38dc2fe3ed0ac4cd39a5f8a5b4');
    expect(withOccurrence()(known)).toBe('50fd01dbef4cfc40cf56d7880c3327d6f4fd00d7ece4ce8981bf1f497e04a72b');
  });

  test.each([
    ['10 and 10.00', { amount: new Decimal('-10.00') }],
    ['blanks', { accountIban: 'de89 3704 0044 0532 0130 00', reference: '  Rechnung  für\nMärz ' }],
    ['composed letters', { reference: 'Rechnung für März'.normalize('NFD') }],
  ])('doesn’t depend on %s', (_, change) => {
    expect(computeIdentity({ ...known, ...change })).toBe(computeIdentity(known));
  });

  test.each([
    { accountIban: 'DE1' },
    { bookingDate: day('2026-03-03') },
    { valueDate: day('2026-03-02') },
    { valueDate: null },
    { amount: new Decimal('10') },
    { amount: new Decimal('-10.01') },
    { currency: 'USD' },
    { externalId: null },
    { externalId: 'B2' },
    { counterpartyName: null },
    { counterpartyIban: 'FR2' },
    { reference: 'rechnung für März' },
    { counterpartyName: 'FR1', counterpartyIban: 'Ada' },
  ])('depends on $0', (change) => {
    expect(computeIdentity({ ...known, ...change })).not.toBe(computeIdentity(known));
  });

  test('is the same for 0 and -0', () => {
    const zero = (amount: Decimal) => computeIdentity({ ...known, amount });
    expect(zero(new Decimal(0).negated())).toBe(zero(new Decimal('0.00')));
  });
});

/** An account's days with transactions. There are few different ones, so that many are equal. */
const days = fc.array(
  fc.array(
    fc.record({
      amount: fc.constantFrom('1', '2'),
      reference: fc.constantFrom('a', null),
      externalId: fc.constantFrom('B', null),
    }),
    {
      maxLength: 6,
    },
  ),
  { minLength: 1, maxLength: 8 },
);
type Days = typeof days extends fc.Arbitrary<infer T> ? T : never;

const file = (of: Days, from: number, until: number): StatementTransaction[] =>
  of.slice(from, until).flatMap((transactions, at) =>
    transactions.map((one) => ({
      ...known,
      ...one,
      amount: new Decimal(one.amount),
      bookingDate: day(`2026-03-${String(from + at + 1).padStart(2, '0')}`),
    })),
  );

/** Adds a file's transactions to the books, which have each identity once. */
function importInto(books: Map<string, StatementTransaction>, transactions: StatementTransaction[]): void {
  const identify = withOccurrence();
  for (const one of transactions) {
    const identity = identify(one);
    if (!books.has(identity)) books.set(identity, one);
  }
}

const sorted = (transactions: Iterable<StatementTransaction>): string[] =>
  [...transactions]
    .map((one) => `${formatDay(one.bookingDate)} ${one.amount.toFixed()} ${one.reference} ${one.externalId}`)
    .toSorted();

describe('importing', () => {
  test('keeps two equal transactions of one file, and adds none when the file is imported again', () => {
    const books = new Map<string, StatementTransaction>();
    importInto(books, [known, known, { ...known }]);
    expect(books.size).toBe(3);
    importInto(books, [known, known, known]);
    expect(books.size).toBe(3);
  });

  test('adds only the additional ones of a file with more equal transactions', () => {
    const books = new Map<string, StatementTransaction>();
    importInto(books, [known]);
    importInto(books, [known, known]);
    expect(books.size).toBe(2);
  });

  test('adds each transaction of overlapping files once, in any order of files and entries', () => {
    const span = fc.tuple(fc.nat(7), fc.nat(8)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    const shuffled = fc.array(fc.nat(), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(days, fc.array(span, { maxLength: 5 }), shuffled, (of, spans, order) => {
        const books = new Map<string, StatementTransaction>();
        for (const [from, until] of spans) {
          const keyed = file(of, from, until).map((one, at) => ({ one, key: (order[at % order.length] ?? 0) * at }));
          importInto(
            books,
            keyed.toSorted((a, b) => a.key - b.key).map(({ one }) => one),
          );
        }
        const covered = of.map((transactions, at) =>
          spans.some(([from, until]) => at >= from && at < until) ? transactions : [],
        );
        expect(sorted(books.values())).toEqual(sorted(file(covered, 0, covered.length)));
      }),
    );
  });

  test('adds nothing when a sample is imported again', async () => {
    for (const path of ['camt053/camt053.v2.multi.statement.xml', 'mt940/abnamro.sta', 'mt940/sepa_mt9401.sta']) {
      const books = new Map<string, StatementTransaction>();
      const bytes = await sample(path);
      const { transactions } = await readAll(bytes);
      importInto(books, transactions);
      importInto(books, (await readAll(bytes, { size: 100 })).transactions);
      expect(books.size).toBe(transactions.length);
    }
  });

  test('recognizes the same entries in another version and form of the format', async () => {
    const books = new Map<string, StatementTransaction>();
    importInto(books, (await readAll(camt(entry() + entry()))).transactions);
    const recent = camt(entry({ amount: '10', status: '<Cd>BOOK</Cd>' }).repeat(2), { version: '08' });
    importInto(books, (await readAll(recent)).transactions);
    expect(books.size).toBe(2);
  });
});
