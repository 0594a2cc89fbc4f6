-- Row-level security for the books: what a role that owns nothing may see and write is the rows of the tenant that its
-- connection is set to (prisma/books.ts), whatever it asks for.

-- A role belongs to the whole server: another database of it may have made it, or be about to.
do $$
begin
  if not exists (select from pg_roles where rolname = 'kontor_books') then
    create role kontor_books nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise exception 'there is no role kontor_books, and % may not make it. As a superuser, run: create role kontor_books; grant kontor_books to %',
      current_user, quote_ident(current_user);
end
$$;

do $$
begin
  if (select rolsuper or rolbypassrls from pg_roles where rolname = 'kontor_books') then
    raise exception 'the role kontor_books passes row-level security by. As a superuser, run: alter role kontor_books nosuperuser nobypassrls';
  end if;
  begin
    set local role kontor_books;
    reset role;
  exception when insufficient_privilege then
    execute format('grant kontor_books to %I', current_user); -- who made it may
  end;
exception when insufficient_privilege then
  raise exception '% may not act as kontor_books. As a superuser, run: grant kontor_books to %', current_user, quote_ident(current_user);
end
$$;

-- For every migration that makes a table of the books: select isolate('quotes').
create function isolate(books regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', books);
  -- Stable, so that it is asked once per statement, and an index finds the rows. Without a tenant: none.
  execute format(
    'create policy tenant on %s to kontor_books using (tenant_id = current_setting(''kontor.tenant_id'', true)::uuid)',
    books
  );
  execute format('grant select, insert, update, delete on %s to kontor_books', books);
end
$$;
revoke all on function isolate from public;

do $$ begin execute format('grant usage on schema %I to kontor_books', current_schema()); end $$;

select isolate(name::regclass) from unnest(array[
  'customers', 'invoices', 'invoice_items', 'invoice_sequences', 'receipts', 'projects', 'time_entries',
  'bank_transactions', 'payments', 'events', 'webhooks', 'deliveries', 'delivery_attempts', 'stored_answers'
]) as name;

-- The queue is not the tenants': their triggers add jobs as the owner. Nobody else may make a trigger of these.
alter function add_fan_out_jobs() security definer;
alter function add_deliver_job() security definer;
do $$
begin
  execute format('alter function add_fan_out_jobs() set search_path = pg_catalog, %I, pg_temp', current_schema());
  execute format('alter function add_deliver_job() set search_path = pg_catalog, %I, pg_temp', current_schema());
end
$$;
revoke all on function add_fan_out_jobs(), add_deliver_job() from public;

-- The audit log is cleaned up tenant by tenant.
drop index deliveries_created_at_idx;
drop index events_created_at_idx;
create index deliveries_tenant_id_created_at_idx on deliveries (tenant_id, created_at);
create index events_tenant_id_created_at_idx on events (tenant_id, created_at);
