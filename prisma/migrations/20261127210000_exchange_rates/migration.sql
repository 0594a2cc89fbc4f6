-- What a document's currency was worth in the home currency (schema/DECISIONS.md#d150-exchange-rates). The next migration checks
-- the rows that are there.
alter table invoices
  add column exchange_rate numeric(24, 12),
  add column exchange_rate_date date,
  add column exchange_rate_source text,
  add column exchange_currency text,
  add constraint invoices_exchange_rate check (
    num_nonnulls(exchange_rate, exchange_rate_date, exchange_currency) in (0, 3)
    and (exchange_rate_source is null or exchange_rate is not null)
    and (exchange_rate is null or (exchange_rate > 0 and exchange_currency <> currency))
  ) not valid,
  add constraint invoices_exchanged_total_bounded check (abs(total_gross) * exchange_rate < 1e12) not valid;
alter table credit_notes
  add column exchange_rate numeric(24, 12),
  add column exchange_rate_date date,
  add column exchange_rate_source text,
  add column exchange_currency text,
  add constraint credit_notes_exchange_rate check (
    num_nonnulls(exchange_rate, exchange_rate_date, exchange_currency) in (0, 3)
    and (exchange_rate_source is null or exchange_rate is not null)
    and (exchange_rate is null or (exchange_rate > 0 and exchange_currency <> currency))
  ) not valid,
  add constraint credit_notes_exchanged_total_bounded check (abs(total_gross) * exchange_rate < 1e12) not valid;
alter table receipts
  add column exchange_rate numeric(24, 12),
  add column exchange_rate_date date,
  add column exchange_rate_source text,
  add column exchange_currency text,
  add constraint receipts_exchange_rate check (
    num_nonnulls(exchange_rate, exchange_rate_date, exchange_currency) in (0, 3)
    and (exchange_rate_source is null or exchange_rate is not null)
    and (exchange_rate is null or (exchange_rate > 0 and exchange_currency <> currency))
  ) not valid,
  add constraint receipts_exchanged_total_bounded check (abs(amount_gross) * exchange_rate < 1e12) not valid;

-- They are frozen with what they stand beside.
drop trigger refuse_change_of_issued on invoices;
create trigger refuse_change_of_issued before update on invoices for each row when (
  old.number is not null and current_user = 'kontor_books' and (
    old.number, old.customer_id, old.invoice_date, old.due_date, old.delivery_date, old.subject, old.currency,
    old.total_net, old.total_vat, old.total_gross, old.issued_at,
    old.exchange_rate, old.exchange_rate_date, old.exchange_rate_source, old.exchange_currency
  ) is distinct from (
    new.number, new.customer_id, new.invoice_date, new.due_date, new.delivery_date, new.subject, new.currency,
    new.total_net, new.total_vat, new.total_gross, new.issued_at,
    new.exchange_rate, new.exchange_rate_date, new.exchange_rate_source, new.exchange_currency
  )
) execute function refuse_change_of_issued_invoice();

drop trigger refuse_change_of_booked on receipts;
create trigger refuse_change_of_booked before update on receipts for each row when (
  old.status <> 'draft' and current_user = 'kontor_books' and (
    old.status = 'reversed' or new.status = 'draft' or (
      old.supplier_id, old.project_id, old.receipt_number, old.receipt_date, old.due_date, old.description, old.category,
      old.currency, old.amount_gross, old.vat_rate, old.vat_amount, old.amount_net, old.reversal_of, old.service_date,
      old.received_on, old.credited_receipt_id, old.amount_prepaid, old.supplier_country,
      old.exchange_rate, old.exchange_rate_date, old.exchange_rate_source, old.exchange_currency
    ) is distinct from (
      new.supplier_id, new.project_id, new.receipt_number, new.receipt_date, new.due_date, new.description, new.category,
      new.currency, new.amount_gross, new.vat_rate, new.vat_amount, new.amount_net, new.reversal_of, new.service_date,
      new.received_on, new.credited_receipt_id, new.amount_prepaid, new.supplier_country,
      new.exchange_rate, new.exchange_rate_date, new.exchange_rate_source, new.exchange_currency
    )
  )
) execute function refuse_change_of_booked_receipt();
