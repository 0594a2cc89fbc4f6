-- Triggers add jobs and announce changes by two functions. On several servers, a trigger runs on the server that has the
-- tenant's tables. The queue and LISTEN are elsewhere. There, both go to the outbox, in the transaction of the change, and
-- a worker moves them (src/jobs/outbox.ts).

-- CreateTable
CREATE TABLE "outbox" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "task" TEXT,
    "payloads" JSON[],
    "run_at" TIMESTAMPTZ(3)[],
    "channel" TEXT,
    "announcement" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "watchers" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "channel" TEXT NOT NULL,
    "connection_id" UUID NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "watchers_pkey" PRIMARY KEY ("tenant_id","id")
);

alter table outbox add constraint outbox_jobs_or_announcement
  check (num_nonnulls(task, channel) = 1 and num_nonnulls(payloads, announcement) = 1 and num_nonnulls(task, announcement) = 1);

-- Jobs are added by the owner only. The role of requests and jobs may announce to its own tenant, and see whether that has
-- watchers. The owner, a worker, reads everything.
alter table outbox enable row level security;
create policy tenant on outbox for insert to kontor_books
  with check (tenant_id = nullif(current_setting('kontor.tenant_id', true), '')::uuid and task is null);
grant insert on outbox to kontor_books;

alter table watchers enable row level security;
create policy tenant on watchers for select to kontor_books
  using (tenant_id = nullif(current_setting('kontor.tenant_id', true), '')::uuid);
grant select on watchers to kontor_books;

-- Adds jobs of a task to the queue, in this order. No parameter or variable is of a type of the queue, because the queue is on
-- one server only. graphile-worker's add_jobs joins the jobs with their tasks. For more than a few jobs, PostgreSQL would
-- choose a hash join, which returns them in reverse.
create function queue_jobs(task text, payloads json[], run_at timestamptz[] default null) returns void language plpgsql
  set enable_hashjoin = off as $$
begin
  perform graphile_worker.add_jobs(array(
    select (task, payload, null, due_at, 1000::smallint, null, null, null)::graphile_worker.job_spec
    from unnest(payloads, run_at) as job (payload, due_at)
  ));
end
$$;

-- For triggers: adds jobs with the transaction, all of a statement's at once.
create function add_jobs(tenant uuid, task text, payloads json[], run_at timestamptz[] default null) returns void
  language plpgsql as $$
begin
  if is_distributed() then
    insert into outbox (tenant_id, task, payloads, run_at) values (tenant, task, payloads, run_at);
  else
    perform queue_jobs(task, payloads, run_at);
  end if;
end
$$;

-- For triggers: whether somebody watches this channel of the tenant (src/watcher-registry.ts).
create function is_watched(tenant uuid, channel text) returns boolean language plpgsql as $$
declare
  watched bigint := hashtextextended(tenant || ' ' || channel, 0);
begin
  if is_distributed() then
    perform from watchers where tenant_id = tenant and watchers.channel = is_watched.channel limit 1;
    return found;
  end if;
  return not (pg_try_advisory_lock(watched) and pg_advisory_unlock(watched));
end
$$;

-- For triggers: notifies the watchers of this channel of the tenant, once the transaction is committed.
create function announce(tenant uuid, channel text, announcement text) returns void language plpgsql as $$
declare
  entry uuid;
begin
  if is_distributed() then
    -- Equal announcements of one transaction are one entry, as with NOTIFY.
    entry := md5(concat_ws(' ', pg_current_xact_id(), now(), channel, announcement))::uuid;
    insert into outbox (tenant_id, id, channel, announcement) values (tenant, entry, channel, announcement)
    on conflict do nothing;
  else
    perform pg_notify(channel, tenant || ' ' || announcement);
  end if;
end
$$;

-- The triggers, as they were, but by these functions.

create or replace function add_fan_out_jobs() returns trigger language plpgsql security definer as $$
declare
  tenant uuid;
  payloads json[];
begin
  -- A ping is planned by the user who asks for it; every other event is fanned out by its job.
  for tenant, payloads in
    select tenant_id, array_agg(json_build_object('tenantId', tenant_id, 'eventId', id) order by id)
    from inserted where type <> 'webhook.ping' group by tenant_id
  loop
    perform add_jobs(tenant, 'fan_out', payloads);
  end loop;
  return null;
end
$$;

create or replace function add_deliver_jobs() returns trigger language plpgsql security definer as $$
declare
  due uuid[];
  tenant uuid;
  payloads json[];
  run_at timestamptz[];
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
  for tenant, payloads, run_at in
    select tenant_id,
      array_agg(json_build_object('tenantId', tenant_id, 'webhookId', webhook_id, 'deliveryId', id) order by id),
      array_agg(next_attempt_at order by id)
    from changed join unnest(due) as due(id) using (id) group by tenant_id
  loop
    perform add_jobs(tenant, 'deliver', payloads, run_at);
  end loop;
  return null;
end
$$;

create or replace function announce_deliveries() returns trigger language plpgsql as $$
declare
  tenant uuid;
  announcement text;
begin
  for tenant in select distinct tenant_id from changed loop
    if not is_watched(tenant, 'deliveries') then
      continue;
    end if;
    if tg_op = 'INSERT' then
      for announcement in select concat_ws(' ', webhook_id, id) from changed where tenant_id = tenant loop
        perform announce(tenant, 'deliveries', announcement);
      end loop;
    else
      -- The beginning of an attempt is not announced.
      for announcement in
        select concat_ws(' ', changed.webhook_id, id) from changed join former using (tenant_id, id)
        where tenant_id = tenant and (changed.next_attempt_at is distinct from former.next_attempt_at
          or changed.attempt_count = former.attempt_count)
      loop
        perform announce(tenant, 'deliveries', announcement);
      end loop;
    end if;
  end loop;
  return null;
end
$$;

-- The lock is held until the transaction ends. A watcher that waits for it after it has begun to watch, and then reads the
-- events, misses none: not even those of a transaction that found no watcher.
create or replace function announce_events() returns trigger language plpgsql as $$
declare
  tenant uuid;
  announcement text;
begin
  for tenant in select distinct tenant_id from planned where fanned_out_at is not null loop
    perform pg_advisory_xact_lock(hashtextextended(tenant || ' event order', 0));
    if is_watched(tenant, 'events') then
      for announcement in
        select concat_ws(' ', id, type) from planned where tenant_id = tenant and fanned_out_at is not null
      loop
        perform announce(tenant, 'events', announcement);
      end loop;
    end if;
  end loop;
  return null;
end
$$;

create or replace function record_change() returns trigger language plpgsql as $$
declare
  tenant uuid := case tg_op when 'DELETE' then old.tenant_id else new.tenant_id end;
  row_id uuid := case tg_op when 'DELETE' then old.id else new.id end;
begin
  if tg_argv[0] = 'project' then
    perform lock_project_changes(tenant);
  end if;
  insert into changes (tenant_id, resource, id, position, deleted, changed_at)
  values (tenant, tg_argv[0], row_id, next_change_position(tenant), tg_op = 'DELETE', clock_timestamp())
  on conflict (tenant_id, resource, id) do update
    set position = excluded.position, deleted = excluded.deleted, changed_at = excluded.changed_at;
  if is_watched(tenant, 'changes') then
    perform announce(tenant, 'changes', tg_argv[0]);
  end if;
  return null;
end
$$;

create or replace function record_project_change() returns trigger language plpgsql as $$
declare
  tenant uuid := case tg_op when 'DELETE' then old.tenant_id else new.tenant_id end;
  projects uuid[] := case
    when tg_op = 'DELETE' then array[old.project_id]
    when tg_op = 'INSERT' or old.project_id = new.project_id then array[new.project_id]
    else array[old.project_id, new.project_id]
  end;
  project uuid;
  new_position bigint;
  changed timestamptz := clock_timestamp();
begin
  perform lock_project_changes(tenant);
  foreach project in array projects loop
    new_position := next_change_position(tenant);
    update changes set position = new_position, changed_at = changed
    where tenant_id = tenant and resource = 'project' and id = project and not deleted;
  end loop;
  if is_watched(tenant, 'changes') then
    perform announce(tenant, 'changes', 'project');
  end if;
  return null;
end
$$;

create or replace function record_credit_note_change() returns trigger language plpgsql as $$
declare
  note uuid;
  new_position bigint;
  changed timestamptz := clock_timestamp();
begin
  for note in select id from credit_notes where tenant_id = new.tenant_id and invoice_id = new.id order by id loop
    new_position := next_change_position(new.tenant_id);
    update changes set position = new_position, changed_at = changed
    where tenant_id = new.tenant_id and resource = 'credit_note' and id = note and not deleted;
  end loop;
  if found and is_watched(new.tenant_id, 'changes') then
    perform announce(new.tenant_id, 'changes', 'credit_note');
  end if;
  return null;
end
$$;

drop function are_changes_watched(uuid);

-- The functions that run as the owner look for tables in this schema only. Nobody else may call those that add jobs, or make
-- triggers of them.
do $$
begin
  execute format('alter function add_fan_out_jobs() set search_path = pg_catalog, %I, pg_temp', current_schema());
  execute format('alter function add_deliver_jobs() set search_path = pg_catalog, %I, pg_temp', current_schema());
end
$$;
revoke all on function add_fan_out_jobs(), add_deliver_jobs(), add_jobs(uuid, text, json[], timestamptz[]),
  queue_jobs(text, json[], timestamptz[]) from public;
