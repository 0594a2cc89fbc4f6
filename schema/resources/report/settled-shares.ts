import { minorDigitsSql } from '../../money/money.ts';

// The amount that is settled of a document up to a day is split over the document's parts: cash discounts over the rest
// of each part after the credit notes until then, and payments over the rest after both. One part takes the rounding.
// The share of a period or a day is the difference of two days: so all of them together are exactly the whole, whenever
// the amounts were settled.
//
// Names of a side's tables: `touched (id)`, the documents; `point (id, date, at, until)`, the days that are compared: what was
// settled until the day `until` counts `at` times (1 or -1) in the share of the day `date`.

/** The first and the last day of the period of a report that the day `date` is in, as expressions of SQL. */
export interface PeriodSql {
  first: string;
  last: string;
}

/** Documents that are settled by payments: invoices, or receipts. */
export interface Side {
  /** In front of the names of its tables. */
  name: 'invoice' | 'receipt';
  table: string;
  /**
   * Net and VAT of the parts of documents, as `id, part, category, rate, deductible, net, vat`: an invoice has one for each VAT
   * category and rate, a receipt one for each line.
   */
  parts: (where: string) => string;
  /** The amounts that credit notes take back of these, with a `date`; null where there are no credit notes. */
  credited: string | null;
  /** The amounts of payments, and those that refunds take back: `id, date, amount`. */
  payments: string;
  /** The days between $2 and $3 on which something of a document is paid or credited: `id, date`. */
  changes: string;
  /**
   * The documents of which something was paid, adjusted, or credited before $2: `id`. Null where a part of a document can have VAT
   * but come to nothing, so that it counts as paid from the beginning.
   */
  begun: string | null;
  /** The order of parts: the first takes the rounding. */
  rounding: string;
}

const partColumns = 'id, date, at, part, category, rate, deductible';

/** The columns of what is left of a part, and of what was credited of it. */
const stateColumns = `${partColumns}, net, vat, credited_net, credited_vat`;

/** The table `stated`: what a document says, less the credit notes until each point; and `discounted`, the cash discounts. */
const stateSql = ({ name, parts, credited }: Side): string => `
  ${name}_stated as (
    select point.id, point.date, at, part, category, rate, deductible, net, vat, 0 as credited_net, 0 as credited_vat
    from (${parts(`document.id in (select id from ${name}_touched)`)}) as said
      join ${name}_point as point on point.id = said.id
    ${
      credited === null
        ? ''
        : `union all
    select point.id, point.date, at, part, category, rate, deductible, -net, -vat, net, vat
    from (${credited}) as credited join ${name}_point as point on point.id = credited.id and credited.date <= until`
    }
  ),
  ${name}_discounted as (
    select ${name}_id as id, paid_on as date, amount from payments
    where tenant_id = $1 and kind = 'cash_discount' and ${name}_id in (select id from ${name}_touched)
  )`;

/**
 * The table `<name>_<into> (…, amount, amount_vat, digits)`: amounts split over the shares that are left. The part of an amount beyond
 * these is split over the credited shares.
 * @param state a table with `stateColumns`
 * @param amounts a table `(id, date, amount)`
 */
const split = (
  { name, table, rounding }: Side,
  { state, amounts, into }: Record<'state' | 'amounts' | 'into', string>,
): string => `
  ${name}_${into}_sum as (
    select point.id, point.date, point.at, sum(amount) as amount
    from ${amounts} as settled join ${name}_point as point on point.id = settled.id and settled.date <= until
    group by point.id, point.date, point.at
  ),
  ${name}_${into}_part as (
    select of_part.*, coalesce(settled.amount, 0) as settled
    from (
      select ${partColumns}, sum(net) as net, sum(vat) as vat, sum(net + vat) as gross,
        sum(credited_vat) as credited_vat, sum(credited_net + credited_vat) as credited
      from ${state} group by ${partColumns}
    ) as of_part left join ${name}_${into}_sum as settled
      on settled.id = of_part.id and settled.date = of_part.date and settled.at = of_part.at
  ),
  ${name}_${into}_whole as (
    select of_part.*, ${minorDigitsSql('document.currency')} as digits,
      sum(gross) over in_all as gross_in_all, sum(credited) over in_all as credited_in_all,
      row_number() over (in_all order by ${rounding}) as from_last
    from ${name}_${into}_part as of_part join ${table} as document on document.tenant_id = $1 and document.id = of_part.id
    window in_all as (partition by of_part.id, of_part.date, of_part.at)
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
    select ${partColumns}, amount_vat - amount, -amount_vat, 0, 0 from ${side.name}_discount
  ),
  ${split(side, { state: `${side.name}_left`, amounts: `${side.name}_payment`, into: 'paid' })}`;

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

/**
 * The days before each period and at its end, for each document of which something is paid, credited, or adjusted in it. Of most, nothing
 * was before the report's first day: then the day before the period that this is in says nothing, and would take half of the time.
 */
const periodPoints = ({ name, changes, begun }: Side, { first, last }: PeriodSql): string => `
  ${name}_change as (${changes}),
  ${name}_touched as (select distinct id from ${name}_change where id is not null),
  ${name}_period as (
    select distinct id, ${first} as first, ${last} as last from ${name}_change where id is not null
  ),
  ${
    begun === null
      ? ''
      : `${name}_begun as (
    select id, min(date) as date
    from (select id, date from ${name}_change union all select id, '-infinity' from (${begun}) as earlier) as change group by id
  ),`
  }
  ${name}_point (id, date, at, until) as (
    select period.id, last, -1, first - 1 from ${name}_period as period
    ${begun === null ? '' : `join ${name}_begun as begun on begun.id = period.id and begun.date < first`}
    union all select id, last, 1, last from ${name}_period
  )`;

const columns = `${partColumns}, digits, amount - amount_vat as net, amount_vat as vat`;

/** The amounts paid of the parts of documents at each point of the periods: `at` says how often an amount counts. */
export const paidParts = (side: Side, period: PeriodSql): string => `
  with ${periodPoints(side, period)}, ${stateSql(side)}, ${splitPayments(side)}
  select ${columns} from ${side.name}_paid`;

/** The same of cash discounts of the period, on the days of payment. */
export const discountedParts = (side: Side): string => `
  with ${discountPoints(side)}, ${stateSql(side)}, ${splitDiscounts(side)}
  select ${columns} from ${side.name}_discount`;
