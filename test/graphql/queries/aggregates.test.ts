import fc from 'fast-check';
import { getNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Decimal } from '../../../schema/money/money.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { listen } from '../../isolation/statements.ts';
import { refusal } from '../books.ts';
import { fillBooks, filtersOf, finds, lists, read, today, type Row } from './filter-model.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  service.clock.now = today;
  acme = await service.integrator();
  await fillBooks(await service.integrator()); // another tenant's rows, the same ones
  await fillBooks(acme);
});
afterAll(() => service.close());

/** The aggregates: the list of the same rows, and the column whose months they are grouped by. */
const aggregates = [
  { field: 'invoicesAggregate', list: 'invoices', day: 'invoiceDate' },
  { field: 'receiptsAggregate', list: 'receipts', day: 'receiptDate' },
  { field: 'timeEntriesAggregate', list: 'timeEntries', day: 'date' },
  { field: 'bankTransactionsAggregate', list: 'bankTransactions', day: 'bookingDate' },
];

const monthOf = (value: unknown): string => (value as Date).toISOString().slice(0, 7);
const number = (value: unknown): Decimal => new Decimal(String(value));

describe.each(aggregates)('$field', ({ field, list, day }) => {
  const { type, rows: readRows } = lists[list]!;

  it('counts and adds up what any filter finds, by any groups, per currency', async () => {
    const rows = (await readRows(acme.db)) as Row[];
    const { schema } = service.domain;
    const filterType = schema.getType(`${type}Filter`);
    const [group, sumsType, groupBy] = [`${type}Group`, `${type}Sums`, `${type}GroupBy`].map((name) =>
      schema.getType(name),
    );
    if (!isInputObjectType(filterType) || !isObjectType(group) || !isObjectType(sumsType) || !isEnumType(groupBy))
      throw new Error('These types are missing');
    const keys = Object.values(group.getFields())
      .filter(({ name, type: of }) => !['count', 'sums'].includes(name) && !isObjectType(getNamedType(of)))
      .map(({ name }) => name);
    const keyOf = (name: string): string =>
      keys.find((key) => key.replace(/Id$/, '').replace(/[A-Z]/g, '_$&').toUpperCase() === name)!;
    const sums = Object.keys(sumsType.getFields());
    const document = `query ($filter: ${type}Filter, $groupBy: [${type}GroupBy!]) {
      groups: ${field}(filter: $filter, groupBy: $groupBy) { ${keys.join(' ')} count sums { ${sums.join(' ')} } }
    }`;
    const valueOf = (row: Row, key: string): unknown => (key === 'month' ? monthOf(row[day]) : (row[key] ?? null));
    let several = 0;
    await fc.assert(
      fc.asyncProperty(
        filtersOf(filterType, rows, 1),
        fc.uniqueArray(fc.constantFrom(...groupBy.getValues().map(({ name }) => name))),
        async (filter, chosen) => {
          const found = rows.filter((row) => finds(filterType, row, filter));
          const named = [...new Set([...chosen.map(keyOf), ...(keys.includes('currency') ? ['currency'] : [])])];
          const wanted = Map.groupBy(found, (row) => JSON.stringify(named.map((key) => valueOf(row, key))));
          const { groups } = await acme.graphql(document, { filter, groupBy: chosen });
          if (groups.length > 1) several += 1;
          expect(groups.length).toBe(wanted.size);
          for (const each of groups) {
            for (const key of keys) if (!named.includes(key)) expect(each[key]).toBeNull();
            const members = wanted.get(JSON.stringify(named.map((key) => each[key]))) ?? [];
            expect(each.count).toBe(members.length);
            for (const name of sums) {
              const total = Decimal.sum(0, ...members.map((row) => number(read(`${type}Filter`, row, name))));
              expect(number(each.sums[name]).toFixed()).toBe(total.toFixed());
            }
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(several).toBeGreaterThan(0);
  });
});

it('who owes most: customers by the amount due, with their names', async () => {
  const sent: string[] = [];
  const stop = listen(({ text }) => void sent.push(text));
  const { invoicesAggregate: groups } = await acme.graphql(`{
    invoicesAggregate(
      filter: { status: { eq: ISSUED } }, groupBy: [CUSTOMER], orderBy: { field: AMOUNT_DUE, direction: DESC }, first: 3
    ) { currency count customer { id companyName } customerId sums { amountDue } }
  }`);
  stop();
  expect(sent.filter((text) => text.includes('"customers"'))).toHaveLength(1);
  expect(groups).toHaveLength(3);
  const due = groups.map(({ sums }: { sums: { amountDue: string } }) => Number(sums.amountDue));
  expect(due).toEqual(due.toSorted((a: number, b: number) => b - a));
  for (const { customer, customerId } of groups) expect(customer).toMatchObject({ id: customerId });
});

it('orders groups by the values that they share, an enum by its declaration', async () => {
  const caller = await service.integrator();
  await service.pool.query(
    `set session_replication_role = replica;
     insert into bank_transactions (tenant_id, id, account_iban, booking_date, amount, amount_open, currency, match_status, updated_at)
     select '${caller.tenantId}', uuidv7(), 'x', '2020-01-01'::date + n % 2001, 1, (array[1, 0.5, 0, 1])[1 + n % 4], 'EUR', (enum_range(null::match_status))[1 + n % 4], now()
     from generate_series(1, 8004) as n;
     set session_replication_role = origin`,
  );
  const { groups } = await caller.graphql(
    '{ groups: bankTransactionsAggregate(groupBy: [MATCH_STATUS, MONTH]) { matchStatus month count } }',
  );
  const names = groups.map(
    ({ matchStatus, month }: { matchStatus: string; month: string }) => `${matchStatus} ${month}`,
  );
  const months = Array.from(
    { length: 66 },
    (_, n) => `${2020 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`,
  );
  expect(names).toEqual(
    ['UNMATCHED', 'PARTIALLY_MATCHED', 'MATCHED', 'IGNORED'].flatMap((status) =>
      months.map((month) => `${status} ${month}`),
    ),
  );
});

it('is exact beyond the digits of a double', async () => {
  const { db, graphql } = await service.integrator();
  const amounts = ['123456789012345.00001', '0.00002', '-0.00001'];
  await db.bankTransaction.createMany({
    data: amounts.map((amount) => ({
      accountIban: 'x',
      bookingDate: today,
      amount,
      amountOpen: amount,
      currency: 'EUR',
    })),
  });
  const { bankTransactionsAggregate } = await graphql('{ bankTransactionsAggregate { count sums { amount } } }');
  expect(bankTransactionsAggregate).toEqual([{ count: 3, sums: { amount: '123456789012345.00002' } }]);
});

it('refuses more than 1000 groups, unless first says how many are wanted', async () => {
  const { db, graphql, graphqlAnswer } = await service.integrator();
  await db.bankTransaction.createMany({
    data: Array.from({ length: 1001 }, (_, n) => ({
      accountIban: `x${n}`,
      bookingDate: today,
      amount: 1,
      amountOpen: 1,
      currency: 'EUR',
    })),
  });
  const query = (args: string) => `{ groups: bankTransactionsAggregate(groupBy: [ACCOUNT_IBAN]${args}) { count } }`;
  const message = 'There are more than 1000 groups. Give `first`, or a narrower filter.';
  expect(refusal(await graphqlAnswer(query('')))).toMatchObject({ errors: { groupBy: [message] } });
  expect((await graphql(query(', first: 1000'))).groups).toHaveLength(1000);
  expect(refusal(await graphqlAnswer(query(', first: 1001')))).toMatchObject({
    errors: { first: [expect.any(String)] },
  });
});

it('needs the ability of its rows, and of what it names', async () => {
  const reader = await service.integrator({ abilities: ['invoices:read'] });
  expect(await reader.graphql('{ invoicesAggregate { count } }')).toEqual({ invoicesAggregate: [] });
  expect(refusal(await reader.graphqlAnswer('{ receiptsAggregate { count } }')).code).toBe('FORBIDDEN');
  const named = await acme.graphql('{ invoicesAggregate(groupBy: [CUSTOMER], first: 1) { customer { id } } }');
  expect(named.invoicesAggregate).toHaveLength(1);
});
