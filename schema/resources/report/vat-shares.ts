import { minorDigitsSql } from '../../money/money.ts';
import { vatCategorySql } from '../invoice/line.ts';
import { exchangeDifferences } from '../payment/exchange.ts';
import { paidKindsSql } from '../payment/kinds.ts';
import { restsAtHome, settledAtHome } from '../payment/settled-at-home.ts';
import { inHomeCurrency, rateColumns } from './home-amounts.ts';
import { datedLines, discountedLines, linesAtHome, paidLines, sharesOfReceiptLines } from './receipt-shares.ts';
import { discountedParts, paidParts, type PeriodSql, type Side } from './settled-shares.ts';

// The statements that find what each document adds to a report. Parameters: the tenant, the first day, the last day.

const whole: PeriodSql = { first: '$2::date', last: '$3::date' };

/** By what an invoice falls into a period: the day of supply, or the invoice date. */
export type VatDate = 'SUPPLY' | 'DOCUMENT';

/**
 * The columns of a share: what one document adds to a report, for one VAT category and rate. Amounts are negative where a
 * document takes something back. `value` is what it adds to the profit and loss: VAT that can't be deducted is an expense.
 */
const shareColumns =
  'kind, type, id, invoice_id, number, date, category, rate, currency, supplier_country, net, vat, value';

const invoiceColumns =
  'kind, type, id, invoice_id, number, date, category, rate, currency, null::text as supplier_country, net, vat, net as value';

/**
 * The day of supply (§ 13 (1) 1 a UStG): the delivery date, else the end of the lines' last service period, else the invoice date.
 * The periods of all invoices are read once: looked up for each invoice, they would take most of the time of a report.
 */
const supply = {
  date: 'coalesce(document.delivery_date, service.last_day, document.invoice_date)',
  join: `left join (
    select line.invoice_id, max(line.service_period_end) as last_day from invoice_items as line
    where line.tenant_id = $1 and line.service_period_end is not null group by line.invoice_id
  ) as service on service.invoice_id = document.id`,
};

const ofDocument = { date: 'document.invoice_date', join: '' };

/**
 * Net and VAT of invoices per category and rate: VAT is rounded once per rate (EN 16931, BR-CO-17).
 * @param join what finds the date
 */
const sharesOfInvoices = ({ date, join }: typeof supply, where: string): string => `
  select 'OUTPUT' as kind, 'INVOICE' as type, document.id, document.id as invoice_id, document.number, ${date} as date,
    ${vatCategorySql('item')} as category, item.vat_rate as rate, ${rateColumns}, sum(item.line_total_net) as net,
    round(sum(item.line_total_net) * item.vat_rate / 100, ${minorDigitsSql('document.currency')}) as vat
  from invoices as document ${join}
    join invoice_items as item on item.tenant_id = document.tenant_id and item.invoice_id = document.id
  where document.tenant_id = $1 and document.status <> 'draft' and ${where}
  group by document.tenant_id, document.id, ${date}, ${vatCategorySql('item')}, item.vat_rate`;

const breakdownOfCreditNote = `jsonb_to_recordset(document.vat_breakdown)
  as share (vat_category text, vat_rate numeric, net numeric, vat numeric)`;

/** A credit note counts on its own date (§ 17 (1) UStG). */
const sharesOfCreditNotes = `
  select 'OUTPUT' as kind, 'CREDIT_NOTE' as type, document.id, document.invoice_id, document.number, document.credit_note_date as date,
    share.vat_category as category, share.vat_rate as rate, ${rateColumns}, -share.net as net, -share.vat as vat
  from credit_notes as document, ${breakdownOfCreditNote}
  where document.tenant_id = $1 and document.credit_note_date between $2 and $3`;

const invoices: Side = {
  name: 'invoice',
  table: 'invoices',
  parts: (where) => `
    select id, 0 as part, category, rate, 100 as deductible, net, vat
    from (${sharesOfInvoices(ofDocument, where)}) as share`,
  credited: `
    select document.invoice_id as id, document.credit_note_date as date, 0 as part, share.vat_category as category,
      share.vat_rate as rate, 100 as deductible, share.net, share.vat
    from credit_notes as document, ${breakdownOfCreditNote}
    where document.tenant_id = $1 and document.invoice_id in (select id from invoice_touched)`,
  payments: `
    select coalesce(payment.invoice_id, note.invoice_id) as id, payment.paid_on as date,
      case when note.id is null then payment.amount else -payment.amount end as amount
    from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and payment.kind in (${paidKindsSql}) and payment.receipt_id is null
      and (payment.invoice_id in (select id from invoice_touched) or note.invoice_id in (select id from invoice_touched))`,
  changes: `
    select coalesce(payment.invoice_id, note.invoice_id) as id, payment.paid_on as date from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and payment.receipt_id is null and payment.paid_on between $2 and $3
    union all
    select document.invoice_id, document.credit_note_date from credit_notes as document
    where document.tenant_id = $1 and document.credit_note_date between $2 and $3`,
  begun: `
    select coalesce(payment.invoice_id, note.invoice_id) as id from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and payment.receipt_id is null and payment.paid_on < $2
    union all
    select document.invoice_id from credit_notes as document
    where document.tenant_id = $1 and document.credit_note_date < $2`,
  rounding: 'of_part.category desc, of_part.rate desc',
};

/** Shares of whole documents in the home currency. */
const wholeAtHome = (shares: string): string =>
  inHomeCurrency(shares, {
    columns: 'kind, type, id, invoice_id, number, date, category, rate',
    document: 'id',
    order: 'category, rate',
  });

const namedParts = (parts: string): string => `
  select part.id, part.date, part.at, part.category, part.rate, part.net, part.vat, document.number, ${rateColumns}
  from (${parts}) as part join invoices as document on document.tenant_id = $1 and document.id = part.id`;

/** Parts in the home currency. The sum settled until a day is converted, so that periods add up to the converted whole. */
const partsAtHome = (parts: string): string =>
  inHomeCurrency(namedParts(parts), {
    columns: 'id, date, at, category, rate, number',
    document: 'id, date, at',
    order: 'category, rate',
  });

/**
 * @param parts with `number` and `currency`
 * @param sign -1 where it takes something back
 */
const sharesOfParts = (parts: string, type: string, sign: 1 | -1): string => `
  select 'OUTPUT' as kind, '${type}' as type, share.id, share.id as invoice_id, share.number, share.date, share.category,
    share.rate, share.currency, share.net, share.vat
  from (
    select id, number, date, category, rate, currency, ${sign} * sum(at * net) as net, ${sign} * sum(at * vat) as vat
    from (${parts}) as part group by id, number, date, category, rate, currency
  ) as share
  where share.net <> 0 or share.vat <> 0`;

const union = (ofInvoices: string[], ofReceipts: string[]): string =>
  [
    ...ofInvoices.map((shares) => `select ${invoiceColumns} from (${shares}) as shares`),
    ...ofReceipts.map((shares) => `select ${shareColumns} from (${shares}) as shares`),
  ].join(' union all ');

/** Of what periods add, as differences of two days. */
const nonZero = (shares: string): string =>
  `select * from (${shares}) as shares where net <> 0 or vat <> 0 or value <> 0`;

/** Cash discounts lower what documents of the same period, or of earlier ones, come to, on the day of payment (§ 17 (1) UStG). */
const receiptDiscounts = nonZero(sharesOfReceiptLines(linesAtHome(discountedLines), 'RECEIPT_ADJUSTMENT'));

const sharesOfDiscounts = (parts: string): string => sharesOfParts(parts, 'INVOICE_ADJUSTMENT', -1);

/** The same of invoices in their own currencies. */
export const invoiceDiscounts = sharesOfDiscounts(namedParts(discountedParts(invoices)));

/** And at home: those of a day are converted together, as the partner's account has them. */
export const discountShares = sharesOfDiscounts(
  inHomeCurrency(
    `select id, number, date, 1 as at, category, rate, currency, exchange_rate, exchange_currency, sum(at * net) as net,
       sum(at * vat) as vat
     from (${namedParts(discountedParts(invoices))}) as part
     group by id, number, date, category, rate, currency, exchange_rate, exchange_currency`,
    { columns: 'id, date, at, category, rate, number', document: 'id, date', order: 'category, rate' },
  ),
);

/** The shares of a period on the accrual basis: of invoices, credit notes, and receipts, and of cash discounts. */
export const accrualShares = (by: VatDate): string => {
  const day = by === 'SUPPLY' ? supply : ofDocument;
  return union(
    [
      wholeAtHome(sharesOfInvoices(day, `${day.date} between $2 and $3`)),
      wholeAtHome(sharesOfCreditNotes),
      discountShares,
    ],
    [sharesOfReceiptLines(linesAtHome(datedLines)), receiptDiscounts],
  );
};

/** When the VAT of receipts counts: when they are dated, or when they are paid; or each VAT as the law has it outside Germany. */
export type ReceiptDate = 'DOCUMENT' | 'PAYMENT' | 'PAYMENT_OF_STATED_VAT';

const ofCategories = (lines: string, condition: 'in' | 'not in'): string =>
  `select * from (${lines}) as line where category ${condition} ('AE', 'K', 'IMPORT')`;

const buildReceiptShares: Record<ReceiptDate, (period: PeriodSql) => string[]> = {
  DOCUMENT: () => [sharesOfReceiptLines(linesAtHome(datedLines)), receiptDiscounts],
  PAYMENT: (period) => [nonZero(sharesOfReceiptLines(linesAtHome(paidLines(period))))],
  // Directive 2006/112/EC, Art. 167a, is about VAT that is paid to suppliers.
  PAYMENT_OF_STATED_VAT: (period) => [
    nonZero(sharesOfReceiptLines(ofCategories(linesAtHome(paidLines(period)), 'not in'))),
    sharesOfReceiptLines(ofCategories(linesAtHome(datedLines), 'in')),
    nonZero(sharesOfReceiptLines(ofCategories(linesAtHome(discountedLines), 'in'), 'RECEIPT_ADJUSTMENT')),
  ],
};

/**
 * The shares of a period on the cash basis (§ 20 UStG, § 17 of Austria's UStG): invoices by payment, and receipts.
 * @param receiptDate when the VAT of receipts counts
 * @param period the periods to which what is paid belongs: each share is dated by the end of its period
 */
export const cashShares = (receiptDate: ReceiptDate, period: PeriodSql = whole): string =>
  union(
    [sharesOfParts(partsAtHome(paidParts(invoices, period)), 'INVOICE', 1)],
    buildReceiptShares[receiptDate](period),
  );

/**
 * Losses on invoices, and gains on receipts, that settle these in a period: fees, and on the accrual basis also
 * write-offs and rounding. No VAT is corrected, so that the whole amount is a loss or gain.
 */
export const lossShares = (basis: 'ACCRUAL' | 'CASH'): string => {
  const where = `payment.paid_on between $2 and $3
    and payment.kind in (${basis === 'CASH' ? `'fee'` : `'fee', 'write_off', 'rounding'`})`;
  return `
  select case when payment.receipt_id is null then 'INPUT' else 'OUTPUT' end as kind,
    case when payment.receipt_id is null then 'INVOICE_ADJUSTMENT' else 'RECEIPT_ADJUSTMENT' end as type,
    coalesce(payment.invoice_id, payment.receipt_id) as id, payment.invoice_id,
    coalesce(invoice.number, receipt.receipt_number) as number, payment.paid_on as date, null as category,
    null::numeric as rate, home.currency, null::text as supplier_country, home.amount as net, 0 as vat, home.amount as value
  from payments as payment
    left join invoices as invoice on invoice.tenant_id = payment.tenant_id and invoice.id = payment.invoice_id
    left join receipts as receipt on receipt.tenant_id = payment.tenant_id and receipt.id = payment.receipt_id
    left join (${settledAtHome(where)}) as settled on settled.id = payment.id
    cross join lateral (
      select coalesce(settled.currency, payment.currency) as currency, coalesce(settled.worth, payment.amount) as amount
    ) as home
  where payment.tenant_id = $1 and ${where}`;
};

/**
 * Gains and losses of a period's payments against the exchange rates of their documents: positive amounts of two kinds.
 * A reversal takes back that of its payment, as a negative amount. A rest of roundings is a gain or loss, too.
 */
export const exchangeShares = `
  select case when (difference > 0) = is_reversal then 'EXCHANGE_LOSSES' else 'EXCHANGE_GAINS' end as kind,
    case when receipt_id is null then 'INVOICE_ADJUSTMENT' else 'RECEIPT_ADJUSTMENT' end as type,
    coalesce(invoice_id, receipt_id) as id, invoice_id, number, paid_on as date, null as category, null::numeric as rate, currency,
    null::text as supplier_country, value as net, 0 as vat, value
  from (
    select *, case when is_reversal then -abs(difference) else abs(difference) end as value
    from (${exchangeDifferences('payment.paid_on between $2 and $3')}) as payment
  ) as share
  where difference <> 0
  union all
  select case when difference > 0 then 'EXCHANGE_GAINS' else 'EXCHANGE_LOSSES' end,
    case when is_invoice then 'INVOICE_ADJUSTMENT' else 'RECEIPT_ADJUSTMENT' end, id, case when is_invoice then id end, number, date,
    null, null, currency, null, abs(difference), 0, abs(difference)
  from (${restsAtHome('moved.date between $2 and $3')}) as rest
  where difference <> 0`;
