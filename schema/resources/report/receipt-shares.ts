import { paidKindsSql } from '../payment/kinds.ts';
import { receiptLinesSql } from '../receipt/lines.ts';
import { inHomeCurrency, rateColumns } from './home-amounts.ts';
import { discountedParts, paidParts, type PeriodSql, type Side } from './settled-shares.ts';

// The statements that find what the lines of receipts add to a report. Parameters: the tenant, the first day, the last day.

const side: Side = {
  name: 'receipt',
  table: 'receipts',
  parts: (where) => `
    select id, position as part, category, rate, deductible, net, vat
    from (${receiptLinesSql(`document.tenant_id = $1 and ${where}`)}) as line`,
  credited: null,
  // A prepaid amount counts on the day of the receipt.
  payments: `
    select receipt_id as id, paid_on as date, amount from payments
    where tenant_id = $1 and kind in (${paidKindsSql}) and receipt_id in (select id from receipt_touched)
    union all
    select id, receipt_date, amount_prepaid from receipts
    where tenant_id = $1 and status <> 'draft' and amount_prepaid <> 0 and id in (select id from receipt_touched)`,
  changes: `
    select receipt_id as id, paid_on as date from payments
    where tenant_id = $1 and receipt_id is not null and paid_on between $2 and $3
    union all
    select id, receipt_date from receipts
    where tenant_id = $1 and status <> 'draft' and amount_prepaid <> 0 and receipt_date between $2 and $3`,
  begun: null,
  rounding: 'abs(gross) desc, part desc',
};

/** Lines of receipts as sharesOfReceiptLines() takes them: on the day of the receipt. */
export const asDated = (lines: string): string => `
  select id, number, date, currency, exchange_rate, exchange_currency, position as part, category, rate, deductible, net, vat,
    supplier_country, 1 as at
  from (${lines}) as line`;

/** Those of receipts that are dated in the period. */
export const datedLines = asDated(
  receiptLinesSql(`document.tenant_id = $1 and document.status <> 'draft' and document.receipt_date between $2 and $3`),
);

/** @param times how often they count */
const namedLines = (parts: string, times: string): string => `
  select part.id, document.receipt_number as number, part.date, ${rateColumns}, part.part, part.digits, part.category, part.rate,
    part.deductible, part.net, part.vat, document.supplier_country, ${times} as at
  from (${parts}) as part join receipts as document on document.tenant_id = $1 and document.id = part.id`;

/** The same of what was paid in the periods. */
export const paidLines = (period: PeriodSql): string => namedLines(paidParts(side, period), 'part.at');

/**
 * The amounts that cash discounts take back of lines in the period. On a receipt with an exchange rate, the discounts
 * of a day are summed, and then converted, because the partner's account has them as one.
 */
export const discountedLines = `
  select id, number, date, currency, exchange_rate, exchange_currency, part, digits, category, rate, deductible, supplier_country,
    case when exchange_rate is null then at else 1 end as at,
    sum(case when exchange_rate is null then net else at * net end) as net,
    sum(case when exchange_rate is null then vat else at * vat end) as vat
  from (${namedLines(discountedParts(side), '-part.at')}) as line
  group by id, number, date, currency, exchange_rate, exchange_currency, part, digits, category, rate, deductible, supplier_country,
    case when exchange_rate is null then at else 1 end`;

/** Lines in the home currency. The VAT that the buyer owes, and what can be deducted, are then calculated in it. */
export const linesAtHome = (lines: string): string =>
  inHomeCurrency(
    `select id, number, date, currency, exchange_rate, exchange_currency, part, category, rate, deductible, net, vat,
      supplier_country, at
    from (${lines}) as line`,
    {
      columns: 'id, number, date, part, category, rate, deductible, supplier_country, at',
      document: 'id, date, at',
      order: 'part',
    },
  );

/** VAT that the buyer owes, the receipt doesn't state: the tenant owes it, and deducts it. So such a line has two shares. */
const kindSql = `case
  when is_owed then case category when 'AE' then 'REVERSE_CHARGE' else 'ACQUISITION' end
  when category = 'IMPORT' then 'IMPORT'
  else 'INPUT'
end`;

/** Lines with `tax`, the VAT that they state or that the buyer owes, and `deducted`, what can be deducted of it, rounded for each line. */
export const taxedLines = (lines: string): string => `
  select taxed.*, round(tax * deductible / 100, digits) as deducted
  from (
    select line.*, case when category in ('AE', 'K') then round(net * rate / 100, digits) else vat end as tax
    from (${lines}) as line
  ) as taxed`;

/** The shares of lines, of which `at` says how often they count. */
export const sharesOfReceiptLines = (lines: string, type: 'RECEIPT' | 'RECEIPT_ADJUSTMENT' = 'RECEIPT'): string => `
  select ${kindSql} as kind, '${type}' as type, id, null::uuid as invoice_id, number, date, category, rate, currency, supplier_country,
    sum(at * net) as net, sum(at * case when is_owed then tax else deducted end) as vat,
    sum(at * case when is_owed then 0 else net + tax - deducted end) as value
  from (${taxedLines(lines)}) as line join (values (false), (true)) as side (is_owed) on not is_owed or category in ('AE', 'K')
  group by is_owed, id, number, date, category, rate, currency, supplier_country`;
