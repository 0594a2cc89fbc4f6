import { builder, type ObjectFields, type QueryFields } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { text } from '../../graphql/input/validators.ts';
import type { Rules } from '../../graphql/plugins/authorization-and-validation.ts';
import { formatDay } from '../../graphql/scalars/days.ts';
import { ForbiddenError } from '../../errors/errors.ts';
import { Decimal } from '../../money/money.ts';
import { findDocuments, pageArgs, ReportDocuments } from './documents.ts';
import { checkPeriod, inTexts, periodArgs, type Period } from './period.ts';
import { readManyRows } from '../../rows/read-many-rows.ts';
import { isOwnInputVatSql } from './vat-boxes.ts';
import type { PeriodSql } from './settled-shares.ts';
import { accrualShares, cashShares, exchangeShares, lossShares } from './vat-shares.ts';

type Basis = 'ACCRUAL' | 'CASH';
type Kind = 'REVENUE' | 'EXPENSES' | 'EXCHANGE_GAINS' | 'EXCHANGE_LOSSES';

const ProfitBasis = builder.enumType('ProfitBasis', {
  description: 'When revenue and expenses count.',
  values: {
    ACCRUAL: { description: 'By the dates of invoices, credit notes, and receipts.' },
    CASH: { description: 'By the days of payments and refunds.' },
  } satisfies Record<Basis, object>,
});

const ProfitKind = builder.enumType('ProfitKind', {
  description: 'A part of a profit and loss.',
  values: {
    REVENUE: { description: 'Issued invoices less credit notes; and what suppliers gave up.' },
    EXPENSES: { description: 'Booked receipts; and fees, write-offs, and rounding of invoices.' },
    EXCHANGE_GAINS: { description: 'What payments gained against the exchange rates of their documents.' },
    EXCHANGE_LOSSES: { description: 'What payments lost against the exchange rates of their documents.' },
  } satisfies Record<Kind, object>,
});

interface Sums {
  currency: string;
  revenue: Decimal;
  expenses: Decimal;
  exchangeGains: Decimal;
  exchangeLosses: Decimal;
}

interface Month extends Sums, Period {}

interface Report extends Period {
  basis: Basis;
  months: Month[];
  totals: Sums[];
}

const sumFields = (t: ObjectFields<Sums>) => ({
  currency: t.exposeString('currency', {
    description: 'ISO 4217: the home currency, of documents with an exchange rate; else their own.',
  }),
  revenue: t.expose('revenue', {
    type: 'Decimal',
    description: 'Net: issued invoices less credit notes and cash discounts, or what was paid of them less refunds.',
  }),
  expenses: t.expose('expenses', {
    type: 'Decimal',
    description:
      'Booked receipts less cash discounts, or what was paid of them: net, and the VAT that can not be deducted. With fees, and on the accrual basis write-offs and rounding.',
  }),
  exchangeGains: t.expose('exchangeGains', {
    type: 'Decimal',
    description:
      'What payments gained against the exchange rates of their documents, on both bases by the days of payments.',
  }),
  exchangeLosses: t.expose('exchangeLosses', { type: 'Decimal', description: 'What they lost, as a positive amount.' }),
  result: t.field({
    type: 'Decimal',
    description: 'Revenue and exchange gains, less expenses and exchange losses.',
    resolve: ({ revenue, expenses, exchangeGains, exchangeLosses }) =>
      revenue.plus(exchangeGains).minus(expenses).minus(exchangeLosses),
  }),
});

const ProfitAndLossMonth = builder.objectRef<Month>('ProfitAndLossMonth').implement({
  description: 'Revenue and expenses of one month, in one currency.',
  fields: (t) => ({
    month: t.string({ description: '`YYYY-MM`.', resolve: ({ from }) => formatDay(from).slice(0, 7) }),
    from: t.expose('from', { type: 'Date', description: 'Its first day in the period.' }),
    to: t.expose('to', { type: 'Date', description: 'Its last day in the period.' }),
    ...sumFields(t as unknown as ObjectFields<Sums>),
  }),
});

const ProfitAndLossTotal = builder.objectRef<Sums>('ProfitAndLossTotal').implement({
  description: 'Revenue and expenses of the whole period, in one currency.',
  fields: sumFields,
});

const ProfitAndLoss = builder.objectRef<Report>('ProfitAndLoss').implement({
  description: 'Revenue and expenses of a period by month.',
  fields: (t) => ({
    from: t.expose('from', { type: 'Date', description: 'The first day.' }),
    to: t.expose('to', { type: 'Date', description: 'The last day.' }),
    basis: t.expose('basis', { type: ProfitBasis, description: 'When revenue and expenses count.' }),
    months: t.expose('months', {
      type: [ProfitAndLossMonth],
      description: 'Each month of the period, with an entry for each currency in use.',
    }),
    totals: t.expose('totals', { type: [ProfitAndLossTotal], description: 'The sums of the months, by currency.' }),
  }),
});

const checkReport: Rules<Period> = (period, { may }, problems) => {
  if (!may('receipts:read')) throw new ForbiddenError('receipts:read');
  checkPeriod(period, problems);
};

const toMonth = (day: Date): Temporal.PlainYearMonth => Temporal.PlainDate.from(formatDay(day)).toPlainYearMonth();

/** The months of a period, each cut to it. */
function splitIntoMonths({ from, to }: Period): Period[] {
  const first = toMonth(from);
  const { months: others } = first.until(toMonth(to), { largestUnit: 'months' });
  return Array.from({ length: others + 1 }, (_, index) => {
    const month = first.add({ months: index });
    const toDate = (day: number): Date => new Date(month.toPlainDate({ day }).toString());
    const [start, end] = [toDate(1), toDate(month.daysInMonth)];
    return { from: start > from ? start : from, to: end < to ? end : to };
  });
}

/** The same in SQL. */
const byMonth: PeriodSql = {
  first: `greatest(date_trunc('month', date::timestamp)::date, $2::date)`,
  last: `least((date_trunc('month', date::timestamp) + interval '1 month')::date - 1, $3::date)`,
};

/** Input VAT of another country is an expense, because it can't be deducted here. */
const withVatOfOthers = ({ tenant }: Context, shares: string): string =>
  `select type, id, number, date, kind, currency, vat,
     case when kind = 'INPUT' and category = 'S' and not (${isOwnInputVatSql(tenant.country)}) then value + vat else value end as value
   from (${shares}) as share`;

/**
 * The shares of documents and of payments in the period.
 * @param period on the cash basis, that by whose end a share is dated; by default the whole
 */
const buildShares = (context: Context, basis: Basis, period?: PeriodSql): string =>
  withVatOfOthers(
    context,
    `${basis === 'ACCRUAL' ? accrualShares('DOCUMENT') : cashShares('PAYMENT', period)} union all ${onPayment(basis)}`,
  );

/** The shares that count on the days of payments on both bases. */
const onPayment = (basis: Basis): string => `${lossShares(basis)} union all ${exchangeShares}`;

/** The part that a share belongs to. */
const kindSql = `case when kind = 'OUTPUT' then 'REVENUE' when kind like 'EXCHANGE%' then kind else 'EXPENSES' end`;

interface SumRow {
  month: string;
  currency: string;
  kind: Kind;
  sum: string;
}

async function findSums(context: Context, period: Period, basis: Basis): Promise<Pick<Report, 'months' | 'totals'>> {
  const rows = await readManyRows<SumRow>(
    context,
    `select to_char(date, 'YYYY-MM') as month, currency, ${kindSql} as kind, sum(value)::text as sum
     from (${buildShares(context, basis, byMonth)}) as shares group by 1, currency, 3`,
    inTexts(period),
  );
  const sumUp = (currency: string, summands: SumRow[]): Sums => {
    const sumKind = (of: Kind): Decimal =>
      Decimal.sum(0, ...summands.filter(({ kind }) => kind === of).map(({ sum }) => sum));
    return {
      currency,
      revenue: sumKind('REVENUE'),
      expenses: sumKind('EXPENSES'),
      exchangeGains: sumKind('EXCHANGE_GAINS'),
      exchangeLosses: sumKind('EXCHANGE_LOSSES'),
    };
  };
  const byCurrency = [...Map.groupBy(rows, ({ currency }) => currency)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    months: splitIntoMonths(period).flatMap((month) =>
      byCurrency.map(([currency, all]) => ({
        ...month,
        ...sumUp(
          currency,
          all.filter((row) => row.month === formatDay(month.from).slice(0, 7)),
        ),
      })),
    ),
    totals: byCurrency.map(([currency, all]) => sumUp(currency, all)),
  };
}

const profitArgs = (t: QueryFields) => ({
  ...periodArgs(t),
  basis: t.arg({ type: ProfitBasis, description: 'When revenue and expenses count. Default: ACCRUAL.' }),
});

builder.queryField('profitAndLoss', (t) =>
  t.field({
    type: ProfitAndLoss,
    description:
      'Revenue and expenses of a period by month, and exchange differences. Cancelled invoices count, and so do the credit notes that take them back, each on its own date, so that no month changes afterwards. Drafts do not. Needs `receipts:read`, too.',
    ability: 'invoices:read',
    args: profitArgs(t),
    rules: checkReport,
    resolve: async (_root, { from, to, basis: chosen }, context): Promise<Report> => {
      const basis = chosen ?? 'ACCRUAL';
      return { from, to, basis, ...(await findSums(context, { from, to }, basis)) };
    },
  }),
);

builder.queryField('profitAndLossDocuments', (t) =>
  t.field({
    type: ReportDocuments,
    description:
      'The documents behind a figure of the profit and loss: of a month, or of the whole period. Their sum is the figure. Needs `receipts:read`, too.',
    ability: 'invoices:read',
    args: {
      ...profitArgs(t),
      kind: t.arg({ type: ProfitKind, required: true, description: 'The part.' }),
      currency: t.arg.string({ required: true, description: 'The currency.', validate: text(3) }),
      ...pageArgs(t),
    },
    rules: checkReport,
    resolve: (_root, args, context) => {
      const shares = buildShares(context, args.basis ?? 'ACCRUAL');
      return findDocuments(
        context,
        `select type, id, number, date, value as net, vat from (${shares}) as share
         where ${kindSql} = $4 and currency = $5`,
        [...inTexts(args), args.kind, args.currency],
        args,
      );
    },
  }),
);
