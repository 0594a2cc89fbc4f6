import { minorDigitsSql } from '../../money/money.ts';
import { vatCategorySql } from '../invoice/line.ts';
import { paidKindsSql } from '../payment/kinds.ts';

// The statements that find what each document adds to a report. Parameters: the tenant, the first day, the last day.

/** The first and the last day of a period, as expressions of SQL. */
export interface DaysSql {
  first: string;
  last: string;
}

const wholePeriod: DaysSql = { first: '$2::date', last: '$3::date' };

/** By what an invoice falls into a period: the day of supply, or the invoice date. */
export type VatDate = 'SUPPLY' | 'DOCUMENT';

/**
 * The columns of a share: what one document adds to a report, for one VAT category and rate. Amounts are negative where a
 * document takes something back.
 */
const shareColumns = 'kind, type, id, invoice_id, number, date, category, rate, currency, net, vat';

/** The day of supply (§ 13 (1) 1 a UStG): the delivery date, else the end of the lines' last service period, else the invoice date. */
const supplyDate = `coalesce(document.delivery_date, (
  select max(line.service_period_end) from invoice_items as line
  where line.tenant_id = $1 and line.invoice_id = document.id), document.invoice_date)`;

/** Net and VAT of invoices per category and rate: VAT is rounded once per rate (EN 16931, BR-CO-17). */
const sharesOfInvoices = (date: string, where: string): string => `
  select 'OUTPUT' as kind, 'INVOICE' as type, document.id, document.id as invoice_id, document.number, ${date} as date,
    ${vatCategorySql('item')} as category, item.vat_rate as rate, document.currency, sum(item.line_total_net) as net,
    round(sum(item.line_total_net) * item.vat_rate / 100, ${minorDigitsSql('document.currency')}) as vat
  from invoices as document
    join invoice_items as item on item.tenant_id = document.tenant_id and item.invoice_id = document.id
  where document.tenant_id = $1 and document.status <> 'draft' and ${where}
  group by document.tenant_id, document.id, ${vatCategorySql('item')}, item.vat_rate`;

const breakdownOfCreditNote = `jsonb_to_recordset(document.vat_breakdown)
  as share (vat_category text, vat_rate numeric, net numeric, vat numeric)`;

/** A credit note counts on its own date (§ 17 (1) UStG). */
const sharesOfCreditNotes = `
  select 'OUTPUT' as kind, 'CREDIT_NOTE' as type, document.id, document.invoice_id, document.number, document.credit_note_date as date,
    share.vat_category as category, share.vat_rate as rate, document.currency, -share.net as net, -share.vat as vat
  from credit_notes as document, ${breakdownOfCreditNote}
  where document.tenant_id = $1 and document.credit_note_date between $2 and $3`;

const sharesOfReceipts = (where: string): string => `
  select 'INPUT' as kind, 'RECEIPT' as type, document.id, null::uuid as invoice_id, document.receipt_number as number,
    document.receipt_date as date, case when document.vat_rate = 0 then 'Z' else 'S' end as category,
    document.vat_rate as rate, document.currency, document.amount_net as net, document.vat_amount as vat
  from receipts as document
  where document.tenant_id = $1 and document.status <> 'draft' and ${where}`;
const receiptsOfPeriod = sharesOfReceipts('document.receipt_date between $2 and $3');

// What is settled of a document up to a day is split over its categories and rates: cash discounts over what is left of each
// after the credit notes until then, and payments over what is left after both. The last one takes the rounding. What a period
// or a day adds is the difference of two days: so all of them together are exactly the whole, whatever was settled when.
//
// Names of a side's tables: `touched (id)`, the documents; `point (id, date, at, until)`, the days that are compared: what was
// settled until the day `until` counts `at` times (1 or -1) in the share of the day `date`.

interface Side {
  /** In front of the names of its tables. */
  name: 'invoice' | 'receipt';
  kind: 'OUTPUT' | 'INPUT';
  type: 'INVOICE' | 'RECEIPT';
  invoiceId: string;
  table: string;
  number: string;
  /** Net and VAT by category and rate. */
  shares: (where: string) => string;
  /** What credit notes take back of these; null where there are none. */
  credited: string | null;
  /** What payments pay, and what their refunds take back. */
  payments: string;
}

const sides: Record<Side['name'], Side> = {
  invoice: {
    name: 'invoice',
    kind: 'OUTPUT',
    type: 'INVOICE',
    invoiceId: 'share.id',
    table: 'invoices',
    number: 'number',
    shares: (where) => sharesOfInvoices('document.invoice_date', where),
    credited: `
      select document.invoice_id as id, document.credit_note_date as date, share.vat_category as category,
        share.vat_rate as rate, share.net, share.vat
      from credit_notes as document, ${breakdownOfCreditNote}
      where document.tenant_id = $1 and document.invoice_id in (select id from invoice_touched)`,
    payments: `
      select coalesce(payment.invoice_id, note.invoice_id) as id, payment.paid_on as date,
        case when note.id is null then payment.amount else -payment.amount end as amount
      from payments as payment
        left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
      where payment.tenant_id = $1 and payment.kind in (${paidKindsSql}) and payment.receipt_id is null
        and (payment.invoice_id in (select id from invoice_touched) or note.invoice_id in (select id from invoice_touched))`,
  },
  receipt: {
    name: 'receipt',
    kind: 'INPUT',
    type: 'RECEIPT',
    invoiceId: 'null::uuid',
    table: 'receipts',
    number: 'receipt_number',
    shares: sharesOfReceipts,
    credited: null,
    payments: `
      select receipt_id as id, paid_on as date, amount from payments
      where tenant_id = $1 and kind in (${paidKindsSql}) and receipt_id in (select id from receipt_touched)`,
  },
};

/** The columns of what is left of a category and rate, and of what was credited of it. */
const stateColumns = 'id, date, at, category, rate, net, vat, credited_net, credited_vat';

/** The table `stated`: what was invoiced, less the credit notes until each point; and `discounted`, the cash discounts. */
const stateOf = ({ name, shares, credited }: Side): string => `
  ${name}_stated as (
    select point.id, point.date, at, category, rate, net, vat, 0 as credited_net, 0 as credited_vat
    from (${shares(`document.id in (select id from ${name}_touched)`)}) as invoiced
      join ${name}_point as point on point.id = invoiced.id
    ${
      credited === null
        ? ''
        : `union all
    select point.id, point.date, at, category, rate, -net, -vat, net, vat
    from (${credited}) as credited join ${name}_point as point on point.id = credited.id and credited.date <= until`
    }
  ),
  ${name}_discounted as (
    select ${name}_id as id, paid_on as date, amount from payments
    where tenant_id = $1 and kind = 'cash_discount' and ${name}_id in (select id from ${name}_touched)
  )`;

/**
 * The table `<name>_<into> (…, amount, amount_vat)`: amounts split over what is left. What is beyond that is split by what was
 * credited.
 * @param state a table with `stateColumns`
 * @param amounts a table `(id, date, amount)`
 */
const split = (
  { name, table }: Side,
  { state, amounts, into }: Record<'state' | 'amounts' | 'into', string>,
): string => `
  ${name}_${into}_sum as (
    select point.id, point.date, point.at, sum(amount) as amount
    from ${amounts} as settled join ${name}_point as point on point.id = settled.id and settled.date <= until
    group by point.id, point.date, point.at
  ),
  ${name}_${into}_rate as (
    select of_rate.*, coalesce(settled.amount, 0) as settled
    from (
      select id, date, at, category, rate, sum(net) as net, sum(vat) as vat, sum(net + vat) as gross,
        sum(credited_vat) as credited_vat, sum(credited_net + credited_vat) as credited
      from ${state} group by id, date, at, category, rate
    ) as of_rate left join ${name}_${into}_sum as settled
      on settled.id = of_rate.id and settled.date = of_rate.date and settled.at = of_rate.at
  ),
  ${name}_${into}_whole as (
    select of_rate.*, ${minorDigitsSql('document.currency')} as digits,
      sum(gross) over in_all as gross_in_all, sum(credited) over in_all as credited_in_all,
      row_number() over (in_all order by of_rate.category desc, of_rate.rate desc) as from_last
    from ${name}_${into}_rate as of_rate join ${table} as document on document.tenant_id = $1 and document.id = of_rate.id
    window in_all as (partition by of_rate.id, of_rate.date, of_rate.at)
  ),
  ${name}_${into}_rounded as (
    select whole.*, case
      when settled <= gross_in_all or credited_in_all = 0 then round(settled * gross / nullif(gross_in_all, 0), digits)
      else gross + round((settled - gross_in_all) * credited / credited_in_all, digits)
    end as share
    from ${name}_${into}_whole as whole
  ),
  ${name}_${into}_split as (
    select rounded.*, coalesce(case from_last
      when 1 then settled - coalesce(sum(share) over (partition by id, date, at) - share, 0)
      else share
    end, 0) as amount
    from ${name}_${into}_rounded as rounded
  ),
  ${name}_${into} as (
    select shared.*, coalesce(case
      when amount = gross then vat
      when settled <= gross_in_all or credited_in_all = 0 then round(amount * vat / nullif(gross, 0), digits)
      else vat + round((amount - gross) * credited_vat / nullif(credited, 0), digits)
    end, 0) as amount_vat
    from ${name}_${into}_split as shared
  )`;

/** The cash discounts, split. Few documents have any. */
const splitDiscounts = (side: Side): string =>
  split(side, {
    state: `(select * from ${side.name}_stated where id in (select id from ${side.name}_discounted)) as stated`,
    amounts: `${side.name}_discounted`,
    into: 'discount',
  });

/** The payments, split over what is left after the cash discounts. */
const splitPayments = (side: Side): string => `
  ${side.name}_payment as (${side.payments}),
  ${splitDiscounts(side)},
  ${side.name}_left as (
    select ${stateColumns} from ${side.name}_stated
    union all
    select id, date, at, category, rate, amount_vat - amount, -amount_vat, 0, 0 from ${side.name}_discount
  ),
  ${split(side, { state: `${side.name}_left`, amounts: `${side.name}_payment`, into: 'paid' })}`;

/** Shares of what was split. @param sign -1 where it takes something back */
const sharesOfSplit = (
  { name, kind, invoiceId, table, number }: Side,
  type: string,
  from: string,
  sign: 1 | -1,
): string => `
  select '${kind}' as kind, '${type}' as type, share.id, ${invoiceId} as invoice_id, document.${number} as number, share.date,
    share.category, share.rate, document.currency, share.net, share.vat
  from (
    select id, date, category, rate, ${sign} * sum(at * (amount - amount_vat)) as net, ${sign} * sum(at * amount_vat) as vat
    from ${name}_${from} group by id, date, category, rate
  ) as share join ${table} as document on document.tenant_id = $1 and document.id = share.id
  where net <> 0 or vat <> 0`;

/** Each day of the period on which a cash discount is given, or what it is split over changes, is compared with the day before. */
const discountPoints = ({ name, credited }: Side): string => `
  ${name}_change as (
    select ${name}_id as id, paid_on as date from payments
    where tenant_id = $1 and kind = 'cash_discount' and ${name}_id is not null and paid_on between $2 and $3
    ${
      credited === null
        ? ''
        : `union
    select note.invoice_id, note.credit_note_date from credit_notes as note
    where note.tenant_id = $1 and note.credit_note_date between $2 and $3 and exists (
      select from payments where tenant_id = $1 and invoice_id = note.invoice_id and kind = 'cash_discount')`
    }
  ),
  ${name}_touched as (select distinct id from ${name}_change),
  ${name}_point (id, date, at, until) as (
    select id, date, -1, date - 1 from ${name}_change union all select id, date, 1, date from ${name}_change
  )`;

/** Cash discounts lower what documents of the same period, or of earlier ones, come to, on the day of payment (§ 17 (1) UStG). */
const sharesOfDiscounts = (side: Side): string => `
  with ${discountPoints(side)}, ${stateOf(side)}, ${splitDiscounts(side)}
  ${sharesOfSplit(side, `${side.type}_ADJUSTMENT`, 'discount', -1)}`;

const union = (parts: string[]): string =>
  parts.map((shares) => `select ${shareColumns} from (${shares}) as shares`).join(' union all ');

/** What was owed and credited in a period. */
export const accrualShares = (by: VatDate): string => {
  const date = by === 'SUPPLY' ? supplyDate : 'document.invoice_date';
  return union([
    sharesOfInvoices(date, `${date} between $2 and $3`),
    sharesOfCreditNotes,
    receiptsOfPeriod,
    sharesOfDiscounts(sides.invoice),
    sharesOfDiscounts(sides.receipt),
  ]);
};

/** The days before the period and at its end, for each document of which something is paid, credited, or adjusted in it. */
const periodPoints = ({ name, credited }: Side, { first, last }: DaysSql): string => `
  ${name}_touched as (
    ${
      credited === null
        ? `select distinct receipt_id as id from payments
    where tenant_id = $1 and receipt_id is not null and paid_on between ${first} and ${last}`
        : `select coalesce(payment.invoice_id, note.invoice_id) as id from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and payment.receipt_id is null and payment.paid_on between ${first} and ${last}
    union select document.invoice_id from credit_notes as document
    where document.tenant_id = $1 and document.credit_note_date between ${first} and ${last}`
    }
  ),
  ${name}_point (id, date, at, until) as (
    select id, ${last}, at, until from ${name}_touched
      cross join (values (-1, ${first} - 1), (1, ${last})) as boundary (at, until)
    where id is not null
  )`;

const sharesOfPayments = (side: Side, days: DaysSql): string => `
  with ${periodPoints(side, days)}, ${stateOf(side)}, ${splitPayments(side)}
  ${sharesOfSplit(side, side.type, 'paid', 1)}`;

/**
 * What was paid in a period (§ 20 UStG, § 17 of Austria's UStG).
 * @param isInputByPayment whether input VAT counts when it is paid, too (Directive 2006/112/EC, Art. 167a); else when the
 *   receipt is dated
 * @param days the period; only if input VAT counts when it is paid, another one than the whole
 */
export const cashShares = (isInputByPayment: boolean, days: DaysSql = wholePeriod): string =>
  union([
    sharesOfPayments(sides.invoice, days),
    ...(isInputByPayment
      ? [sharesOfPayments(sides.receipt, days)]
      : [receiptsOfPeriod, sharesOfDiscounts(sides.receipt)]),
  ]);

/**
 * What settles invoices as a loss, and receipts as a gain, in a period: fees, and by documents, write-offs and rounding, too. No VAT
 * is corrected, so that the amount is all that is lost.
 */
export const lossShares = (basis: 'ACCRUAL' | 'CASH'): string => `
  select case when payment.receipt_id is null then 'INPUT' else 'OUTPUT' end as kind,
    case when payment.receipt_id is null then 'INVOICE_ADJUSTMENT' else 'RECEIPT_ADJUSTMENT' end as type,
    coalesce(payment.invoice_id, payment.receipt_id) as id, payment.invoice_id,
    coalesce(invoice.number, receipt.receipt_number) as number, payment.paid_on as date, null as category,
    null::numeric as rate, payment.currency, payment.amount as net, 0 as vat
  from payments as payment
    left join invoices as invoice on invoice.tenant_id = payment.tenant_id and invoice.id = payment.invoice_id
    left join receipts as receipt on receipt.tenant_id = payment.tenant_id and receipt.id = payment.receipt_id
  where payment.tenant_id = $1 and payment.paid_on between $2 and $3
    and payment.kind in (${basis === 'CASH' ? `'fee'` : `'fee', 'write_off', 'rounding'`})`;
