-- The accounts of customers and suppliers in the tax consultant's books, which exports for DATEV give.
create table partner_accounts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  customer_id uuid not null,
  kind text not null,
  number integer not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers on delete restrict,
  constraint partner_accounts_kind_known check (kind in ('debtor', 'creditor'))
);
create unique index partner_accounts_tenant_id_customer_id_kind_key on partner_accounts (tenant_id, customer_id, kind);
create unique index partner_accounts_tenant_id_number_key on partner_accounts (tenant_id, number);
create index partner_accounts_kind_idx on partner_accounts (tenant_id, kind, number);
select isolate('partner_accounts');
