import { minorDigitsSql } from '../money/money.ts';
import { maxAttachments } from '../resources/attachment/rules.ts';
import { balanceSql } from '../resources/invoice/balance.ts';
import { creditSql } from '../resources/payment/customer-credit.ts';
import { adjustedKindsSql, paidKindsSql } from '../resources/payment/kinds.ts';
import type { RecordType } from './format.ts';

/** A rule between rows, as a condition under which a row breaks it. */
export interface Rule {
  type: RecordType['type'];
  /** The table that is checked, which the condition calls `checked`. */
  table: string;
  message: string;
  breaks: string;
  /** The rows that `checked` is compared with, which the condition calls `other`, and the column that has their id. */
  other?: { rows: string; by: string };
}

/** The form of this service's own numbers. Imported invoices may have any. */
export const ownNumber = String.raw`^\d{4}-(?!0000$)(\d{4}|[1-9]\d{4,8})$`;

const paidBy = (column: string): Rule['other'] => ({
  rows: `select ${column} as id, sum(amount) filter (where kind in (${paidKindsSql})) as paid,
      sum(amount) filter (where kind in (${adjustedKindsSql})) as adjusted
    from payments
    where tenant_id = $1 and ${column} > $2::uuid and ${column} <= $3::uuid group by ${column}`,
  by: 'id',
});

/** The amount that payments moved on the account of a bank transaction. */
const movedBy: Rule['other'] = {
  rows: `select bank_transaction_id as id, sum(coalesce(exchange_amount, amount)
      * case when kind = 'overpayment' or (kind = 'payment' and invoice_id is not null) then 1 else -1 end) as moved
    from payments
    where tenant_id = $1 and bank_transaction_id > $2::uuid and bank_transaction_id <= $3::uuid group by bank_transaction_id`,
  by: 'id',
};
const referred = (by: string, table: string, columns: string): Rule['other'] => ({
  rows: `select id, ${columns} from ${table} where tenant_id = $1`,
  by,
});

const exchangeRate = 'exchange_rate, exchange_rate_date, exchange_rate_source, exchange_currency';
const isOtherRate = `(other.exchange_rate, other.exchange_rate_date, other.exchange_rate_source, other.exchange_currency)
    is distinct from (checked.exchange_rate, checked.exchange_rate_date, checked.exchange_rate_source, checked.exchange_currency)`;

/** The credit notes of a range of invoices, by invoice. */
const ofInvoices = `from credit_notes where tenant_id = $1 and invoice_id > $2::uuid and invoice_id <= $3::uuid
  group by invoice_id`;

const inRange = (column: string): string => `tenant_id = $1 and ${column} > $2::uuid and ${column} <= $3::uuid`;

/** Invoices whose credit notes exceed a line, or have a line of another invoice. */
const overCreditedLines = `
  select distinct note.invoice_id as id
  from (select id, invoice_id from credit_notes where ${inRange('invoice_id')}) as note
  full join (
    select credit_note_id, invoice_item_id, quantity from credit_note_items
    where tenant_id = $1 and invoice_item_id is not null
  ) as credited on credited.credit_note_id = note.id
  full join (select id, invoice_id, quantity from invoice_items where ${inRange('invoice_id')}) as line
    on line.id = credited.invoice_item_id
  where note.id is not null and credited.credit_note_id is not null
  group by note.invoice_id, line.id, line.invoice_id, line.quantity
  having line.invoice_id is distinct from note.invoice_id
    or sum(credited.quantity) not between least(line.quantity, 0) and greatest(line.quantity, 0)`;

/** Invoices whose credit notes exceed a VAT group, or state a VAT that doesn't follow from the net. */
const wrongCreditedShares = `
  select distinct credited.invoice_id as id
  from (
    select invoice_id, share ->> 'vat_category' as category, (share ->> 'vat_rate')::numeric as rate,
      max(${minorDigitsSql('currency')}) as digits, sum((share ->> 'net')::numeric) as net, sum((share ->> 'vat')::numeric) as vat
    from credit_notes cross join lateral jsonb_array_elements(vat_breakdown) as share
    where ${inRange('invoice_id')} group by 1, 2, 3
  ) as credited
  full join (
    select invoice_id, coalesce(vat_category, case when vat_rate = 0 then 'Z' else 'S' end) as category, vat_rate as rate,
      sum(line_total_net) as net
    from invoice_items where ${inRange('invoice_id')} group by 1, 2, 3
  ) as whole using (invoice_id, category, rate)
  where credited.net is not null and (
    whole.net is null
    or credited.net not between least(whole.net, 0) and greatest(whole.net, 0)
    or credited.vat <> round(whole.net * rate / 100, digits) - round((whole.net - credited.net) * rate / 100, digits)
  )`;

// Rules between rows of several tables. The domain checks them under locks when it writes, so the database has no constraint
// for them. $1 is the tenant.
export const rules: Rule[] = [
  {
    type: 'invoice',
    table: 'invoices',
    message: 'amount_paid: Must be the sum of the payments.',
    breaks: 'amount_paid <> coalesce(other.paid, 0)',
    other: paidBy('invoice_id'),
  },
  {
    type: 'invoice',
    table: 'invoices',
    message: 'amount_adjusted: Must be the sum of the cash discounts, write-offs, and rounding.',
    breaks: 'amount_adjusted <> coalesce(other.adjusted, 0)',
    other: paidBy('invoice_id'),
  },
  {
    type: 'invoice',
    table: 'invoices',
    message: 'status: An invoice of which nothing is due is paid.',
    breaks: `status = 'issued' and ${balanceSql} <= 0`,
  },
  {
    type: 'invoice',
    table: 'invoices',
    message: 'amount_credited: Must be the sum of the credit notes.',
    breaks: 'amount_credited <> coalesce(other.credited, 0)',
    other: { rows: `select invoice_id as id, sum(total_gross) as credited ${ofInvoices}`, by: 'id' },
  },
  {
    type: 'invoice',
    table: 'invoices',
    message: 'amount_refunded: Must be the sum of the refunds of its credit notes.',
    breaks: 'checked.amount_refunded <> coalesce(other.refunded, 0)',
    other: { rows: `select invoice_id as id, sum(amount_refunded) as refunded ${ofInvoices}`, by: 'id' },
  },
  {
    type: 'invoice',
    table: 'invoices',
    message: 'items: Credit notes must not take more of a line than there is.',
    breaks: 'other.id is not null',
    other: { rows: overCreditedLines, by: 'id' },
  },
  {
    type: 'invoice',
    table: 'invoices',
    message: 'items: Credit notes must not take more of a VAT rate than there is, and the VAT of what they take.',
    breaks: 'other.id is not null',
    other: { rows: wrongCreditedShares, by: 'id' },
  },
  {
    type: 'invoice',
    table: 'invoices',
    message: 'number: The sequence of this year must include it.',
    breaks: `number ~ '${ownNumber}'
      and left(number, 4)::int not in (select year from invoice_sequences where tenant_id = $1)`,
  },
  {
    type: 'credit_note',
    table: 'credit_notes',
    message: 'amount_refunded: Must be the sum of the refunds.',
    breaks: 'amount_refunded <> coalesce(other.paid, 0)',
    other: paidBy('credit_note_id'),
  },
  {
    type: 'credit_note',
    table: 'credit_notes',
    message: 'invoice_id: Must be an issued invoice of the same customer and currency, and not of a later date.',
    breaks: `other.status = 'draft' or other.customer_id <> checked.customer_id or other.currency <> checked.currency
      or other.invoice_date > credit_note_date`,
    other: referred('invoice_id', 'invoices', 'status, customer_id, currency, invoice_date'),
  },
  {
    type: 'credit_note',
    table: 'credit_notes',
    message: 'exchange_rate: Must be that of the invoice.',
    breaks: isOtherRate,
    other: referred('invoice_id', 'invoices', exchangeRate),
  },
  {
    type: 'credit_note',
    table: 'credit_notes',
    message: 'number: The sequence of this year must include it.',
    breaks: `substr(number, 4, 4)::int not in (select year from credit_note_sequences where tenant_id = $1)`,
  },
  {
    type: 'receipt',
    table: 'receipts',
    message: 'amount_paid: Must be the sum of the payments.',
    breaks: 'amount_paid <> coalesce(other.paid, 0)',
    other: paidBy('receipt_id'),
  },
  {
    type: 'receipt',
    table: 'receipts',
    message: 'amount_adjusted: Must be the sum of the cash discounts, write-offs, and rounding.',
    breaks: 'amount_adjusted <> coalesce(other.adjusted, 0)',
    other: paidBy('receipt_id'),
  },
  {
    type: 'receipt',
    table: 'receipts',
    message: 'status: A receipt that is paid in full is paid.',
    breaks: `status = 'booked' and amount_paid + amount_adjusted = amount_payable and amount_payable <> 0`,
  },
  {
    type: 'receipt',
    table: 'receipts',
    message: 'lines: The amounts must be those of the lines.',
    breaks: `case when other.id is null then vat_rate is null else
      (checked.amount_net, checked.vat_amount, checked.amount_gross, vat_rate) is distinct from
        (other.net, other.vat, other.gross, other.rate) end`,
    other: {
      rows: `select receipt_id as id, sum(amount_net) as net, sum(vat_amount) as vat, sum(amount_gross) as gross,
          case when count(*) = 1 then max(vat_rate) end as rate
        from receipt_lines where ${inRange('receipt_id')} group by receipt_id`,
      by: 'id',
    },
  },
  {
    type: 'receipt',
    table: 'receipts',
    message: 'credited_receipt_id: Must be a booked receipt of the same supplier and currency, and no credit.',
    breaks: `credited_receipt_id is not null and (other.id is null or other.status = 'draft' or other.is_credit
      or (other.status = 'reversed' and checked.status <> 'reversed')
      or (other.currency, other.supplier_id) is distinct from (checked.currency, checked.supplier_id))`,
    other: referred(
      'credited_receipt_id',
      'receipts',
      'status, currency, supplier_id, credited_receipt_id is not null as is_credit',
    ),
  },
  {
    type: 'receipt',
    table: 'receipts',
    message: 'supplier_id: Must be a supplier.',
    breaks: `other.type <> 'supplier'`,
    other: referred('supplier_id', 'customers', 'type'),
  },
  {
    type: 'receipt',
    table: 'receipts',
    message: 'reversal_of: A reversal takes back all of a receipt, which says that it is reversed.',
    breaks: `reversal_of is not null and (other.reversed_at is null or other.amount_paid <> 0
      or other.amount_gross <> -checked.amount_gross or other.vat_amount <> -checked.vat_amount
      or ${isOtherRate}
      or (other.currency, other.vat_rate, other.supplier_id, other.supplier_country, other.credited_receipt_id,
          -other.amount_prepaid) is distinct from
        (checked.currency, checked.vat_rate, checked.supplier_id, checked.supplier_country, checked.credited_receipt_id,
          checked.amount_prepaid))`,
    other: referred(
      'reversal_of',
      'receipts',
      `reversed_at, amount_gross, vat_amount, amount_paid, currency, vat_rate, supplier_id, supplier_country,
      credited_receipt_id, amount_prepaid, ${exchangeRate}`,
    ),
  },
  {
    type: 'receipt',
    table: 'receipts',
    message: 'reversed_at: A reversed receipt has a reversal.',
    breaks: 'reversed_at is not null and other.id is null',
    other: {
      rows: 'select reversal_of as id from receipts where tenant_id = $1 and reversal_of is not null',
      by: 'id',
    },
  },
  {
    type: 'attachment',
    table: 'attachments',
    message: `receipt_id: A receipt has at most ${maxAttachments} attachments.`,
    breaks: `other.attachments > ${maxAttachments}`,
    other: {
      rows: 'select receipt_id as id, count(*) as attachments from attachments where tenant_id = $1 group by receipt_id',
      by: 'receipt_id',
    },
  },
  {
    type: 'time_entry',
    table: 'time_entries',
    message: 'invoice_id: Only billable time is billed, and not by a cancelled invoice.',
    breaks: `other.status = 'cancelled' or (invoice_id is not null and not billable)`,
    other: referred('invoice_id', 'invoices', 'status'),
  },
  {
    type: 'bank_transaction',
    table: 'bank_transactions',
    message: 'amount_open: Must be the amount without its payments.',
    breaks: 'amount - amount_open <> coalesce(other.moved, 0)',
    other: movedBy,
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'currency: Must be that of the invoice.',
    breaks: 'other.currency <> checked.currency',
    other: referred('invoice_id', 'invoices', 'currency'),
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'currency: Must be that of the receipt.',
    breaks: 'other.currency <> checked.currency',
    other: referred('receipt_id', 'receipts', 'currency'),
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'amount: Must have the sign of the receipt, and that of a reversal the opposite.',
    breaks: '(checked.amount > 0) <> ((reversal_of is null) = other.is_positive)',
    other: referred('receipt_id', 'receipts', 'amount_gross > 0 as is_positive'),
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'currency: Must be that of the credit note.',
    breaks: 'other.currency <> checked.currency',
    other: referred('credit_note_id', 'credit_notes', 'currency'),
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'bank_transaction_id: Must be in the same currency, or in that of the exchange.',
    breaks: 'other.currency <> coalesce(exchange_currency, checked.currency)',
    other: referred('bank_transaction_id', 'bank_transactions', 'currency'),
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'customer_id: A credit is used for an invoice of the same customer.',
    breaks: 'checked.customer_id is not null and other.customer_id <> checked.customer_id',
    other: referred('invoice_id', 'invoices', 'customer_id'),
  },
  {
    type: 'customer',
    table: 'customers',
    message: 'credit: Must not be less than zero.',
    breaks: 'other.id is not null',
    other: {
      rows: `select customer_id as id from payments
        where tenant_id = $1 and customer_id > $2::uuid and customer_id <= $3::uuid
        group by customer_id, currency having sum(${creditSql}) < 0`,
      by: 'id',
    },
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'recorded_with: Is a payment of the same invoice or receipt.',
    breaks: `recorded_with is not null and (other.invoice_id, other.receipt_id) is distinct from
      (checked.invoice_id, checked.receipt_id)`,
    other: referred('recorded_with', 'payments', 'invoice_id, receipt_id'),
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'reversal_of: A reversal takes back all of a payment of the same, which says that it is reversed.',
    breaks: `reversal_of is not null and (other.is_reversal or other.reversed_at is null or other.amount <> -checked.amount
      or other.currency <> checked.currency or other.kind <> checked.kind
      or other.exchange_amount is distinct from -checked.exchange_amount
      or (other.invoice_id, other.receipt_id, other.credit_note_id, other.customer_id, other.bank_transaction_id)
        is distinct from (checked.invoice_id, checked.receipt_id, checked.credit_note_id, checked.customer_id,
        checked.bank_transaction_id))`,
    other: referred(
      'reversal_of',
      'payments',
      `reversal_of is not null as is_reversal, reversed_at, kind, amount, exchange_amount, currency, invoice_id, receipt_id,
      credit_note_id, customer_id, bank_transaction_id`,
    ),
  },
  {
    type: 'payment',
    table: 'payments',
    message: 'reversed_at: A reversed payment has a reversal.',
    breaks: 'reversed_at is not null and other.id is null',
    other: {
      rows: 'select reversal_of as id from payments where tenant_id = $1 and reversal_of is not null',
      by: 'id',
    },
  },
  {
    type: 'company_logo',
    table: 'company_logos',
    message: 'bytes: Must be a PNG of at most 1 MiB, with this sha256.',
    breaks: `sha256 <> sha256(bytes) or octet_length(bytes) > 1048576
      or substring(bytes from 1 for 8) <> '\\x89504e470d0a1a0a'::bytea`,
  },
  {
    type: 'invoice_file',
    table: 'invoice_files',
    message: 'sha256: Must be that of the bytes.',
    breaks: 'sha256 <> sha256(bytes)',
  },
];
