-- Rules of one row, held by the database too. Every version before this one checks them before it writes, so a process of
-- that version goes on working. `not valid`: rows that are there are not looked at, so that none of them can stop this
-- migration. A project, say, could be stored with its end before its start when both were changed at once. PostgreSQL
-- checks such a row when it is next changed, and schema/constraints.ts says what is then wrong with it.

alter table invoices
  add constraint invoices_issued_unless_draft check (status = 'draft' or issued_at is not null) not valid,
  add constraint invoices_paid_at_when_paid check ((status = 'paid') = (paid_at is not null)) not valid,
  add constraint invoices_cancelled_at_when_cancelled check ((status = 'cancelled') = (cancelled_at is not null)) not valid,
  add constraint invoices_cancelled_unpaid check (status <> 'cancelled' or amount_paid = 0) not valid,
  add constraint invoices_total_is_net_and_vat check (total_gross = total_net + total_vat) not valid;

alter table invoice_items
  add constraint invoice_items_quantity_not_zero check (quantity <> 0) not valid,
  add constraint invoice_items_vat_rate_percent check (vat_rate between 0 and 100) not valid;

alter table receipts
  add constraint receipts_paid_when_settled check (status <> 'paid' or amount_paid = amount_gross) not valid,
  add constraint receipts_paid_at_when_paid check ((status = 'paid') = (paid_at is not null)) not valid,
  add constraint receipts_draft_unpaid check (status <> 'draft' or amount_paid = 0) not valid,
  add constraint receipts_gross_is_net_and_vat check (amount_gross = amount_net + vat_amount) not valid,
  add constraint receipts_vat_rate_percent check (vat_rate between 0 and 100) not valid;

alter table projects
  add constraint projects_end_after_start check (end_date >= start_date) not valid,
  add constraint projects_rate_not_negative check (hourly_rate_net >= 0) not valid,
  add constraint projects_budget_not_negative check (budget_hours >= 0) not valid;

alter table time_entries
  add constraint time_entries_rate_not_negative check (hourly_rate_net >= 0) not valid;

alter table bank_transactions
  add constraint bank_transactions_open_within_amount
    check (amount_open between least(amount, 0) and greatest(amount, 0)) not valid,
  add constraint bank_transactions_status_says_what_is_open check (
    case match_status
      when 'matched' then amount_open = 0
      when 'partially_matched' then amount_open <> 0 and amount_open <> amount
      else amount_open = amount
    end
  ) not valid;
