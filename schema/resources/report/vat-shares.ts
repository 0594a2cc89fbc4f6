import { minorDigitsSql } from '../../money/money.ts';
import { vatCategorySql } from '../invoice/line.ts';
import { datedLines, paidLines, sharesOfReceiptLines, type DaysSql } from './receipt-shares.ts';

// The statements that find what each document adds to a report. Parameters: the tenant, the first day, the last day.

const wholePeriod: DaysSql = { first: '$2::date', last: '$3::date' };

/** By what an invoice falls into a period: the day of supply, or the invoice date. */
export type VatDate = 'SUPPLY' | 'DOCUMENT';

/**
 * The columns of a share: what one document adds to a report, for one VAT category and rate. Amounts are negative where a
 * document takes something back. `value` is what it adds to the profit and loss: VAT that can't be deducted is an expense.
 */
const shareColumns = 'kind, type, id, invoice_id, number, date, category, rate, currency, net, vat, value';

const invoiceColumns = 'kind, type, id, invoice_id, number, date, category, rate, currency, net, vat, net as value';

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

/** What was owed and credited in a period. */
export const accrualShares = (by: VatDate): string => {
  const date = by === 'SUPPLY' ? supplyDate : 'document.invoice_date';
  return [sharesOfInvoices(date, `${date} between $2 and $3`), sharesOfCreditNotes]
    .map((shares) => `select ${invoiceColumns} from (${shares}) as shares`)
    .concat(sharesOfReceiptLines(datedLines))
    .join(' union all ');
};

/** The states before the period and at its end: what was paid in it is their difference. */
const boundaries = ({ first, last }: DaysSql): string =>
  `boundary (at, day) as (values (-1, ${first} - 1), (1, ${last}))`;

const paidInvoices = ({ first, last }: DaysSql): string => `
  touched as (
    select coalesce(payment.invoice_id, note.invoice_id) as id from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and payment.receipt_id is null and payment.paid_on between ${first} and ${last}
    union select document.invoice_id from credit_notes as document
    where document.tenant_id = $1 and document.credit_note_date between ${first} and ${last}
  ),
  invoiced as (${sharesOfInvoices('document.invoice_date', 'document.id in (select id from touched)')}),
  credited as (
    select document.invoice_id as id, document.credit_note_date as date, share.vat_category as category,
      share.vat_rate as rate, share.net, share.vat
    from credit_notes as document, ${breakdownOfCreditNote}
    where document.tenant_id = $1 and document.invoice_id in (select id from touched)
  ),
  paid as (
    select coalesce(payment.invoice_id, note.invoice_id) as id, payment.paid_on as date,
      case when note.id is null then payment.amount else -payment.amount end as amount
    from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and payment.receipt_id is null
      and (payment.invoice_id in (select id from touched) or note.invoice_id in (select id from touched))
  )`;

/**
 * At each boundary, what was paid of an invoice so far is split over its categories and rates: by what is left of each after
 * the credit notes so far, and beyond that by what was credited. The last one takes the rounding. So several periods together
 * are exactly the whole, whatever was paid when.
 */
const splitPayments = `
  state as (
    select invoiced.id, at, category, rate, net as net, vat as vat, 0 as credited_net, 0 as credited_vat
    from invoiced cross join boundary
    union all
    select credited.id, at, category, rate, -net, -vat, net, vat
    from credited join boundary on credited.date <= day
  ),
  paid_state as (
    select paid.id, at, sum(amount) as paid from paid join boundary on paid.date <= day group by paid.id, at
  ),
  rate_state as (
    select of_rate.*, coalesce(paid_state.paid, 0) as paid
    from (
      select id, at, category, rate, sum(net) as net, sum(vat) as vat, sum(net + vat) as gross,
        sum(credited_vat) as credited_vat, sum(credited_net + credited_vat) as credited
      from state group by id, at, category, rate
    ) as of_rate left join paid_state on paid_state.id = of_rate.id and paid_state.at = of_rate.at
  ),
  whole as (
    select rate_state.*, document.number, document.currency, ${minorDigitsSql('document.currency')} as digits,
      sum(gross) over in_all as gross_in_all, sum(credited) over in_all as credited_in_all,
      row_number() over (in_all order by category desc, rate desc) as from_last
    from rate_state join invoices as document on document.tenant_id = $1 and document.id = rate_state.id
    window in_all as (partition by rate_state.id, at)
  ),
  rounded as (
    select whole.*, case
      when paid <= gross_in_all then round(paid * gross / nullif(gross_in_all, 0), digits)
      else gross + round((paid - gross_in_all) * credited / nullif(credited_in_all, 0), digits)
    end as share
    from whole
  ),
  split as (
    select rounded.*, case from_last
      when 1 then paid - coalesce(sum(share) over (partition by id, at) - share, 0)
      else share
    end as paid_share
    from rounded
  ),
  taxed as (
    select split.*, case
      when paid_share = gross then vat
      when paid <= gross_in_all then round(paid_share * vat / nullif(gross, 0), digits)
      else vat + round((paid_share - gross) * credited_vat / nullif(credited, 0), digits)
    end as paid_vat
    from split
  )`;

const sharesOfPaidInvoices = ({ last }: DaysSql): string => `
  select 'OUTPUT' as kind, 'INVOICE' as type, id, id as invoice_id, number, ${last} as date, category, rate, currency,
    sum(at * (coalesce(paid_share, 0) - coalesce(paid_vat, 0))) as net, sum(at * coalesce(paid_vat, 0)) as vat
  from taxed group by id, number, category, rate, currency`;

/** When the VAT of receipts counts: when they are dated, or when they are paid; or each VAT as the law has it outside Germany. */
export type ReceiptDate = 'DOCUMENT' | 'PAYMENT' | 'PAYMENT_OF_STATED_VAT';

const buildReceiptLines: Record<ReceiptDate, (days: DaysSql) => string> = {
  DOCUMENT: () => datedLines,
  PAYMENT: paidLines,
  // Directive 2006/112/EC, Art. 167a, is about VAT that is paid to suppliers.
  PAYMENT_OF_STATED_VAT: (days) => `
    select * from (${paidLines(days)}) as of_payments where category not in ('AE', 'K', 'IMPORT')
    union all
    select * from (${datedLines}) as of_documents where category in ('AE', 'K', 'IMPORT')`,
};

/**
 * What was paid in a period (§ 20 UStG, § 17 of Austria's UStG).
 * @param receiptDate when the VAT of receipts counts
 * @param days the period; another one than the whole only if receipts count by payment
 */
export const cashShares = (receiptDate: ReceiptDate, days: DaysSql = wholePeriod): string => `
  with ${boundaries(days)}, ${paidInvoices(days)}, ${splitPayments}
  select ${shareColumns} from (
    select ${invoiceColumns} from (${sharesOfPaidInvoices(days)}) as paid_invoices
    union all
    ${sharesOfReceiptLines(buildReceiptLines[receiptDate](days))}
  ) as shares
  where net <> 0 or vat <> 0 or value <> 0`;
