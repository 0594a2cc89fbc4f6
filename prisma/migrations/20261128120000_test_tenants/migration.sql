-- Test tenants (schema/DECISIONS.md#d156-test-tenants), and the clock of each.
alter table tenants
  add column test boolean not null default false,
  add column test_of uuid,
  add column clock_ahead_ms double precision not null default 0;

-- What nobody may delete goes with a test tenant. Its deletion says whose rows it deletes, and acts as the owner.
create function deletes_test_tenant(tenant uuid) returns boolean language sql stable as $$
  select current_user <> 'kontor_books' and tenant::text = current_setting('kontor.deletes_test_tenant', true)
$$;

create or replace function refuse_change_of_final_lock() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and deletes_test_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'A final period lock can not be moved back';
end
$$;

create or replace function refuse_change_of_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and deletes_test_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'The audit log can not change';
end
$$;

create or replace function refuse_change_of_anchor() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and deletes_test_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'An anchor can not change';
end
$$;

-- Once the clock of a test tenant is set, the invoices that are overdue by it are looked for at once.
create function add_overdue_job() returns trigger language plpgsql as $$
begin
  perform queue_jobs('overdue', array[json_build_object('tenantId', new.id)]);
  return null;
end
$$;
create trigger add_overdue_job after update of clock_ahead_ms on tenants for each row
  when (new.clock_ahead_ms > old.clock_ahead_ms) execute function add_overdue_job();
