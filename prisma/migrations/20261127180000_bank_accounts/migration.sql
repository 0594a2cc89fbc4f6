-- The tenant's accounts at banks, and their statements (schema/DECISIONS.md#d149-bank-accounts). Imports add both.
create table bank_accounts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  iban text not null,
  currency text not null,
  name text,
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index bank_accounts_tenant_id_iban_currency_key on bank_accounts (tenant_id, iban, currency);
create unique index bank_accounts_tenant_id_external_id_key on bank_accounts (tenant_id, external_id);
create index on bank_accounts (tenant_id, updated_at);
select isolate('bank_accounts');
select count_rows('bank_accounts');
select track_changes('bank_accounts', 'bank_account');
select audit('bank_accounts', 'bank_account');
create trigger count_version before update on bank_accounts for each row execute function count_version();

create table bank_statements (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  bank_account_id uuid not null,
  number text,
  from_date date not null,
  to_date date not null,
  opening_balance numeric(23, 5) not null,
  closing_balance numeric(23, 5) not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, bank_account_id) references bank_accounts on delete restrict,
  constraint bank_statements_end_after_start check (to_date >= from_date)
);
create unique index bank_statements_identity_key
  on bank_statements (tenant_id, bank_account_id, to_date, from_date, opening_balance, closing_balance);
select isolate('bank_statements');
select audit('bank_statements', 'bank_statement');
revoke update, delete on bank_statements from kontor_books;
