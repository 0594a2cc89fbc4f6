-- How a payment settles what it pays (schema/DECISIONS.md#d147-settlement).
create type payment_kind as enum (
  'payment', 'fee', 'credit', 'cash_discount', 'write_off', 'rounding', 'overpayment', 'credit_refund'
);
alter table payments
  add column kind payment_kind not null default 'payment',
  add column customer_id uuid,
  add column recorded_with uuid,
  add column exchange_amount numeric(23, 5),
  add column exchange_currency text,
  add column exchange_rate numeric(24, 12),
  add constraint payments_tenant_id_customer_id_fkey foreign key (tenant_id, customer_id) references customers on delete restrict,
  add constraint payments_tenant_id_recorded_with_fkey foreign key (tenant_id, recorded_with) references payments on delete restrict,
  drop constraint payments_settle_one_thing,
  add constraint payments_settle_one_thing check (
    case
      when kind in ('overpayment', 'credit_refund') then num_nonnulls(receipt_id, credit_note_id) = 0
      else num_nonnulls(invoice_id, receipt_id, credit_note_id) = 1
    end
  ),
  add constraint payments_kind_of_what_it_pays check (
    case kind
      when 'payment' then true
      when 'cash_discount' then credit_note_id is null
      when 'write_off' then credit_note_id is null
      when 'rounding' then credit_note_id is null
      when 'fee' then invoice_id is not null
      when 'credit' then invoice_id is not null
      when 'overpayment' then true
      else invoice_id is null
    end
    and (kind in ('credit', 'overpayment', 'credit_refund')) = (customer_id is not null)
    and (bank_transaction_id is null or kind in ('payment', 'overpayment', 'credit_refund'))
  ),
  add constraint payments_reason_of_write_off check (kind <> 'write_off' or reversal_of is not null or reason is not null),
  add constraint payments_exchange check (
    num_nonnulls(exchange_amount, exchange_currency, exchange_rate) in (0, 3)
    and (exchange_amount is null or (bank_transaction_id is not null and exchange_amount * amount > 0 and exchange_rate > 0))
  ),
  drop constraint payments_reason_of_reversal,
  add constraint payments_reason_of_reversal check (
    reversal_of is not null or reversed_at is not null or (user_id is null and (reason is null or kind <> 'payment'))
  );
create index on payments (tenant_id, customer_id);
drop index payments_dated_idx;
create index payments_dated_idx on payments (tenant_id, paid_on, id, kind, invoice_id, credit_note_id, currency, amount);

drop trigger refuse_update on payments;
create trigger refuse_update before update on payments for each row
  when (old.reversed_at is not null or old.reversal_of is not null or new.reversal_of is not null or (
    old.invoice_id, old.receipt_id, old.credit_note_id, old.customer_id, old.bank_transaction_id, old.recorded_with, old.kind,
    old.amount, old.currency, old.exchange_amount, old.exchange_currency, old.exchange_rate, old.paid_on, old.created_at
  ) is distinct from (
    new.invoice_id, new.receipt_id, new.credit_note_id, new.customer_id, new.bank_transaction_id, new.recorded_with, new.kind,
    new.amount, new.currency, new.exchange_amount, new.exchange_currency, new.exchange_rate, new.paid_on, new.created_at
  )) execute function refuse_change_of_payment();

alter table invoices
  add column amount_adjusted numeric(19, 4) not null default 0,
  drop constraint invoices_paid_when_settled,
  add constraint invoices_paid_when_settled
    check (status <> 'paid' or total_gross - amount_credited - amount_paid - amount_adjusted + amount_refunded <= 0),
  add constraint invoices_adjusted_within_total
    check (amount_adjusted >= 0 and amount_adjusted + amount_credited <= total_gross),
  drop constraint invoices_cancelled_unpaid,
  add constraint invoices_cancelled_unpaid check (status <> 'cancelled' or (amount_paid = 0 and amount_adjusted = 0));
-- As schema/resources/invoice/balance.ts computes it. PostgreSQL 15 can't change the expression of a column.
alter table invoices
  drop column amount_due,
  drop column amount_to_refund,
  add column amount_due numeric(19, 4) not null generated always as (
    case
      when status = 'cancelled' then 0
      else greatest(total_gross - amount_credited - amount_paid - amount_adjusted + amount_refunded, 0)
    end
  ) stored,
  add column amount_to_refund numeric(19, 4) not null generated always as (
    greatest(amount_credited + amount_paid + amount_adjusted - total_gross - amount_refunded, 0)
  ) stored;
drop index invoices_due_idx;
create index invoices_due_idx on invoices (
  tenant_id, status, due_date, currency, total_gross, amount_paid, amount_adjusted, amount_credited, amount_refunded
);

drop trigger record_credit_note_change on invoices;
create constraint trigger record_credit_note_change after update on invoices deferrable initially deferred for each row
  when (
    old.amount_credited > 0
    and (old.amount_paid, old.amount_adjusted, old.amount_credited, old.amount_refunded)
      is distinct from (new.amount_paid, new.amount_adjusted, new.amount_credited, new.amount_refunded)
  )
  execute function record_credit_note_change();

alter table receipts
  add column amount_adjusted numeric(19, 4) not null default 0,
  add constraint receipts_adjusted_within_total
    check (amount_adjusted >= 0 and abs(amount_paid) + amount_adjusted <= abs(amount_gross - amount_prepaid)),
  drop constraint receipts_paid_when_settled,
  add constraint receipts_paid_when_settled check (status <> 'paid' or amount_paid + amount_adjusted = amount_gross - amount_prepaid),
  drop constraint receipts_draft_unpaid,
  add constraint receipts_draft_unpaid check (status <> 'draft' or (amount_paid = 0 and amount_adjusted = 0));
