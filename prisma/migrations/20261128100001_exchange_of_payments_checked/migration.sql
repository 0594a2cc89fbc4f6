alter table payments validate constraint payments_exchange;
