-- The tenant of a connection can be an empty text: after a transaction that set it with `set local`, PostgreSQL leaves that
-- behind. An empty text is no tenant. It is not an error.

create or replace function isolate(books regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', books);
  -- Stable, so that it is computed once per statement, and an index finds the rows. Without a tenant: none.
  execute format(
    'create policy tenant on %s to kontor_books
      using (tenant_id = nullif(current_setting(''kontor.tenant_id'', true), '''')::uuid)',
    books
  );
  execute format('grant select, insert, update, delete on %s to kontor_books', books);
end
$$;

do $$
declare
  name regclass;
begin
  for name in
    select polrelid::regclass from pg_policy join pg_class on pg_class.oid = polrelid
    where polname = 'tenant' and relnamespace = current_schema()::regnamespace order by polrelid::regclass::text
  loop
    execute format(
      'alter policy tenant on %s using (tenant_id = nullif(current_setting(''kontor.tenant_id'', true), '''')::uuid)',
      name
    );
    execute format(
      'alter table %s alter column tenant_id set default nullif(current_setting(''kontor.tenant_id'', true), '''')::uuid',
      name
    );
  end loop;
end
$$;
