-- What clients keep with a resource: pairs of strings. The default is constant, so no row is written.
alter table customers add column metadata jsonb not null default '{}';
alter table invoices add column metadata jsonb not null default '{}';
alter table credit_notes add column metadata jsonb not null default '{}';
alter table receipts add column metadata jsonb not null default '{}';
alter table projects add column metadata jsonb not null default '{}';
alter table time_entries add column metadata jsonb not null default '{}';
