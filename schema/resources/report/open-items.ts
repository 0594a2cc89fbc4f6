import { builder } from '../../graphql/builder.ts';
import { resourceIdDescription } from '../../graphql/node.ts';
import { wholeNumber } from '../../graphql/input/validators.ts';
import { formatDay, parseDay } from '../../graphql/scalars/days.ts';
import { ForbiddenError } from '../../errors/errors.ts';
import { Decimal } from '../../money/money.ts';
import { creditSql } from '../payment/customer-credit.ts';
import { adjustedKindsSql, paidKindsSql } from '../payment/kinds.ts';
import { readManyRows } from '../../rows/read-many-rows.ts';

/** The most partners and currencies of a report, and the most items of one response. */
export const maxRows = 1000;

type Side = 'RECEIVABLE' | 'PAYABLE';

const OpenItemSide = builder.enumType('OpenItemSide', {
  description: 'Who owes.',
  values: {
    RECEIVABLE: { description: 'Customers: issued invoices.' },
    PAYABLE: { description: 'The tenant: booked receipts. Credits of suppliers are negative.' },
  } satisfies Record<Side, object>,
});

/** The ages of what is open, by the days since it was due; and the columns of a sum that they are. */
const ages = {
  notDue: 'days_late <= 0',
  days1To30: 'days_late between 1 and 30',
  days31To60: 'days_late between 31 and 60',
  days61To90: 'days_late between 61 and 90',
  daysOver90: 'days_late > 90',
} as const;

/**
 * Invoices as they were at the end of a day: what they are now, without what is dated after it. Parameters: the tenant, the
 * day.
 */
const receivables = `
  select document.id, document.number, document.invoice_date as date, document.due_date, document.customer_id as partner_id,
    document.currency, document.total_gross as gross,
    document.amount_paid - document.amount_refunded - coalesce(later.paid, 0) as paid,
    document.amount_adjusted - coalesce(later.adjusted, 0) as adjusted,
    document.amount_credited - coalesce(credited_later.amount, 0) as credited
  from invoices as document
    left join (
      select coalesce(payment.invoice_id, note.invoice_id) as id,
        sum(case when note.id is null then payment.amount else -payment.amount end)
          filter (where payment.kind in (${paidKindsSql})) as paid,
        sum(payment.amount) filter (where payment.kind in (${adjustedKindsSql})) as adjusted
      from payments as payment
        left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
      where payment.tenant_id = $1 and payment.receipt_id is null and payment.paid_on > $2
      group by coalesce(payment.invoice_id, note.invoice_id)
    ) as later on later.id = document.id
    left join (
      select invoice_id, sum(total_gross) as amount from credit_notes
      where tenant_id = $1 and credit_note_date > $2 group by invoice_id
    ) as credited_later on credited_later.invoice_id = document.id
  where document.tenant_id = $1 and document.status <> 'draft' and document.invoice_date <= $2`;

const payables = `
  select document.id, document.receipt_number as number, document.receipt_date as date, document.due_date,
    document.supplier_id as partner_id, document.currency, document.amount_gross as gross,
    document.amount_prepaid + document.amount_paid - coalesce(later.paid, 0) as paid,
    document.amount_adjusted - coalesce(later.adjusted, 0) as adjusted, -coalesce(reversal.amount_payable, 0) as credited
  from receipts as document
    left join receipts as reversal on reversal.tenant_id = document.tenant_id and reversal.reversal_of = document.id
      and reversal.receipt_date <= $2
    left join (
      select receipt_id, sum(amount) filter (where kind in (${paidKindsSql})) as paid,
        sum(amount) filter (where kind in (${adjustedKindsSql})) as adjusted
      from payments
      where tenant_id = $1 and receipt_id is not null and paid_on > $2 group by receipt_id
    ) as later on later.receipt_id = document.id
  where document.tenant_id = $1 and document.status <> 'draft' and document.receipt_date <= $2
    and document.reversal_of is null`;

/** A statement that finds the documents of which something is open. Parameters: the tenant, the day. */
export const openItemsSql = (side: Side): string => `
    select document.*, gross - paid - adjusted - credited as open,
      case when due_date is null then 0 else $2::date - due_date end as days_late
    from (${side === 'RECEIVABLE' ? receivables : payables}) as document
    where gross - paid - adjusted - credited <> 0`;

const sums = Object.entries(ages).map(
  ([name, condition]) => `'${name}', coalesce(sum(open) filter (where open > 0 and ${condition}), 0)::text`,
);

/** One statement, so that all parts show the same state. Amounts are texts, because JSON has no exact decimals. */
const readOpenItems = (side: Side): string => `
  with item as materialized (
    ${openItemsSql(side)}
  ), total as (
    select currency, json_build_object('currency', currency, 'count', count(*),
      'open', sum(open)::text, 'credit', coalesce(-sum(open) filter (where open < 0), 0)::text, ${sums.join(', ')}) as row
    from item group by currency order by currency limit ${maxRows}
  ), partner as (
    select json_build_object('partnerId', partner_id, 'name', max(customer.company_name), 'currency', item.currency,
      'count', count(*), 'open', sum(open)::text) as row
    from item left join customers as customer on customer.tenant_id = $1 and customer.id = item.partner_id
    group by partner_id, item.currency order by sum(open) desc, partner_id limit ${maxRows}
  ), customer_credit as (
    select json_build_object('partnerId', customer_id, 'name', max(customer.company_name), 'currency', payment.currency,
      'amount', sum(amount)::text) as row
    from (
      select customer_id, currency, ${creditSql} as amount from payments
      where tenant_id = $1 and customer_id is not null and paid_on <= $2
    ) as payment join customers as customer on customer.tenant_id = $1 and customer.id = payment.customer_id
    group by customer_id, payment.currency having sum(amount) <> 0
    order by sum(amount) desc, customer_id limit ${maxRows}
  ), page as (
    select json_build_object('id', item.id, 'number', number, 'date', date, 'dueDate', due_date, 'partnerId', partner_id,
      'name', customer.company_name, 'currency', item.currency, 'gross', gross::text, 'paid', paid::text, 'adjusted', adjusted::text,
      'credited', credited::text, 'open', open::text, 'daysLate', greatest(days_late, 0)) as row
    from item left join customers as customer on customer.tenant_id = $1 and customer.id = item.partner_id
    order by due_date nulls last, item.id limit $3 offset $4
  )
  select (select count(*)::int from item) as count,
    (select coalesce(json_agg(row), '[]') from total) as totals,
    (select coalesce(json_agg(row), '[]') from partner) as partners,
    ${side === 'RECEIVABLE' ? "(select coalesce(json_agg(row), '[]') from customer_credit)" : "'[]'::json"} as credits,
    (select coalesce(json_agg(row), '[]') from page) as items`;

type Texts<Names extends string> = Record<Names, string>;
type Total = Texts<'currency' | 'open' | 'credit' | keyof typeof ages> & { count: number };
interface Partner {
  partnerId: string | null;
  name: string | null;
  currency: string;
  count: number;
  open: string;
}
type Item = Texts<'id' | 'date' | 'currency' | 'gross' | 'paid' | 'adjusted' | 'credited' | 'open'> &
  Record<'number' | 'dueDate' | 'partnerId' | 'name', string | null> & { daysLate: number };

interface Credit {
  partnerId: string;
  name: string;
  currency: string;
  amount: string;
}

interface Report {
  at: Date;
  side: Side;
  count: number;
  totals: Total[];
  partners: Partner[];
  credits: Credit[];
  items: Item[];
}

const decimal = <Of extends string>(name: Of, description: string) => ({
  type: 'Decimal' as const,
  description,
  resolve: (row: Record<Of, string>) => new Decimal(row[name]),
});

const OpenItemTotal = builder.objectRef<Total>('OpenItemTotal').implement({
  description: 'What is open in one currency, by age.',
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    count: t.exposeInt('count', { description: 'The number of documents.' }),
    open: t.field(decimal('open', 'All that is open, less the credit.')),
    credit: t.field(
      decimal('credit', 'What is to be refunded: it was paid and then credited, or a supplier credits it.'),
    ),
    notDue: t.field(decimal('notDue', 'Open, and not due before that day.')),
    days1To30: t.field(decimal('days1To30', 'Open for up to 30 days after it was due.')),
    days31To60: t.field(decimal('days31To60', 'For up to 60 days.')),
    days61To90: t.field(decimal('days61To90', 'For up to 90 days.')),
    daysOver90: t.field(decimal('daysOver90', 'For longer.')),
  }),
});

const OpenItemPartner = builder.objectRef<Partner>('OpenItemPartner').implement({
  description: 'What is open of one customer or supplier, in one currency.',
  fields: (t) => ({
    partnerId: t.expose('partnerId', {
      type: 'UUID',
      nullable: true,
      description: 'The id of the customer or supplier; null if the receipts name none.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'The name, as it is now.' }),
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    count: t.exposeInt('count', { description: 'The number of documents.' }),
    open: t.field(decimal('open', 'What is open; negative if it is to be refunded.')),
  }),
});

const OpenItemCredit = builder.objectRef<Credit>('OpenItemCredit').implement({
  description: "A customer's credit in one currency: money that was paid beyond what was due.",
  fields: (t) => ({
    partnerId: t.expose('partnerId', { type: 'UUID', description: 'The id of the customer.' }),
    name: t.exposeString('name', { description: 'The name, as it is now.' }),
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    amount: t.field(decimal('amount', 'What was left of it.')),
  }),
});

const OpenItem = builder.objectRef<Item>('OpenItem').implement({
  description: 'An invoice or receipt of which something is open.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the invoice or receipt.' }),
    resourceId: t.expose('id', {
      type: 'UUID',
      description: resourceIdDescription('The id of the invoice or receipt'),
    }),
    number: t.exposeString('number', { nullable: true, description: 'Its number; null for a receipt without one.' }),
    date: t.field({
      type: 'Date',
      description: 'The date of the document.',
      resolve: ({ date }) => parseDay(date) as Date,
    }),
    dueDate: t.field({
      type: 'Date',
      nullable: true,
      description: 'The last day to pay; null if unknown.',
      resolve: ({ dueDate }) => parseDay(dueDate) ?? null,
    }),
    partnerId: t.expose('partnerId', {
      type: 'UUID',
      nullable: true,
      description: 'The id of the customer or supplier.',
    }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'The name of the customer or supplier, as it is now.',
    }),
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    gross: t.field(decimal('gross', 'The total of the document.')),
    paid: t.field(decimal('paid', 'What was paid until that day, less refunds; of a receipt, with what was prepaid.')),
    adjusted: t.field(
      decimal('adjusted', 'What was settled until that day by cash discounts, write-offs, and rounding.'),
    ),
    credited: t.field(decimal('credited', 'What was credited until that day.')),
    open: t.field(decimal('open', 'What was open; negative if it is to be refunded.')),
    daysLate: t.exposeInt('daysLate', { description: 'The days since it was due; 0 if it was not.' }),
  }),
});

const OpenItems = builder.objectRef<Report>('OpenItems').implement({
  description: 'What was open at the end of a day.',
  fields: (t) => ({
    at: t.expose('at', { type: 'Date', description: 'The day.' }),
    side: t.expose('side', { type: OpenItemSide, description: 'Who owes.' }),
    count: t.exposeInt('count', { description: 'The number of documents.' }),
    totals: t.expose('totals', { type: [OpenItemTotal], description: 'Sums by currency.' }),
    partners: t.expose('partners', {
      type: [OpenItemPartner],
      description: `Sums by customer or supplier, the largest first; the first ${maxRows}.`,
    }),
    credits: t.expose('credits', {
      type: [OpenItemCredit],
      description: `The credit of customers, the largest first; the first ${maxRows}. Not part of the sums.`,
    }),
    items: t.expose('items', {
      type: [OpenItem],
      description: 'The documents, by due date: as many as were asked for.',
    }),
  }),
});

builder.queryField('openItems', (t) =>
  t.field({
    type: OpenItems,
    description:
      'What was open at the end of a day, as far as documents and payments are dated until then. An invoice counts from its date on. Needs `customers:read`, too, and for what the tenant owes `receipts:read`.',
    ability: 'invoices:read',
    args: {
      at: t.arg({ type: 'Date', required: true, description: 'The day.' }),
      side: t.arg({ type: OpenItemSide, description: 'Who owes. Default: RECEIVABLE.' }),
      limit: t.arg.int({
        description: `At most so many items: 1 to ${maxRows}, default 100.`,
        validate: wholeNumber(1, maxRows),
      }),
      skip: t.arg.int({ description: 'So many items are skipped first.', validate: wholeNumber(0, 1_000_000) }),
    },
    rules: ({ side }, { may }) => {
      if (!may('customers:read')) throw new ForbiddenError('customers:read');
      if (side === 'PAYABLE' && !may('receipts:read')) throw new ForbiddenError('receipts:read');
    },
    resolve: async (_root, { at, side, limit, skip }, context): Promise<Report> => {
      const chosen = side ?? 'RECEIVABLE';
      const [report] = await readManyRows<Omit<Report, 'at' | 'side'>>(context, readOpenItems(chosen), [
        formatDay(at),
        limit ?? 100,
        skip ?? 0,
      ]);
      if (!report) throw new Error('No row of open items');
      return { ...report, at, side: chosen };
    },
  }),
);
