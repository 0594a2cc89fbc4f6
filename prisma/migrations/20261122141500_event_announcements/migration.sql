-- Subscriptions to events. An event is announced when its deliveries are planned: that is when webhooks learn of it.

-- CreateIndex
CREATE INDEX "events_tenant_id_fanned_out_at_idx" ON "events"("tenant_id", "fanned_out_at");

-- See src/notifications.ts. The lock is held until the transaction ends. A watcher that waits for it after it has begun to
-- watch, and then reads the events, misses none: not even those of a transaction that found no watcher.
create function announce_events() returns trigger language plpgsql as $$
declare
  tenant uuid;
  watched bigint;
begin
  for tenant in select distinct tenant_id from planned where fanned_out_at is not null loop
    perform pg_advisory_xact_lock(hashtextextended(tenant || ' event order', 0));
    watched := hashtextextended(tenant || ' events', 0);
    if pg_try_advisory_lock(watched) then
      perform pg_advisory_unlock(watched);
    else
      perform pg_notify('events', concat_ws(' ', tenant_id, id, type)) from planned
      where tenant_id = tenant and fanned_out_at is not null;
    end if;
  end loop;
  return null;
end
$$;

create trigger announce_events after update on events referencing new table as planned
  for each statement execute function announce_events();
