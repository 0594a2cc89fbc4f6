-- Alone, because it runs outside a transaction. Few payments have a rate: the profit and loss finds the differences of a period.
create index concurrently payments_exchanged_idx on payments (tenant_id, paid_on) where exchange_rate is not null;
