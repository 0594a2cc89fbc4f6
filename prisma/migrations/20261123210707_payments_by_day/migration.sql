-- For lists of payments by day. It takes the place of payments_paid_idx, from which sums are computed.

create index concurrently payments_dated_idx on payments (tenant_id, paid_on, id, invoice_id, credit_note_id, currency, amount);
