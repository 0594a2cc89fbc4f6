-- What lists of invoices are filtered and ordered by, as schema/resources/invoice/balance.ts computes it.
alter table invoices
  add column amount_due numeric(19, 4) not null generated always as (
    case
      when status = 'cancelled' then 0
      else greatest(total_gross - amount_credited - amount_paid + amount_refunded, 0)
    end
  ) stored,
  add column amount_to_refund numeric(19, 4) not null generated always as (
    greatest(amount_credited + amount_paid - total_gross - amount_refunded, 0)
  ) stored;
