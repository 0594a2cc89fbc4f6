-- What clients keep with a payment, as with all else that they write (schema/DECISIONS.md#d137-payments-ledger). It is no part of
-- the books: it can be set and changed for a payment that is undone, and for what undoes one, too.
alter table payments add column external_id text, add column metadata jsonb not null default '{}';

drop trigger refuse_update on payments;
create trigger refuse_update before update on payments for each row
  when ((
    old.invoice_id, old.receipt_id, old.credit_note_id, old.customer_id, old.bank_transaction_id, old.recorded_with, old.kind,
    old.amount, old.currency, old.exchange_amount, old.exchange_currency, old.exchange_rate, old.paid_on, old.created_at,
    old.reversal_of
  ) is distinct from (
    new.invoice_id, new.receipt_id, new.credit_note_id, new.customer_id, new.bank_transaction_id, new.recorded_with, new.kind,
    new.amount, new.currency, new.exchange_amount, new.exchange_currency, new.exchange_rate, new.paid_on, new.created_at,
    new.reversal_of
  ) or ((old.reversed_at is not null or old.reversal_of is not null) and
    (old.reversed_at, old.reason, old.user_id) is distinct from (new.reversed_at, new.reason, new.user_id)
  )) execute function refuse_change_of_payment();
