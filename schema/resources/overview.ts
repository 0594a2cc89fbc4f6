import type { Prisma } from '../../prisma/generated/client/client.ts';
import { builder } from '../graphql/builder.ts';
import { today, type Context } from '../graphql/context.ts';
import { overdueOn } from './invoice/filter.ts';
import { balanceFields, computeBalance } from './invoice/balance.ts';
import { Decimal } from '../money/money.ts';
import { unbilled } from './project/type.ts';
import { formatDay } from '../graphql/scalars/scalars.ts';

const monthsShown = 12;

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

const none = new Decimal(0);

/** The amounts due of these invoices. */
async function due(context: Context, where: Prisma.InvoiceWhereInput): Promise<MoneyTotalOf[]> {
  const groups = await context.db.invoice.groupBy({
    by: 'currency',
    where,
    _sum: balanceFields,
    _count: true,
    orderBy: { currency: 'asc' },
  });
  return groups.map(({ currency, _sum, _count }) => ({
    currency,
    amount: computeBalance({
      totalGross: _sum.totalGross ?? none,
      amountCredited: _sum.amountCredited ?? none,
      amountPaid: _sum.amountPaid ?? none,
      amountRefunded: _sum.amountRefunded ?? none,
    }),
    count: _count,
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

async function paidIn(context: Context, month: Temporal.PlainYearMonth): Promise<MoneyTotalOf[]> {
  const sums = (where: Prisma.PaymentWhereInput) =>
    context.db.payment.groupBy({
      by: 'currency',
      where: { ...where, paidOn: buildDays(month) },
      _sum: { amount: true },
      _count: true,
    });
  const [payments, refunds] = await Promise.all([
    sums({ invoiceId: { not: null } }),
    sums({ creditNoteId: { not: null } }),
  ]);
  const totals = new Map<string, MoneyTotalOf>();
  for (const [sign, groups] of [
    [1, payments],
    [-1, refunds],
  ] as const) {
    for (const { currency, _sum, _count } of groups) {
      const { amount, count } = totals.get(currency) ?? { amount: none, count: 0 };
      totals.set(currency, { currency, amount: amount.plus((_sum.amount ?? none).times(sign)), count: count + _count });
    }
  }
  return [...totals.values()].toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}

async function lastMonths(context: Context): Promise<MonthTotalOf[]> {
  const last = thisMonth(context);
  const first = last.subtract({ months: monthsShown - 1 });
  const days = buildDays(first, last);
  // By day, as Prisma groups by columns alone: at most 366 sums for each currency.
  const [invoiced, credited, paid, refunded] = await Promise.all([
    context.db.invoice.groupBy({
      by: ['invoiceDate', 'currency'],
      where: { status: { not: 'DRAFT' }, invoiceDate: days },
      _sum: { totalGross: true },
    }),
    context.db.creditNote.groupBy({
      by: ['creditNoteDate', 'currency'],
      where: { creditNoteDate: days },
      _sum: { totalGross: true },
    }),
    context.db.payment.groupBy({
      by: ['paidOn', 'currency'],
      where: { invoiceId: { not: null }, paidOn: days },
      _sum: { amount: true },
    }),
    context.db.payment.groupBy({
      by: ['paidOn', 'currency'],
      where: { creditNoteId: { not: null }, paidOn: days },
      _sum: { amount: true },
    }),
  ]);
  const used = new Set([...invoiced, ...credited, ...paid, ...refunded].map(({ currency }) => currency));
  const currencies = used.size > 0 ? [...used].toSorted() : [context.tenant.defaultCurrency];
  const totals = new Map<string, MonthTotalOf>();
  for (let index = 0; index < monthsShown; index++) {
    const month = first.add({ months: index }).toString();
    for (const currency of currencies)
      totals.set(month + currency, { month, currency, invoicedGross: new Decimal(0), paid: new Decimal(0) });
  }
  const add = (
    day: Date,
    currency: string,
    to: 'invoicedGross' | 'paid',
    amount: Prisma.Decimal | null,
    sign: 1 | -1 = 1,
  ): void => {
    const total = totals.get(formatDay(day).slice(0, 'YYYY-MM'.length) + currency);
    if (total) total[to] = total[to].plus((amount ?? none).times(sign));
  };
  for (const { invoiceDate, currency, _sum } of invoiced) add(invoiceDate, currency, 'invoicedGross', _sum.totalGross);
  for (const { creditNoteDate, currency, _sum } of credited)
    add(creditNoteDate, currency, 'invoicedGross', _sum.totalGross, -1);
  for (const { paidOn, currency, _sum } of paid) add(paidOn, currency, 'paid', _sum.amount);
  for (const { paidOn, currency, _sum } of refunded) add(paidOn, currency, 'paid', _sum.amount, -1);
  return [...totals.values()];
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
      description: `The last ${monthsShown} months, the current one last. Each month has an entry for each currency in use.`,
      ability: 'invoices:read',
      resolve: (_overview, _args, context) => lastMonths(context),
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
