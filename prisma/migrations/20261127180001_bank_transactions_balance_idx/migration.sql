-- Alone, because it runs outside a transaction. Balances of bank accounts add up amounts from it.
create index concurrently bank_transactions_balance_idx on bank_transactions (tenant_id, account_iban, currency, booking_date, amount);
