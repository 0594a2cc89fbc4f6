import type { PeriodLockSeries as PeriodLockSeriesNames } from '../../../prisma/client.ts';
import { requireAbilities } from '../../errors/errors.ts';
import { builder } from '../../graphql/builder.ts';
import { resourceIdDescription } from '../../graphql/node.ts';
import { formatDay, parseDay } from '../../graphql/scalars/scalars.ts';
import { PeriodLockSeries } from './type.ts';

// Work to be done before a period is locked: drafts, unmatched bank transactions, and documents without a proof.
// Afterwards they can be booked on a later day only.

/** At most this many are listed. */
const maxItems = 100;

interface Item {
  problem: 'DRAFT' | 'UNMATCHED' | 'UNPROVEN';
  type: 'INVOICE' | 'CREDIT_NOTE' | 'RECEIPT' | 'BANK_TRANSACTION';
  id: string;
  number: string | null;
  date: string;
}

interface Check {
  series: PeriodLockSeriesNames;
  until: Date;
  drafts: number;
  unmatched: number;
  unproven: number;
  items: Item[];
}

const ItemType = builder.enumType('PeriodLockCheckType', {
  description: 'A kind of row.',
  values: {
    INVOICE: { description: 'An invoice.' },
    CREDIT_NOTE: { description: 'A credit note.' },
    RECEIPT: { description: 'A receipt.' },
    BANK_TRANSACTION: { description: 'A bank transaction.' },
  } satisfies Record<Item['type'], object>,
});

const ItemProblem = builder.enumType('PeriodLockCheckProblem', {
  description: 'What is to be done.',
  values: {
    DRAFT: { description: 'A draft: issue, book, or delete it.' },
    UNMATCHED: { description: 'A bank transaction of which something is open: match or ignore it.' },
    UNPROVEN: { description: 'An issued document without a proof. A job makes it.' },
  } satisfies Record<Item['problem'], object>,
});

const CheckItem = builder.objectRef<Item>('PeriodLockCheckItem').implement({
  description: 'Something to be done before a period is locked.',
  fields: (t) => ({
    problem: t.expose('problem', { type: ItemProblem, description: 'What is to be done.' }),
    type: t.expose('type', { type: ItemType, description: 'Its kind.' }),
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
    resourceId: t.expose('id', { type: 'UUID', description: resourceIdDescription('Its id') }),
    number: t.exposeString('number', { nullable: true, description: 'Its number; null without one.' }),
    date: t.field({
      type: 'Date',
      description: 'The day on which it counts.',
      resolve: ({ date }) => parseDay(date) as Date,
    }),
  }),
});

const PeriodLockCheck = builder.objectRef<Check>('PeriodLockCheck').implement({
  description: 'What is to be done before a period is locked.',
  fields: (t) => ({
    series: t.expose('series', { type: PeriodLockSeries, description: 'The bookings that would be closed.' }),
    until: t.expose('until', { type: 'Date', description: 'The last day that would be closed.' }),
    drafts: t.exposeInt('drafts', { description: 'The number of drafts dated until then.' }),
    unmatched: t.exposeInt('unmatched', { description: 'The number of bank transactions of which something is open.' }),
    unproven: t.exposeInt('unproven', { description: 'The number of issued documents without a proof.' }),
    items: t.expose('items', { type: [CheckItem], description: `All of these, by date; the first ${maxItems}.` }),
  }),
});

/** The rows of each series. Parameters: the tenant, the last day. */
const rowsOfSeries = {
  SALES: `
    select 'DRAFT' as problem, 'INVOICE' as type, id, null as number, invoice_date as date
    from invoices where tenant_id = $1 and status = 'draft' and invoice_date <= $2::date
    union all
    select 'UNPROVEN', 'INVOICE', document.id, document.number, document.invoice_date
    from unproven_documents as unproven
      join invoices as document on document.tenant_id = unproven.tenant_id and document.id = unproven.id
    where unproven.tenant_id = $1 and document.invoice_date <= $2::date
    union all
    select 'UNPROVEN', 'CREDIT_NOTE', document.id, document.number, document.credit_note_date
    from unproven_documents as unproven
      join credit_notes as document on document.tenant_id = unproven.tenant_id and document.id = unproven.id
    where unproven.tenant_id = $1 and document.credit_note_date <= $2::date`,
  PURCHASES: `
    select 'DRAFT' as problem, 'RECEIPT' as type, id, receipt_number as number, receipt_date as date
    from receipts where tenant_id = $1 and status = 'draft' and receipt_date <= $2::date
    union all
    select 'UNPROVEN', 'RECEIPT', document.id, document.receipt_number, document.receipt_date
    from unproven_receipts as unproven
      join receipts as document on document.tenant_id = unproven.tenant_id and document.id = unproven.id
    where unproven.tenant_id = $1 and document.receipt_date <= $2::date`,
  BANK: `
    select 'UNMATCHED' as problem, 'BANK_TRANSACTION' as type, id, null as number, booking_date as date
    from bank_transactions
    where tenant_id = $1 and match_status in ('unmatched', 'partially_matched') and booking_date <= $2::date`,
};

const findSeries = (series: PeriodLockSeriesNames): (keyof typeof rowsOfSeries)[] =>
  series === 'ALL' ? ['SALES', 'PURCHASES', 'BANK'] : [series];

const abilities = { SALES: 'invoices:read', PURCHASES: 'receipts:read', BANK: 'bank-transactions:read' } as const;

builder.queryField('periodLockCheck', (t) =>
  t.field({
    type: PeriodLockCheck,
    description:
      'What is to be done before a period is locked. Needs `invoices:read`, `receipts:read`, and `bank-transactions:read`, too, as the series has them.',
    ability: 'company:read',
    args: {
      until: t.arg({ type: 'Date', required: true, description: 'The last day that would be closed.' }),
      series: t.arg({ type: PeriodLockSeries, description: 'The bookings that would be closed. Default: ALL.' }),
    },
    rules: ({ series }, context) =>
      requireAbilities(
        context,
        findSeries(series ?? 'ALL').map((each) => abilities[each]),
      ),
    resolve: async (_root, { until, series }, { db }): Promise<Check> => {
      const chosen = series ?? 'ALL';
      const [found] = await db.$rows<Omit<Check, 'series' | 'until'>>(
        `with open as materialized (${findSeries(chosen)
          .map((each) => rowsOfSeries[each])
          .join(' union all ')}),
        page as (select * from open order by date, id limit ${maxItems})
        select (select count(*)::int from open where problem = 'DRAFT') as drafts,
          (select count(*)::int from open where problem = 'UNMATCHED') as unmatched,
          (select count(*)::int from open where problem = 'UNPROVEN') as unproven,
          (select coalesce(json_agg(page), '[]') from page) as items`,
        [formatDay(until)],
      );
      if (!found) throw new Error('No row of the check');
      return { ...found, series: chosen, until };
    },
  }),
);
