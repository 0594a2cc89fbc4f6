-- Exports: a job writes a file of the books.
create type export_type as enum ('datev', 'gobd', 'open_items', 'list');
create type export_format as enum ('csv', 'xlsx');
create type export_resource as enum (
  'customers', 'invoices', 'invoice-items', 'credit-notes', 'credit-note-items', 'receipts', 'receipt-lines',
  'payments', 'projects', 'time-entries', 'bank-accounts', 'bank-statements', 'bank-transactions', 'audit-log'
);
create type export_side as enum ('receivable', 'payable');
create type export_chart as enum ('skr03', 'skr04');
create type export_status as enum ('pending', 'running', 'completed', 'failed', 'cancelled');

create table exports (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  slot integer,
  type export_type not null,
  format export_format,
  resource export_resource,
  from_day date,
  to_day date,
  at_day date,
  side export_side,
  chart export_chart,
  consultant_number integer,
  client_number integer,
  status export_status not null default 'pending',
  rows integer,
  processed_rows integer not null default 0,
  error text,
  file_name text,
  length integer,
  sha256 bytea,
  expires_at timestamptz(3),
  user_id uuid not null,
  token_id uuid,
  created_at timestamptz(3) not null default current_timestamp,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint exports_slot_while_unfinished check ((slot is null) = (finished_at is not null)),
  constraint exports_file_once_completed check ((file_name is not null) = (status = 'completed'))
);
create unique index exports_tenant_id_slot_key on exports (tenant_id, slot);
create index on exports (tenant_id, finished_at);
select isolate('exports');

-- A tenant's job, once for each statement: neither it nor the rows can exist without the other. The argument is its task.
create function add_tenant_jobs() returns trigger language plpgsql security definer as $$
declare
  tenant uuid;
begin
  for tenant in select distinct tenant_id from inserted loop
    perform add_jobs(tenant, tg_argv[0], array[json_build_object('tenantId', tenant)]);
  end loop;
  return null;
end
$$;

do $$
begin
  execute format('alter function add_tenant_jobs() set search_path = pg_catalog, %I, pg_temp', current_schema());
end
$$;
revoke all on function add_tenant_jobs from public;

create trigger add_export_jobs after insert on exports referencing new table as inserted
  for each statement execute function add_tenant_jobs('start_exports');

-- Those of bulk operations had a function of their own.
drop trigger add_bulk_jobs on bulk_operations;
drop function add_bulk_jobs;
create trigger add_bulk_jobs after insert on bulk_operations referencing new table as inserted
  for each statement execute function add_tenant_jobs('start_bulk_operations');
