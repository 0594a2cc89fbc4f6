import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Decimal } from '../../../schema/money/money.ts';
import { toSchema } from '../../../schema/index.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { item, makeBankTransaction, makeCustomer, makeInvoice, makeProject, makeTimeEntry } from '../books.ts';

// Each figure of the overview is the sum of a list that a client can read.

let service: Service;
let acme: Integrator;
let customerId: string;
let projectId: string;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  service.clock.now = new Date('2026-03-15T12:00:00Z');
  acme = await service.integrator();
  customerId = await makeCustomer(acme);
  projectId = await makeProject(acme);
});

const money = '{ currency amount count }';

interface Month {
  month: string;
  currency: string;
  invoicedGross: string;
  paid: string;
}

const readMonths = async (): Promise<Month[]> =>
  (await acme.graphql('{ overview { months { month currency invoicedGross paid } } }')).overview.months;

type Row = Record<string, unknown>;

/** All rows of a list that a filter finds. */
async function readList(list: string, filter: string, fields: string): Promise<Row[]> {
  const rows: Row[] = [];
  let after = '';
  for (;;) {
    const page = `nodes { id ${fields} } totalCount pageInfo { endCursor hasNextPage }`;
    const { read } = await acme.graphql(`{ read: ${list}(first: 100, filter: { ${filter} }${after}) { ${page} } }`);
    rows.push(...read.nodes);
    if (!read.pageInfo.hasNextPage) {
      expect(rows).toHaveLength(read.totalCount);
      return rows;
    }
    after = `, after: "${read.pageInfo.endCursor}"`;
  }
}

/** The sums of rows by currency, as the overview answers them. */
function sumByCurrency(rows: Row[], amountOf: (row: Row) => Decimal): Row[] {
  const groups = Map.groupBy(rows, ({ currency }) => String(currency));
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, of]) => ({
      currency,
      amount: of.reduce((sum, row) => sum.plus(amountOf(row)), new Decimal(0)).toFixed(),
      count: of.length,
    }));
}

const field = (name: string) => (row: Row) => new Decimal(String(row[name]));
const signedPayment = (row: Row): Decimal => new Decimal(String(row['amount'])).times(row['creditNoteId'] ? -1 : 1);
const readPayments = (month: string): Promise<Row[]> =>
  readList('payments', `receiptId: { isNull: true }, paidOn: ${within(month)}`, 'amount currency creditNoteId');
const within = (month: string): string => {
  const days = Temporal.PlainYearMonth.from(month);
  return `{ gte: "${month}-01", lte: "${month}-${days.daysInMonth}" }`;
};

/** The expected figures of the overview, by the lists. */
const figures: Record<string, { selection: string; read: () => Promise<unknown> }> = {
  outstanding: {
    selection: money,
    read: async () =>
      sumByCurrency(await readList('invoices', 'status: { eq: ISSUED }', 'currency amountDue'), field('amountDue')),
  },
  overdue: {
    selection: money,
    read: async () =>
      sumByCurrency(await readList('invoices', 'isOverdue: { eq: true }', 'currency amountDue'), field('amountDue')),
  },
  paidThisMonth: {
    selection: money,
    read: async () => sumByCurrency(await readPayments('2026-03'), signedPayment),
  },
  unmatchedTransactions: {
    selection: '',
    read: async () => (await readList('bankTransactions', 'matchStatus: { eq: UNMATCHED }', '')).length,
  },
  unbilledMinutes: {
    selection: '',
    read: async () => {
      const rows = await readList(
        'timeEntries',
        'invoiceId: { isNull: true }, billable: { eq: true }',
        'durationMinutes',
      );
      return rows.reduce((sum, row) => sum + Number(row['durationMinutes']), 0);
    },
  },
  months: {
    selection: '{ month currency invoicedGross paid }',
    read: async () => {
      const months = await readMonths();
      const perMonth = await Promise.all(
        [...new Set(months.map(({ month }) => month))].map(async (month) => {
          const invoices = ['ISSUED', 'PAID', 'CANCELLED'].map((status) =>
            readList('invoices', `status: { eq: ${status} }, invoiceDate: ${within(month)}`, 'currency totalGross'),
          );
          const creditNotes = await readList('creditNotes', `creditNoteDate: ${within(month)}`, 'currency totalGross');
          const invoiced = [
            ...sumByCurrency((await Promise.all(invoices)).flat(), field('totalGross')),
            ...sumByCurrency(creditNotes, (row) => field('totalGross')(row).negated()),
          ];
          return { month, invoiced, paid: sumByCurrency(await readPayments(month), signedPayment) };
        }),
      );
      const sumIn = (rows: Row[], currency: string): string =>
        rows
          .filter((row) => row['currency'] === currency)
          .reduce((sum, row) => sum.plus(String(row['amount'])), new Decimal(0))
          .toFixed();
      return months.map(({ month, currency }) => {
        const lists = perMonth.find((each) => each.month === month)!;
        return {
          month,
          currency,
          invoicedGross: sumIn(lists.invoiced, currency),
          paid: sumIn(lists.paid, currency),
        };
      });
    },
  },
};

const days = ['2025-03-31', '2025-04-01', '2025-10-15', '2026-02-28', '2026-03-01', '2026-03-15', '2026-03-31'];
const day = fc.constantFrom(...days);

/** Something that happens in the books. What isn't allowed in their state, the service refuses. */
const happening = fc.oneof(
  fc.record({
    make: fc.constant('invoice' as const),
    status: fc.constantFrom('DRAFT', 'ISSUED', 'ISSUED', 'PAID'),
    currency: fc.constantFrom('EUR', 'CHF'),
    unitPriceNet: fc.constantFrom('100', '0.01', '33.33'),
    invoiceDate: day,
  }),
  fc.record({ make: fc.constant('cancellation' as const), at: fc.nat(99) }),
  fc.record({ make: fc.constant('payment' as const), at: fc.nat(99), amount: fc.constantFrom('1', null), on: day }),
  fc.record({ make: fc.constant('credit' as const), at: fc.nat(99), net: fc.constantFrom('10', '0.01'), on: day }),
  fc.record({ make: fc.constant('refund' as const), at: fc.nat(99), on: day }),
  fc.record({ make: fc.constant('time' as const), billable: fc.boolean(), billed: fc.boolean() }),
  fc.record({
    make: fc.constant('transaction' as const),
    matchStatus: fc.constantFrom('UNMATCHED', 'PARTIALLY_MATCHED', 'MATCHED', 'IGNORED'),
  }),
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

/** Ids of what was made so far. */
interface Made {
  invoices: string[];
  creditNotes: string[];
}

async function happen(each: Happening, { invoices, creditNotes }: Made): Promise<void> {
  const at = (ids: string[], index: number): string | undefined => ids[index % Math.max(1, ids.length)];
  const run = (text: string): Promise<unknown> => acme.graphqlAnswer(`mutation { ${text} }`);
  switch (each.make) {
    case 'invoice': {
      const { make: _, unitPriceNet, ...fields } = each;
      const items = [{ ...item, unitPriceNet }];
      invoices.push(await makeInvoice(acme, { customerId, dueDate: '2026-04-30', ...fields, items }));
      if (fields.invoiceDate < '2026-03-01')
        invoices.push(await makeInvoice(acme, { customerId, dueDate: fields.invoiceDate, ...fields, items }));
      return;
    }
    case 'cancellation': {
      const id = at(invoices, each.at);
      if (id) await run(`cancelInvoice(id: "${id}") { id }`);
      return;
    }
    case 'payment': {
      const id = at(invoices, each.at);
      const amount = each.amount === null ? '' : `, amount: "${each.amount}"`;
      if (id) await run(`payInvoice(id: "${id}"${amount}, paidOn: "${each.on}") { id }`);
      return;
    }
    case 'credit': {
      const invoiceId = at(invoices, each.at);
      if (!invoiceId) return;
      const input = { invoiceId, amounts: [{ vatRate: '19', net: each.net }], creditNoteDate: each.on };
      const create = 'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }';
      const { body } = await acme.graphqlAnswer(create, { input });
      if (body.data?.createCreditNote) creditNotes.push(body.data.createCreditNote.id);
      return;
    }
    case 'refund': {
      const id = at(creditNotes, each.at);
      if (id) await run(`refundCreditNote(id: "${id}", paidOn: "${each.on}") { id }`);
      return;
    }
    case 'time': {
      const id = await makeTimeEntry(acme, { projectId, billable: each.billable, durationMinutes: 7 });
      const invoiceId = each.billed && each.billable ? invoices[0] : undefined;
      if (invoiceId) await acme.db.timeEntry.updateMany({ where: { id }, data: { invoiceId } });
      return;
    }
    case 'transaction':
      await makeBankTransaction(acme, { matchStatus: each.matchStatus });
  }
}

it('every figure of the overview is compared with its list', () => {
  const overview = toSchema().getType('Overview') as unknown as { getFields(): object };
  expect(Object.keys(figures).toSorted()).toEqual(Object.keys(overview.getFields()).toSorted());
});

/** A case that random happenings seldom lead to: a refund in this month. */
const refunded: Happening[] = [
  { make: 'invoice', status: 'PAID', currency: 'EUR', unitPriceNet: '100', invoiceDate: '2026-03-01' },
  { make: 'credit', at: 0, net: '10', on: '2026-03-15' },
  { make: 'refund', at: 0, on: '2026-03-15' },
];

it('each figure has as many rows as its list, and the same sum', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 25, maxLength: 35 }), async (happenings) => {
      const made: Made = { invoices: [], creditNotes: [] };
      for (const each of refunded) await happen(each, made);
      expect(await acme.db.payment.count({ where: { creditNoteId: made.creditNotes[0] ?? null } })).toBe(1);
      for (const each of happenings) await happen(each, made);
      const all = Object.entries(figures).map(([name, { selection }]) => `${name} ${selection}`);
      const { overview } = await acme.graphql(`{ overview { ${all.join(' ')} } }`);
      for (const [name, { read }] of Object.entries(figures))
        expect({ [name]: overview[name] }).toEqual({ [name]: await read() });
    }),
    { numRuns: 3, endOnFailure: true }, // each takes seconds
  );
});

it('what a cancellation takes back is taken from the month of the cancellation, not of the invoice', async () => {
  const id = await makeInvoice(acme, { customerId, invoiceDate: '2025-10-15', status: 'ISSUED' });
  const before = await readMonths();
  expect(before.find(({ month }) => month === '2025-10')).toMatchObject({ invoicedGross: '119' });
  await acme.graphql(`mutation { cancelInvoice(id: "${id}") { id } }`);
  const after = await readMonths();
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  expect(after.at(-1)).toEqual({ month: '2026-03', currency: 'EUR', invoicedGross: '-119', paid: '0' });
});
