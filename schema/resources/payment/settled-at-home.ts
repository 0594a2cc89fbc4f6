import { minorDigitsSql } from '../../money/money.ts';

// The amounts that are settled of documents with an exchange rate, in the home currency. A ledger is walked in the
// order in which it was written, so that a later row never changes an earlier one. The amount settled up to a payment
// is converted and rounded, and the payment is worth the difference to the amount settled before. So the last payment
// takes the rest, and the partner's account ends at zero. Credit notes, cash discounts, and used credit are each worth
// the amount of their own postings, and reversals the opposite of their payment. Where one of these is the last, the
// remainder is a rest of its own.

const toHome = (amount: string): string => `round(${amount} * document.rate, document.digits)`;

/** @param touched the documents, as `invoice_id, receipt_id`: one of both is null */
const walk = (touched: string): string => `
  with recursive touched as materialized (${touched}),
  document as materialized (
    select own.*, ${minorDigitsSql('own.currency')} as digits
    from (
      select id, true as is_invoice, number, exchange_rate as rate, exchange_currency as currency, total_gross as gross, 0 as prepaid
      from invoices where tenant_id = $1 and exchange_rate is not null and id in (select invoice_id from touched)
      union all
      select id, false, receipt_number, exchange_rate, exchange_currency, amount_gross, amount_prepaid
      from receipts where tenant_id = $1 and exchange_rate is not null and id in (select receipt_id from touched)
    ) as own
  ),
  paid as (
    select coalesce(payment.invoice_id, payment.receipt_id, note.invoice_id) as document_id, payment.*,
      case when note.id is null then 1 else -1 end as sign
    from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and payment.kind not in ('overpayment', 'credit_refund') and (
      payment.invoice_id in (select id from document) or payment.receipt_id in (select id from document)
      or note.invoice_id in (select id from document))
  ),
  moved as (
    select document_id, id, paid_on as date, reversal_of, sign, sign * amount as amount,
      kind not in ('cash_discount', 'credit') as takes_rest, null::numeric as at_home, coalesce(recorded_with, id) as written,
      case kind when 'payment' then 2 when 'cash_discount' then 0 when 'credit' then 0 else 1 end as rank
    from paid where kind <> 'cash_discount'
    union all
    -- The discounts of a day are posted as one.
    select document_id, paid.id, paid_on, null, sign, amount, false,
      ${toHome('sum(amount) over of_day')} - ${toHome('(sum(amount) over of_day - amount)')}, coalesce(recorded_with, paid.id), 0
    from paid join document on document.id = document_id where kind = 'cash_discount'
    window of_day as (partition by document_id, paid_on order by paid.id)
    union all
    select invoice_id, note.id, credit_note_date, null, 1, total_gross, false, ${toHome('total_gross')}, note.id, 0
    from credit_notes as note join document on document.id = note.invoice_id where note.tenant_id = $1
  ),
  step as materialized (
    select document_id, count(*) as steps, ${['id', 'date', 'reversal_of', 'sign', 'amount', 'takes_rest', 'at_home']
      .map((column) => `array_agg(${column} order by written, rank, id) as ${column}s`)
      .join(', ')}
    from moved group by document_id
  ),
  walk (document_id, at, due, open, worths, rests) as (
    select id, 0, gross - prepaid, ${toHome('gross')} - ${toHome('prepaid')}, '{}'::numeric[], '{}'::numeric[] from document
    union all
    select walk.document_id, walk.at + 1, after.due, walk.open - worth.amount - rest.amount, walk.worths || worth.amount,
      walk.rests || rest.amount
    from walk join step on step.document_id = walk.document_id join document on document.id = walk.document_id
      cross join lateral (
        select walk.due - amounts[walk.at + 1] as due, amounts[walk.at + 1] as amount,
          walk.worths[array_position(ids, reversal_ofs[walk.at + 1])] as reversed
      ) as after
      cross join lateral (
        select walk.open - (${toHome('gross')} - ${toHome('prepaid')})
          + ${toHome('(gross - prepaid - after.due)')} as amount
      ) as own
      cross join lateral (
        select case
          when after.reversed is not null then -after.reversed
          when at_homes[walk.at + 1] is not null then at_homes[walk.at + 1]
          when not takes_rests[walk.at + 1] then ${toHome('after.amount')}
          when after.due = 0 and sign(walk.open) = sign(after.amount) then walk.open
          when sign(own.amount) = -sign(after.amount) then 0
          else own.amount
        end as amount
      ) as worth
      cross join lateral (select case when after.due = 0 then walk.open - worth.amount else 0 end as amount) as rest
    where walk.at < steps
  ),
  settled as (
    select document.*, each.id as moved_id, each.date, each.sign * each.worth as worth, each.rest
    from walk join step on step.document_id = walk.document_id and walk.at = step.steps
      join document on document.id = walk.document_id
      cross join lateral unnest(ids, dates, signs, worths, rests) as each (id, date, sign, worth, rest)
  )`;

/**
 * The amounts that payments settle in the home currency, as `id, currency, worth`. Payments of documents without a rate
 * have none, and neither have those that only change a customer's credit. Other payments and the credit notes of the
 * same documents are in the result, too. Parameter 1 is the tenant.
 * @param where a condition on `payment`
 */
export const settledAtHome = (where: string): string => `
  ${walk(`
    select distinct coalesce(payment.invoice_id, note.invoice_id) as invoice_id, payment.receipt_id
    from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    where payment.tenant_id = $1 and ${where}`)}
  select settled.moved_id as id, settled.currency, settled.worth from settled`;

/**
 * The rests in the home currency of documents that are settled by something else than a payment, on that day, as
 * `id, is_invoice, number, date, currency, difference`: a gain is positive.
 * @param within a condition on `moved`, with a `date`
 */
export const restsAtHome = (within: string): string => `
  ${walk(`
    select invoice_id, null::uuid as receipt_id from credit_notes as moved_note
      cross join lateral (select credit_note_date as date) as moved
    where tenant_id = $1 and ${within}
    union
    select coalesce(payment.invoice_id, note.invoice_id), payment.receipt_id
    from payments as payment
      left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
      cross join lateral (select paid_on as date) as moved
    where payment.tenant_id = $1 and ${within}`)}
  select id, is_invoice, number, date, currency, sum(case when is_invoice then -rest else rest end) as difference
  from settled as moved where rest <> 0 and ${within}
  group by id, is_invoice, number, date, currency`;
