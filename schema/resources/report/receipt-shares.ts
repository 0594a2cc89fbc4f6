import { receiptLinesSql } from '../receipt/lines.ts';

// The statements that find what the lines of receipts add to a report. Parameters: the tenant, the first day, the last day.

/** The first and the last day of a period, as expressions of SQL. */
export interface DaysSql {
  first: string;
  last: string;
}

/** The lines of receipts that are dated in the period, as sharesOfReceiptLines() takes them. */
export const datedLines = `
  select id, number, date, currency, digits, category, rate, deductible, net, vat, 1 as at
  from (${receiptLinesSql(`document.tenant_id = $1 and document.status <> 'draft' and document.receipt_date between $2 and $3`)}) as line`;

/** Receipts of which something was paid in the period. What was prepaid counts on the day of the receipt. */
const touched = ({ first, last }: DaysSql): string => `
  select receipt_id from payments where tenant_id = $1 and receipt_id is not null and paid_on between ${first} and ${last}
  union all
  select id from receipts
  where tenant_id = $1 and status <> 'draft' and amount_prepaid <> 0 and receipt_date between ${first} and ${last}`;

/**
 * The same of what was paid in the period. At each boundary, what was paid of a receipt so far is split over its lines by their
 * gross amounts; the largest one takes the rounding. So several periods together are exactly the whole. Needs the statement's
 * `boundary`.
 */
export const paidLines = (days: DaysSql): string => `
  select id, number, ${days.last} as date, currency, digits, category, rate, deductible, paid_share - paid_vat as net,
    paid_vat as vat, at
  from (
    select split.*, case
      when paid_share = gross then vat
      else coalesce(round(paid_share * vat / nullif(gross, 0), digits), 0)
    end as paid_vat
    from (
      select rounded.*, case from_last
        when 1 then paid - sum(share) over (partition by id, at) + share
        else share
      end as paid_share
      from (
        select line.*, state.at, state.paid, coalesce(round(paid * gross / nullif(total, 0), digits), 0) as share,
          row_number() over (partition by line.id, at order by abs(gross) desc, position desc) as from_last
        from (${receiptLinesSql(`document.tenant_id = $1 and document.id in (${touched(days)})`)}) as line
          join (
            select id, at, sum(amount) as paid from (
              select payment.receipt_id as id, payment.paid_on as day, payment.amount from payments as payment
              where payment.tenant_id = $1 and payment.receipt_id in (${touched(days)})
              union all
              select id, receipt_date, amount_prepaid from receipts
              where tenant_id = $1 and status <> 'draft' and amount_prepaid <> 0 and id in (${touched(days)})
            ) as paid join boundary on paid.day <= boundary.day
            group by id, at
          ) as state on state.id = line.id
      ) as rounded
    ) as split
  ) as taxed`;

/** VAT that the buyer owes, the receipt doesn't state: the tenant owes it, and deducts it. So such a line has two shares. */
const kindSql = `case
  when is_owed then case category when 'AE' then 'REVERSE_CHARGE' else 'ACQUISITION' end
  when category = 'IMPORT' then 'IMPORT'
  else 'INPUT'
end`;

/** The shares of lines, of which `at` says how often they count. What can be deducted is rounded for each line. */
export const sharesOfReceiptLines = (lines: string): string => `
  select ${kindSql} as kind, 'RECEIPT' as type, id, null::uuid as invoice_id, number, date, category, rate, currency,
    sum(at * net) as net, sum(at * case when is_owed then vat else deducted end) as vat,
    sum(at * case when is_owed then 0 else net + vat - deducted end) as value
  from (
    select taxed.*, round(vat * deductible / 100, digits) as deducted
    from (
      select id, number, date, currency, digits, category, rate, deductible, net, at,
        case when category in ('AE', 'K') then round(net * rate / 100, digits) else vat end as vat
      from (${lines}) as line
    ) as taxed
  ) as line join (values (false), (true)) as side (is_owed) on not is_owed or category in ('AE', 'K')
  group by is_owed, id, number, date, category, rate, currency`;
