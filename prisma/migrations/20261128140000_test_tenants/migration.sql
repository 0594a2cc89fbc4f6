-- Test tenants (schema/DECISIONS.md#d160-test-tenants), and the clock of each.
alter table tenants
  add column test boolean not null default false,
  add column test_of uuid,
  add column clock_ahead_ms double precision not null default 0;

-- Once the clock of a test tenant is set, the invoices that are overdue by it are looked for at once.
create function add_overdue_job() returns trigger language plpgsql as $$
begin
  perform queue_jobs('overdue', array[json_build_object('tenantId', new.id)]);
  return null;
end
$$;
create trigger add_overdue_job after update of clock_ahead_ms on tenants for each row
  when (new.clock_ahead_ms > old.clock_ahead_ms) execute function add_overdue_job();
