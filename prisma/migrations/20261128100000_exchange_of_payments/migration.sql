-- A payment that was recorded by hand can have an exchange rate, too (schema/DECISIONS.md#d151-exchange-differences). The next
-- migration checks the rows that are there.
alter table payments
  drop constraint payments_exchange,
  add constraint payments_exchange check (
    num_nonnulls(exchange_amount, exchange_currency, exchange_rate) in (0, 3)
    and (exchange_amount is null or (exchange_amount * amount > 0 and exchange_rate > 0))
  ) not valid;
