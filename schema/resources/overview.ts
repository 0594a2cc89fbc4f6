import type { Prisma } from '../../prisma/generated/client/client.ts';
import { builder } from '../graphql/builder.ts';
import { today, type Context } from '../graphql/context.ts';
import { overdueOn } from './invoice/filter.ts';
import { balanceFields, computeBalance, type Balanced } from './invoice/balance.ts';
import { Decimal } from '../money/money.ts';
import { paidKinds } from './payment/kinds.ts';
import { unbilled } from './project/type.ts';
import { formatDay } from '../graphql/scalars/scalars.ts';
import { wholeNumber } from '../graphql/input/validators.ts';

/** At most so many months, the current one and those of the two years before. */
export const mostMonths = 36;

interface MoneyTotalOf {
  currency: string;
  amount: Decimal;
  count: number;
}

const MoneyTotal = builder.objectRef<MoneyTotalOf>('MoneyTotal').implement({
  description: 'A sum in one currency.',
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'The sum.' }),
    count: t.exposeInt('count', { description: 'The number of summands.' }),
  }),
});

interface MonthTotalOf {
  month: string;
  currency: string;
  invoicedGross: Decimal;
  paid: Decimal;
}

const MonthTotal = builder.objectRef<MonthTotalOf>('MonthTotal').implement({
  description: 'The amounts invoiced and paid in one month and one currency.',
  fields: (t) => ({
    month: t.exposeString('month', { description: '`YYYY-MM`.' }),
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    invoicedGross: t.expose('invoicedGross', {
      type: 'Decimal',
      description:
        'The gross totals of the invoices dated in this month, less those of the credit notes dated in it. Without drafts. A cancelled invoice stays in its month; the credit note that takes it back counts in the month of its own date.',
    }),
    paid: t.expose('paid', {
      type: 'Decimal',
      description: 'The payments of invoices in this month, less the refunds.',
    }),
  }),
});

/** More than there are currencies and months. */
const allGroups = 10_000;

interface Sum {
  currency: string;
  /** `YYYY-MM`; undefined unless they are by month. */
  month: string | undefined;
  amount: Decimal;
  count: number;
}

/**
 * The sums of a column per currency, in the order of the currency codes.
 * @param day the column whose months they are by, too
 */
async function sumUp(
  { db }: Context,
  model: 'CreditNote' | 'Invoice' | 'Payment',
  column: string,
  where: object,
  day?: string,
): Promise<Sum[]> {
  const by = { currency: { field: 'currency' }, ...(day && { month: { field: day, month: true } }) };
  const groups = await db.model(model).findGroups({ where, by, sums: [column], take: allGroups });
  return groups.map(({ values, count, sums }) => ({
    currency: String(values['currency']),
    month: values['month'] as string | undefined,
    amount: new Decimal(String(sums[column])),
    count,
  }));
}

const negated = (sums: Sum[]): Sum[] => sums.map((each) => ({ ...each, amount: each.amount.negated() }));

/** The amounts due of these invoices. An index has all columns that their balance consists of. */
async function due({ db }: Context, where: Prisma.InvoiceWhereInput): Promise<MoneyTotalOf[]> {
  const by = { currency: { field: 'currency' } };
  const groups = await db.model('Invoice').findGroups({ where, by, sums: Object.keys(balanceFields), take: allGroups });
  return groups.map(({ values, count, sums }) => ({
    currency: String(values['currency']),
    amount: computeBalance(sums as unknown as Balanced),
    count,
  }));
}

/** The month of the tenant's today. */
const thisMonth = (context: Context): Temporal.PlainYearMonth =>
  Temporal.PlainDate.from(formatDay(today(context))).toPlainYearMonth();

/** The days of these months, as a condition. */
const buildDays = (first: Temporal.PlainYearMonth, last = first): { gte: Date; lt: Date } => ({
  gte: new Date(`${first.toString()}-01`),
  lt: new Date(`${last.add({ months: 1 }).toString()}-01`),
});

/** The payments of invoices less the refunds of credit notes, per currency and month. */
async function sumPayments(context: Context, paidOn: object): Promise<Sum[]> {
  const [payments, refunds] = await Promise.all(
    ['invoiceId', 'creditNoteId'].map((of) =>
      sumUp(context, 'Payment', 'amount', { [of]: { not: null }, kind: { in: paidKinds }, paidOn }, 'paidOn'),
    ),
  );
  return [...(payments ?? []), ...negated(refunds ?? [])];
}

async function paidIn(context: Context, month: Temporal.PlainYearMonth): Promise<MoneyTotalOf[]> {
  const byCurrency = Map.groupBy(await sumPayments(context, buildDays(month)), ({ currency }) => currency);
  return [...byCurrency.keys()].toSorted().map((currency) => {
    const sums = byCurrency.get(currency) ?? [];
    return {
      currency,
      amount: Decimal.sum(...sums.map(({ amount }) => amount)),
      count: sums.reduce((sum, { count }) => sum + count, 0),
    };
  });
}

async function lastMonths(context: Context, count: number): Promise<MonthTotalOf[]> {
  const last = thisMonth(context);
  const first = last.subtract({ months: count - 1 });
  const days = buildDays(first, last);
  const [issued, credited, paid] = await Promise.all([
    sumUp(context, 'Invoice', 'totalGross', { status: { not: 'DRAFT' }, invoiceDate: days }, 'invoiceDate'),
    sumUp(context, 'CreditNote', 'totalGross', { creditNoteDate: days }, 'creditNoteDate'),
    sumPayments(context, days),
  ]);
  const invoiced = [...issued, ...negated(credited)];
  const used = new Set([...invoiced, ...paid].map(({ currency }) => currency));
  const currencies = used.size > 0 ? [...used].toSorted() : [context.tenant.defaultCurrency];
  return Array.from({ length: count }, (_, index) => first.add({ months: index }).toString()).flatMap((month) =>
    currencies.map((currency) => {
      const total = (sums: Sum[]): Decimal =>
        Decimal.sum(
          0,
          ...sums.filter((each) => each.month === month && each.currency === currency).map(({ amount }) => amount),
        );
      return { month, currency, invoicedGross: total(invoiced), paid: total(paid) };
    }),
  );
}

const Overview = builder.objectRef<object>('Overview').implement({
  description: "Key figures, as of the tenant's today. Sums are per currency, in the order of the currency codes.",
  fields: (t) => ({
    outstanding: t.field({
      type: [MoneyTotal],
      description: 'The amounts due of issued invoices, including overdue ones.',
      ability: 'invoices:read',
      resolve: (_overview, _args, context) => due(context, { status: 'ISSUED' }),
    }),
    overdue: t.field({
      type: [MoneyTotal],
      description: 'The amounts due of overdue invoices.',
      ability: 'invoices:read',
      resolve: (_overview, _args, context) => due(context, overdueOn(today(context))),
    }),
    paidThisMonth: t.field({
      type: [MoneyTotal],
      description:
        'The payments of invoices in this calendar month, less the refunds: their sum, and the number of both.',
      ability: 'invoices:read',
      resolve: (_overview, _args, context) => paidIn(context, thisMonth(context)),
    }),
    unmatchedTransactions: t.int({
      description: 'The number of unmatched bank transactions.',
      ability: 'bank-transactions:read',
      resolve: (_overview, _args, context) => context.db.bankTransaction.count({ where: { matchStatus: 'UNMATCHED' } }),
    }),
    unbilledMinutes: t.int({
      description: 'The billable time of all projects that no invoice bills, in minutes.',
      ability: 'time-entries:read',
      resolve: async (_overview, _args, context) => {
        const { _sum } = await context.db.timeEntry.aggregate({ where: unbilled, _sum: { durationMinutes: true } });
        return _sum.durationMinutes ?? 0;
      },
    }),
    months: t.field({
      type: [MonthTotal],
      description: 'The last months, the current one last. Each month has an entry for each currency in use.',
      ability: 'invoices:read',
      args: {
        last: t.arg.int({
          description: 'So many months. Default: 12.',
          validate: wholeNumber(1, mostMonths),
        }),
      },
      resolve: (_overview, { last }, context) => lastMonths(context, last ?? 12),
    }),
  }),
});

builder.queryField('overview', (t) =>
  t.field({
    type: Overview,
    description: 'Key figures. Each field needs an ability of its own.',
    resolve: () => ({}),
  }),
);
