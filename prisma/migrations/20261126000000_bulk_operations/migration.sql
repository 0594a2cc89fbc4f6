-- Bulk operations: very many requests of one kind, done by a job.
create type bulk_resource as enum ('customers', 'projects', 'invoices', 'receipts', 'time-entries');
create type bulk_action as enum ('create', 'update', 'upsert', 'delete');
create type bulk_operation_status as enum ('pending', 'running', 'completed', 'failed', 'cancelled');

create table bulk_operations (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  slot integer,
  resource bulk_resource not null,
  action bulk_action not null,
  status bulk_operation_status not null default 'pending',
  lines integer not null,
  processed_lines integer not null default 0,
  succeeded_lines integer not null default 0,
  failed_lines integer not null default 0,
  error text,
  user_id uuid not null,
  token_id uuid,
  created_at timestamptz(3) not null default current_timestamp,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint bulk_operations_lines_add_up check (processed_lines = succeeded_lines + failed_lines and processed_lines <= lines),
  constraint bulk_operations_slot_while_unfinished check ((slot is null) = (finished_at is not null))
);
create unique index bulk_operations_tenant_id_slot_key on bulk_operations (tenant_id, slot);
create index on bulk_operations (tenant_id, finished_at);
select isolate('bulk_operations');

create table bulk_chunks (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  operation_id uuid not null,
  number integer not null,
  first_line integer not null,
  content bytea not null,
  done boolean not null default false,
  failed_lines integer not null default 0,
  primary key (tenant_id, operation_id, number),
  foreign key (tenant_id, operation_id) references bulk_operations on delete cascade
);
-- Compressed already.
alter table bulk_chunks alter column content set storage external;
select isolate('bulk_chunks');

-- An operation's job: neither can exist without the other.
create function add_bulk_jobs() returns trigger language plpgsql security definer as $$
declare
  tenant uuid;
begin
  for tenant in select distinct tenant_id from inserted loop
    perform add_jobs(tenant, 'start_bulk_operations', array[json_build_object('tenantId', tenant)]);
  end loop;
  return null;
end
$$;

create trigger add_bulk_jobs after insert on bulk_operations referencing new table as inserted
  for each statement execute function add_bulk_jobs();

do $$
begin
  execute format('alter function add_bulk_jobs() set search_path = pg_catalog, %I, pg_temp', current_schema());
end
$$;
revoke all on function add_bulk_jobs from public;
