-- The jobs of all events of a statement are added at once: graphile-worker's add_job reads through its jobs each time
-- (its plans are made while the table looks empty), so a row's own call cost more the more events a transaction had.
drop trigger add_fan_out_job on events;
drop function add_fan_out_job();

create function add_fan_out_jobs() returns trigger language plpgsql as $$
begin
  -- A ping is planned by the user who asks for it; every other event is fanned out by its job.
  perform graphile_worker.add_jobs(array_agg((
      'fan_out', json_build_object('tenantId', tenant_id, 'eventId', id), null, null, 1000::smallint, null, null, null
    )::graphile_worker.job_spec order by id))
  from inserted where type <> 'webhook.ping' having count(*) > 0;
  return null;
end
$$;

create trigger add_fan_out_jobs after insert on events referencing new table as inserted
  for each statement execute function add_fan_out_jobs();
