-- The deletion of a closed tenant (prisma/delete-tenant.ts), by the owner of the tables and of nothing else: the setting
-- kontor.deleted_tenant names it for a transaction.
alter table tenants add column deletion_started_at timestamptz(3);

-- What went, of each deleted tenant. Its id isn't called tenant_id: a deletion leaves no row with that.
create table tenant_deletions (
  id uuid not null,
  closed_at timestamptz(3) not null,
  started_at timestamptz(3) not null,
  started_by text not null,
  rows jsonb not null default '{}',
  files integer not null default 0,
  jobs integer not null default 0,
  finished_at timestamptz(3),
  certificate text,
  primary key (id),
  constraint tenant_deletions_certified check ((finished_at is null) = (certificate is null))
);

create function is_deleted_tenant(tenant uuid) returns boolean language sql stable parallel safe
return current_user <> 'kontor_books' and tenant = nullif(current_setting('kontor.deleted_tenant', true), '')::uuid;

-- Row-level security shows the owner the rows of the tenant that it deletes. The audit log shows it all rows. For the owner only:
-- another policy of kontor_books would change the plans of its statements.
create function let_owner_delete(tenant_table regclass) returns void language plpgsql as $$
begin
  execute format(
    'create policy deletion on %s to %I
      using (tenant_id = nullif(current_setting(''kontor.deleted_tenant'', true), '''')::uuid)',
    tenant_table, (select pg_get_userbyid(relowner) from pg_class where oid = tenant_table)
  );
end
$$;
revoke all on function let_owner_delete from public;

do $$
declare
  tenant_table regclass;
begin
  for tenant_table in
    select polrelid from pg_policy join pg_class c on c.oid = polrelid
    where polname = 'tenant' and relnamespace = current_schema()::regnamespace and relforcerowsecurity
      and not exists (select from pg_policy other where other.polrelid = c.oid and other.polname = 'operator')
    order by relname
  loop
    perform let_owner_delete(tenant_table);
  end loop;
end
$$;

create or replace function isolate(tenant_table regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', tenant_table);
  -- Stable, so that it is computed once per statement, and an index finds the rows. Without a tenant: none.
  execute format(
    'create policy tenant on %s to kontor_books
      using (tenant_id = nullif(current_setting(''kontor.tenant_id'', true), '''')::uuid)',
    tenant_table
  );
  perform let_owner_delete(tenant_table);
  execute format('grant select, insert, update, delete on %s to kontor_books', tenant_table);
end
$$;

-- What nobody else may delete.
create or replace function refuse_change_of_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_deleted_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'The audit log can not change';
end
$$;
create or replace function refuse_change_of_anchor() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_deleted_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'An anchor can not change';
end
$$;
create or replace function refuse_change_of_final_lock() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_deleted_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'A final period lock can not be moved back';
end
$$;

-- A deletion is in no audit log: that goes, too.
create or replace function add_audit_entry(
  tenant uuid, resource text, resource_id uuid, version integer, action text, before jsonb, after jsonb
) returns void language plpgsql as $$
declare
  actor text[] := string_to_array(current_setting('kontor.actor', true), ',', '');
  kind text := coalesce(nullif(current_setting('kontor.actor_kind', true), ''), actor[1]);
  entry_position bigint;
  entry_at timestamptz;
  entry_id uuid;
begin
  if is_deleted_tenant(tenant) then
    return;
  end if;
  entry_position := next_change_position(tenant);
  entry_at := clock_timestamp();
  entry_id := (
    lpad(to_hex(floor(extract(epoch from entry_at) * 1000)::bigint), 12, '0') || '7' ||
    lpad(to_hex(entry_position & 4095), 3, '0') || substr(gen_random_uuid()::text, 20)
  )::uuid;
  insert into audit_entries (
    tenant_id, id, position, at, actor_kind, user_id, token_id, session_id, request_id, job,
    resource, resource_id, version, action, before, after
  ) values (
    tenant, entry_id, entry_position, entry_at, kind,
    actor[2]::uuid, actor[3]::uuid, actor[4]::uuid, actor[5]::uuid, actor[6],
    resource, resource_id, version, action, before, after
  );
end
$$;
