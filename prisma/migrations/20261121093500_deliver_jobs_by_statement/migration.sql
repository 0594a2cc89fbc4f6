-- Deliveries are made, tried and put off many at a time. The jobs of all of a statement are added at once, as those of
-- events are; and whether somebody watches is asked once per statement and tenant.

drop trigger add_deliver_job on deliveries;
drop function add_deliver_job();

create function add_deliver_jobs() returns trigger language plpgsql security definer as $$
declare
  due uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(id) into due from changed where next_attempt_at is not null;
  else
    -- Whatever leaves a delivery waiting sets its time, be it to the same as before; but for what only counts an attempt,
    -- which is a job's own doing.
    select array_agg(id) into due from changed join former using (tenant_id, id)
    where changed.next_attempt_at is not null
      and (changed.next_attempt_at is distinct from former.next_attempt_at
        or changed.attempt_count = former.attempt_count);
  end if;
  perform graphile_worker.add_jobs(array_agg((
      'deliver', json_build_object('tenantId', tenant_id, 'webhookId', webhook_id, 'deliveryId', id),
      null, next_attempt_at, 1000::smallint, null, null, null
    )::graphile_worker.job_spec order by id))
  from changed join unnest(due) as due(id) using (id) having count(*) > 0;
  return null;
end
$$;

-- Like the queue's others: as the owner, and for nobody else's triggers.
do $$
begin
  execute format('alter function add_deliver_jobs set search_path = pg_catalog, %I, pg_temp', current_schema());
end
$$;
revoke all on function add_deliver_jobs from public;

create trigger add_deliver_jobs after insert on deliveries referencing new table as changed
  for each statement execute function add_deliver_jobs();
create trigger add_deliver_jobs_again after update on deliveries referencing old table as former new table as changed
  for each statement execute function add_deliver_jobs();

-- As it was (20261121070500), but for the asking: the beginning of an attempt is still not told.
drop trigger announce_delivery on deliveries;
drop function announce_delivery();

create function announce_deliveries() returns trigger language plpgsql as $$
declare
  tenant uuid;
  watched bigint;
begin
  for tenant in select distinct tenant_id from changed loop
    watched := hashtextextended(tenant || ' deliveries', 0);
    if pg_try_advisory_lock(watched) then
      perform pg_advisory_unlock(watched);
    elsif tg_op = 'INSERT' then
      perform pg_notify('deliveries', concat_ws(' ', tenant_id, webhook_id, id)) from changed where tenant_id = tenant;
    else
      perform pg_notify('deliveries', concat_ws(' ', tenant_id, changed.webhook_id, id))
      from changed join former using (tenant_id, id)
      where tenant_id = tenant and (changed.next_attempt_at is distinct from former.next_attempt_at
        or changed.attempt_count = former.attempt_count);
    end if;
  end loop;
  return null;
end
$$;

create trigger announce_deliveries after insert on deliveries referencing new table as changed
  for each statement execute function announce_deliveries();
create trigger announce_deliveries_again after update on deliveries referencing old table as former new table as changed
  for each statement execute function announce_deliveries();
