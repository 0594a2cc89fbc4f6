-- The whole schema of 1.0.0. Later migrations only add to it (CONTRIBUTING.md#migrations).
--
-- Names that PostgreSQL gives by itself are not written: customers_pkey, invoices_tenant_id_customer_id_fkey, and
-- invoices_tenant_id_status_id_idx, say. Some indexes end in columns that no query filters by: sums are computed from the
-- index alone (schema/resources/overview.ts).

create extension if not exists pg_trgm; -- search
create extension if not exists btree_gin; -- tenant_id in the indexes of searches


-- Row-level security: requests and jobs run as a role that owns nothing. It sees and writes the rows of the tenant to which
-- its connection is set (prisma/tenant/), whatever a statement asks for.

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

do $$ begin execute format('grant usage on schema %I to kontor_books', current_schema()); end $$;

-- The deletion of a closed tenant (prisma/delete-tenant.ts), by the owner of the tables and of nothing else: the setting
-- kontor.deleted_tenant names it for a transaction.
create function is_deleted_tenant(tenant uuid) returns boolean language sql stable parallel safe
return current_user <> 'kontor_books' and tenant = nullif(current_setting('kontor.deleted_tenant', true), '')::uuid;

-- Row-level security shows the owner the rows of the tenant that it deletes. The audit log shows it all rows. For the owner
-- only: another policy of kontor_books would change the plans of its statements.
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

-- For every migration that makes a table of tenants: select isolate('quotes'). An empty setting is no tenant: PostgreSQL
-- leaves one behind after a transaction that set it with `set local`.
create function isolate(tenant_table regclass) returns void language plpgsql as $$
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
revoke all on function isolate from public;


-- Jobs and announcements of triggers. On several servers, a trigger runs on the server that has the tenant's tables. The
-- queue and LISTEN are elsewhere. There, both go to the outbox, in the transaction of the change, and a worker moves them
-- (src/jobs/outbox.ts).

-- Whether tenants' tables are distributed over several servers by Citus: `kontor distribute` replaces this function by one
-- that returns true. Triggers ask it, and so do processes when they start (prisma/distribute/distributed.ts).
create function is_distributed() returns boolean language sql immutable parallel safe as 'select false';

create table outbox (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  task text,
  payloads json[],
  run_at timestamptz(3)[],
  channel text,
  announcement text,
  created_at timestamptz(6) not null default clock_timestamp(),
  primary key (tenant_id, id),
  constraint outbox_jobs_or_announcement
    check (num_nonnulls(task, channel) = 1 and num_nonnulls(payloads, announcement) = 1
      and num_nonnulls(task, announcement) = 1)
);

-- The connections that watch a channel of a tenant, where triggers can't see their locks.
create table watchers (
  tenant_id uuid not null,
  id uuid not null,
  channel text not null,
  connection_id uuid not null,
  seen_at timestamptz(3) not null,
  primary key (tenant_id, id)
);

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

-- Adds jobs of a task to the queue, in this order. A job's flag is its tenant, for src/jobs/fairness.ts. No parameter or
-- variable is of a type of the queue, because the queue is on one server only. graphile-worker's add_jobs joins the jobs with
-- their tasks. For more than a few jobs, PostgreSQL would choose a hash join, which returns them in reverse.
create function queue_jobs(task text, payloads json[], run_at timestamptz[] default null) returns void language plpgsql
  set enable_hashjoin = off as $$
begin
  perform graphile_worker.add_jobs(array(
    select (task, payload, null, due_at, 1000::smallint, null, null, array_remove(array[payload ->> 'tenantId'], null))
      ::graphile_worker.job_spec
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

revoke all on function queue_jobs, add_jobs from public;

-- For triggers: whether somebody watches this channel of the tenant. A watcher holds an advisory lock, because NOTIFY makes
-- commits wait for each other, and most of the time nobody watches (src/notifications/watcher-registry.ts).
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

-- Citus doesn't send SET CONSTRAINTS to the server of the tenant's tables. It sends a SELECT of this function.
create function run_deferred_triggers() returns void language plpgsql as $$
begin
  set constraints all immediate;
end
$$;


-- Row counts for the lists' totals: how many rows of a table each tenant has, by state. Triggers write them in the
-- transaction of the change. So what a total costs doesn't depend on the number of rows (prisma/row-counts.ts).

create table row_counts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  resource text not null,
  state text not null, -- '' where rows are not counted by one
  id bigserial,
  rows integer not null,
  primary key (tenant_id, resource, state, id)
);
select isolate('row_counts');
grant usage on sequence row_counts_id_seq to kontor_books;

-- Counts are only added, so that no transaction waits for another's. About one in fifty replaces those that it sees, and
-- that no other transaction is replacing, by their sum. So a total is always the sum of a few rows, whatever is rolled back.
-- The plan is made while the table looks empty: without the settings, it would read the whole table. Citus can't plan the
-- statement for all tenants at once, which PostgreSQL tries at its sixth run. And it doesn't accept an INSERT that reads from
-- a DELETE, hence the loop.
create function sum_row_counts() returns trigger language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_custom_plan as $$
declare
  total record;
begin
  for total in
    with gone as (
      delete from row_counts where tenant_id = new.tenant_id and resource = new.resource and id = any (array(
        select id from row_counts where tenant_id = new.tenant_id and resource = new.resource for update skip locked
      )) returning state, rows
    )
    select state, sum(rows) as rows from gone group by state having sum(rows) <> 0
  loop
    insert into row_counts (tenant_id, resource, state, rows)
    values (new.tenant_id, new.resource, total.state, total.rows);
  end loop;
  return null;
end
$$;

create trigger sum_row_counts after insert on row_counts for each row
  when (random() < 0.02 and pg_trigger_depth() < 2) execute function sum_row_counts(); -- not of its own sums

-- For every migration that makes a table whose rows a list counts: select count_rows('quotes', 'status').
create function count_rows(tenant_table regclass, state text default null) returns void language plpgsql as $outer$
declare
  resource text := (select relname from pg_class where oid = tenant_table);
begin
  -- By statement: an import of 100,000 rows adds one count for each state. A loop, because Citus runs an INSERT elsewhere,
  -- where there are no transition tables.
  execute format($f$
    create function count_rows_of_%1$s() returns trigger language plpgsql as $$
    declare
      counted record;
    begin
      if tg_op = 'INSERT' then
        for counted in select tenant_id, %2$s as state, count(*) as rows from added group by 1, 2 loop
          insert into row_counts (tenant_id, resource, state, rows)
          values (counted.tenant_id, %1$L, counted.state, counted.rows);
        end loop;
      else
        for counted in select tenant_id, %2$s as state, count(*) as rows from removed group by 1, 2 loop
          insert into row_counts (tenant_id, resource, state, rows)
          values (counted.tenant_id, %1$L, counted.state, -counted.rows);
        end loop;
      end if;
      return null;
    end
    $$
  $f$, resource, coalesce(quote_ident(state) || '::text', quote_literal('')));
  execute format('create trigger count_added_rows after insert on %s referencing new table as added
    for each statement execute function count_rows_of_%s()', tenant_table, resource);
  execute format('create trigger count_removed_rows after delete on %s referencing old table as removed
    for each statement execute function count_rows_of_%s()', tenant_table, resource);
  if state is null then return; end if;

  -- By row: most changes are not of the state, and then cost nothing.
  execute format($f$
    create function count_moved_rows_of_%1$s() returns trigger language plpgsql as $$
    begin
      insert into row_counts (tenant_id, resource, state, rows)
      values (old.tenant_id, %1$L, old.%2$I::text, -1), (new.tenant_id, %1$L, new.%2$I::text, 1);
      return null;
    end
    $$
  $f$, resource, state);
  execute format('create trigger count_moved_rows after update of %1$I on %2$s for each row
    when (old.%1$I <> new.%1$I) execute function count_moved_rows_of_%3$s()', state, tenant_table, resource);
end
$outer$;
revoke all on function count_rows from public;


-- The change feed: the last change of each resource, in the order in which changes of the same row were committed
-- (schema/changes/feed.ts).

create table changes (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  resource text not null,
  id uuid not null,
  position bigint not null,
  deleted boolean not null,
  changed_at timestamptz(3) not null,
  primary key (tenant_id, resource, id)
);
create index on changes (tenant_id, resource, position);
select isolate('changes');

-- All positions come from one sequence. Its upper bits are the feed's epoch: restoring a backup starts a new one, so that
-- cursors from before are recognized (schema/changes/change-cursor.ts).
create sequence changes_position_seq start 2;
select setval('changes_position_seq', 1);
grant usage, select on sequence changes_position_seq to kontor_books;

create function change_epoch() returns bigint language sql as 'select last_value >> 36 from changes_position_seq';

-- The minutes since 1970, so that two restores of one backup start different epochs.
create function start_change_epoch() returns void language sql as
  $$ select setval('changes_position_seq', (extract(epoch from now())::bigint / 60) << 36) $$;
revoke all on function start_change_epoch from public;

-- For several servers: each has a sequence of its own, and a tenant may move to another server. So there, positions follow
-- the clock. The clocks of the servers must not differ by more than a move takes. This is the time in minutes since 1970 and
-- parts of 2^36 of a minute: the same scale as epochs have, so that a backup that is restored later continues above. A
-- microsecond has 1145 parts.
create function change_clock() returns bigint language sql volatile as
  $$ select (extract(epoch from clock_timestamp()) / 60 * (1::bigint << 36))::bigint $$;

-- A position is taken when the transaction commits, because deferred triggers take it. Transactions share the lock until the
-- commit is over, and a reader of the feed waits for them. On several servers, changes of the same microsecond differ in the
-- last digits.
create function next_change_position(tenant uuid) returns bigint language plpgsql as $$
declare
  change_order bigint := hashtextextended(tenant || ' change order', 0);
begin
  -- An expression takes less time than a statement.
  if not pg_try_advisory_xact_lock_shared(change_order) then
    perform pg_advisory_xact_lock_shared(change_order);
  end if;
  if is_distributed() then
    return change_clock() + nextval('changes_position_seq') % 1024;
  end if;
  return nextval('changes_position_seq');
end
$$;

-- For readers: waits for the transactions that have taken a position, and returns the highest position taken. All the tenant's
-- changes up to there are visible to the next statement. Later ones aren't all visible: a reader must leave them out.
-- Transactions that come later wait for a reader that waits. So it gives up after half a second, and returns null. On several
-- servers, whatever was committed has a lower position than the clock now, whatever comes later a higher one.
create function last_change_position(tenant uuid) returns bigint language plpgsql set lock_timeout = '500ms' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(tenant || ' change order', 0));
  if is_distributed() then
    return change_clock() - 1;
  end if;
  return (select last_value from changes_position_seq);
exception when lock_not_available then
  return null;
end
$$;

-- Transactions that change the same row are committed one after the other, because each locks it. So their positions are in
-- that order, too. Projects are different: a time entry changes its project, without locking the project's row. Transactions
-- that change projects take this lock before the position. It also keeps them from waiting for each other's rows in `changes`.
-- The shared lock comes first: a transaction that waited for it with this lock could wait for a reader that waits for it.
create function lock_project_changes(tenant uuid) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(tenant || ' change order', 0));
  perform pg_advisory_xact_lock(hashtextextended(tenant || ' project changes', 0));
end
$$;

-- In the feed, a reversed receipt is deleted, and the receipt that reverses it was never there.
create function record_change() returns trigger language plpgsql as $$
declare
  tenant uuid := case tg_op when 'DELETE' then old.tenant_id else new.tenant_id end;
  row_id uuid := case tg_op when 'DELETE' then old.id else new.id end;
  is_deleted boolean := tg_op = 'DELETE';
begin
  if tg_argv[0] = 'project' then
    perform lock_project_changes(tenant);
  elsif tg_argv[0] = 'receipt' and not is_deleted then
    if new.reversal_of is not null then
      return null;
    end if;
    is_deleted := new.status = 'reversed';
  end if;
  insert into changes (tenant_id, resource, id, position, deleted, changed_at)
  values (tenant, tg_argv[0], row_id, next_change_position(tenant), is_deleted, clock_timestamp())
  on conflict (tenant_id, resource, id) do update
    set position = excluded.position, deleted = excluded.deleted, changed_at = excluded.changed_at;
  if is_watched(tenant, 'changes') then
    perform announce(tenant, 'changes', tg_argv[0]);
  end if;
  return null;
end
$$;

-- For every migration that makes a resource's table: select track_changes('quotes', 'quote').
create function track_changes(tenant_table regclass, resource text) returns void language plpgsql as $$
begin
  execute format('create constraint trigger record_change after insert or update or delete on %s
    deferrable initially deferred for each row execute function record_change(%L)', tenant_table, resource);
end
$$;
revoke all on function track_changes from public;


-- The audit log: who changed what, a row for each change of a row (schema/DECISIONS.md#d135-audit-log). Triggers write it, so
-- that no code can forget to. They are deferred: positions are taken at the commit, in the order of commits, as those of the
-- change feed are.
create table audit_entries (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  position bigint not null,
  at timestamptz(3) not null,
  actor_kind text,
  user_id uuid,
  token_id uuid,
  session_id uuid,
  request_id uuid,
  job text,
  resource text not null,
  resource_id uuid,
  version integer,
  action text not null,
  before jsonb,
  after jsonb,
  primary key (tenant_id, id),
  constraint audit_entries_actor_kind_known
    check (actor_kind in ('user', 'token', 'session', 'job', 'import', 'command_line')),
  constraint audit_entries_action_known check (action in ('created', 'updated', 'deleted'))
);
create index on audit_entries (tenant_id, position, id);
create index on audit_entries (tenant_id, resource_id, id);
create index on audit_entries (tenant_id, user_id, id);

-- The chain of the audit log's rows. A job adds to it, so that no writer waits for another.
create table audit_seals (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  number integer not null,
  position bigint not null,
  previous_hash bytea not null,
  hash bytea not null,
  sealed_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, id) references audit_entries on delete restrict
);
create unique index audit_seals_tenant_id_number_key on audit_seals (tenant_id, number);

-- Not by isolate(): rows are only added. Triggers on the tables of identity write as the owner, who also deletes what is older
-- than the retention, and what a deleted tenant had.
alter table audit_entries enable row level security, force row level security;
create policy tenant on audit_entries to kontor_books
  using (tenant_id = nullif(current_setting('kontor.tenant_id', true), '')::uuid);
create policy operator on audit_entries using (current_user <> 'kontor_books') with check (current_user <> 'kontor_books');
grant select, insert on audit_entries to kontor_books;

alter table audit_seals enable row level security, force row level security;
create policy tenant on audit_seals to kontor_books
  using (tenant_id = nullif(current_setting('kontor.tenant_id', true), '')::uuid);
create policy operator on audit_seals using (current_user <> 'kontor_books') with check (current_user <> 'kontor_books');
grant select, insert on audit_seals to kontor_books;

create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_deleted_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'The audit log can not change';
end
$$;
create trigger refuse_update before update on audit_entries for each row execute function refuse_change_of_audit_log();
create trigger refuse_deletion before delete on audit_entries for each row
  when (old.at > now() - interval '7 years') execute function refuse_change_of_audit_log();
create trigger refuse_update before update on audit_seals for each row execute function refuse_change_of_audit_log();
create trigger refuse_deletion before delete on audit_seals for each row
  when (old.sealed_at > now() - interval '7 years') execute function refuse_change_of_audit_log();

-- Writes a row of the audit log. The setting kontor.actor says who acts, as `kind,user,token,session,request,job`; without it,
-- somebody else than the service has written (prisma/connection/actor.ts). The id begins with the time and the lowest digits of the
-- position, so that ids are in the order of positions.
-- A deletion of a tenant is in no audit log: that goes, too.
create function add_audit_entry(
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
revoke all on function add_audit_entry from public;
grant execute on function add_audit_entry to kontor_books;

-- Arguments: the resource, columns that are left out, columns whose values are secret, the column with the id.
create function record_audit() returns trigger language plpgsql as $$
declare
  left_out text[] := array['tenant_id', 'version', 'updated_at', 'search_text', tg_argv[3]] || tg_argv[1]::text[];
  secrets text[] := tg_argv[2]::text[];
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  whole jsonb := coalesce(new_row, old_row);
  tenant uuid := coalesce(whole ->> 'tenant_id', old_row ->> 'tenant_id', case tg_argv[0] when 'tenant' then whole ->> 'id' end);
  secret text;
begin
  if tenant is null then
    return null; -- a token of no tenant, say
  end if;
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(key, former.value), jsonb_object_agg(key, latter.value) into old_row, new_row
    from jsonb_each(old_row - left_out) as former join jsonb_each(new_row) as latter using (key)
    where former.value is distinct from latter.value;
    if new_row is null and whole ->> 'version' is null then
      return null;
    end if;
    -- Lines that add up to the same are a version, too.
    old_row := coalesce(old_row, '{}');
    new_row := coalesce(new_row, '{}');
  else
    old_row := jsonb_strip_nulls(old_row - left_out);
    new_row := jsonb_strip_nulls(new_row - left_out);
  end if;
  foreach secret in array secrets loop
    old_row := case when old_row ->> secret is null then old_row else jsonb_set(old_row, array[secret], '"***"') end;
    new_row := case when new_row ->> secret is null then new_row else jsonb_set(new_row, array[secret], '"***"') end;
  end loop;
  perform add_audit_entry(
    tenant, tg_argv[0], (whole ->> tg_argv[3])::uuid, (whole ->> 'version')::integer,
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end, old_row, new_row
  );
  return null;
end
$$;

-- A sequence's entry says of which year it is.
create function record_audit_of_sequence() returns trigger language plpgsql as $$
begin
  perform add_audit_entry(
    new.tenant_id, tg_argv[0], null, null, 'updated',
    jsonb_build_object('year', old.year, 'last', old.last), jsonb_build_object('year', new.year, 'last', new.last)
  );
  return null;
end
$$;

-- The lines of a document are written together: an entry has all of them. Its trigger is on the first line. Those before
-- are in the entry before. Each table has a function of its own, because a dynamic statement would be planned at each call.
-- The plans may be made while the tables look empty: without the settings, each call would read a whole table.
create function audit_lines(lines regclass, resource text, document_column text) returns void language plpgsql as $$
begin
  execute format($template$
    create function record_audit_of_%1$s() returns trigger language plpgsql
      set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $function$
    declare
      tenant uuid := coalesce(new.tenant_id, old.tenant_id);
      document uuid := coalesce(new.%3$I, old.%3$I);
      former jsonb;
      current jsonb;
    begin
      current := (
        select jsonb_agg(jsonb_strip_nulls(to_jsonb(line) - '{tenant_id,id,%3$s}'::text[]) order by line.position)
        from %1$s as line where line.tenant_id = tenant and line.%3$I = document
      );
      if tg_op = 'DELETE' and current is not null then
        return null; -- they were replaced: the entry is that of the new first line
      end if;
      -- A range of one id, in an order that only one index has: while the table looks empty, any index would do for an equality,
      -- and some go through all the tenant's entries.
      former := (
        select entry.after -> 'lines' from audit_entries as entry
        where entry.tenant_id = tenant and entry.resource_id >= document and entry.resource_id <= document
          and entry.resource = tg_argv[0]
        order by entry.resource_id desc, entry.id desc limit 1
      );
      if current is not distinct from former then
        return null;
      end if;
      perform add_audit_entry(
        tenant, tg_argv[0], document, null,
        case when current is null then 'deleted' when former is null then 'created' else 'updated' end,
        case when former is not null then jsonb_build_object('lines', former) end,
        case when current is not null then jsonb_build_object('lines', current) end
      );
      return null;
    end
    $function$;
    create constraint trigger record_audit after insert on %1$s deferrable initially deferred for each row
      when (new.position = 1) execute function record_audit_of_%1$s(%2$L);
    create constraint trigger record_audit_deleted after delete on %1$s deferrable initially deferred for each row
      when (old.position = 1) execute function record_audit_of_%1$s(%2$L);
  $template$, lines, resource, document_column);
end
$$;
revoke all on function audit_lines from public;

-- For every migration that makes a table of the books, or of settings: select audit('quotes', 'quote').
create function audit(
  audited regclass, resource text, left_out text[] default '{}', secrets text[] default '{}', id_column text default 'id'
) returns void language plpgsql as $$
begin
  execute format('create constraint trigger record_audit after insert or update or delete on %s
    deferrable initially deferred for each row execute function record_audit(%L, %L, %L, %L)',
    audited, resource, left_out, secrets, id_column);
end
$$;
revoke all on function audit from public;


-- For triggers of every resource: counts its versions, which a change can expect. A trigger leaves no change out.
create function count_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end
$$;


-- Search: a row's searched fields are kept as one text under one trigram index. They are folded by the same rule as the
-- words that are searched for (schema/graphql/filters/search.ts). So case and accents make no difference. New rows
-- wait in a list of at most 1 MB before they enter the index: an import is far faster, and a search reads little more.
-- Customers enter their index at once.

-- Small letters without accents. Composed and decomposed letters are the same then. The letters that Unicode doesn't
-- decompose (ø, ł, ß, …) are named one by one.
create function search_fold(value text) returns text language sql immutable strict parallel safe
return case
  when octet_length(value) = char_length(value) then lower(value) -- ASCII, as most are
  else replace(replace(replace(replace(
    translate(
      lower(normalize(regexp_replace(normalize(value, nfd), '[\u0300-\u036f]', '', 'g'), nfc)),
      'ØøŁłĐđÐðĦħŦŧıÆŒÞẞς', 'oollddddhhttiæœþßσ'
    ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
end;

-- A field of a search text: on a line of its own, which it doesn't break.
create function search_line(value text) returns text language sql immutable parallel safe
return search_fold(translate(coalesce(value, ''), E'\n', ' '));


-- Identity

-- A test tenant (schema/DECISIONS.md#d160-test-tenants) belongs to test_of, and has a clock.
create table tenants (
  id uuid not null,
  name text not null,
  country text not null,
  default_currency text not null default 'EUR',
  timezone text not null default 'UTC',
  test boolean not null default false,
  test_of uuid,
  clock_ahead_ms double precision not null default 0,
  closed_at timestamptz(3),
  deletion_started_at timestamptz(3),
  created_at timestamptz(3) not null default current_timestamp,
  primary key (id)
);
select audit('tenants', 'tenant');

-- Once the clock of a test tenant is set, the invoices that are overdue by it are looked for at once.
create function add_overdue_job() returns trigger language plpgsql as $$
begin
  perform queue_jobs('overdue', array[json_build_object('tenantId', new.id)]);
  return null;
end
$$;
create trigger add_overdue_job after update of clock_ahead_ms on tenants for each row
  when (new.clock_ahead_ms > old.clock_ahead_ms) execute function add_overdue_job();

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

-- invited_by and invited_to say by whose invitation an account was made. They are no foreign keys: accounts outlast tenants.
create table users (
  id uuid not null,
  name text not null,
  email text not null,
  password_hash text,
  created_at timestamptz(3) not null default current_timestamp,
  email_verified_at timestamptz(3),
  invited_by uuid,
  invited_to uuid,
  primary key (id)
);
create unique index users_email_key on users (email);

create table memberships (
  tenant_id uuid not null,
  user_id uuid not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, user_id),
  foreign key (tenant_id) references tenants on delete cascade,
  foreign key (user_id) references users on delete cascade
);
create index on memberships (user_id);
select audit('memberships', 'member', id_column => 'user_id');

-- A token can have a limit of requests of its own; null is the installation's.
create table api_tokens (
  id uuid not null,
  user_id uuid not null,
  tenant_id uuid,
  name text not null,
  abilities text[],
  trusted_documents boolean not null default false,
  requests_per_minute integer,
  hash bytea not null,
  last_four text not null,
  created_at timestamptz(3) not null default current_timestamp,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  followed_until timestamptz(3),
  primary key (id),
  foreign key (user_id) references users on delete cascade,
  foreign key (tenant_id) references tenants on delete set null
);
create unique index api_tokens_hash_key on api_tokens (hash);
create index on api_tokens (user_id);
create index on api_tokens (tenant_id);
-- Each use of a token is noted: no change that somebody made.
create constraint trigger record_audit after insert or delete on api_tokens deferrable initially deferred for each row
  execute function record_audit('token', '{hash,last_used_at,followed_until}', '{}', 'id');
create constraint trigger record_audit_changed after update on api_tokens deferrable initially deferred for each row
  when (
    (old.name, old.abilities, old.trusted_documents, old.requests_per_minute, old.expires_at, old.revoked_at, old.tenant_id)
      is distinct from
    (new.name, new.abilities, new.trusted_documents, new.requests_per_minute, new.expires_at, new.revoked_at, new.tenant_id)
  )
  execute function record_audit('token', '{hash,last_used_at,followed_until}', '{}', 'id');

-- GraphQL documents that front ends' builds have registered. Those of the installation have no tenant: a hash is unique
-- among them as well.
create table trusted_documents (
  id uuid not null,
  tenant_id uuid,
  hash text not null,
  text text not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (id),
  foreign key (tenant_id) references tenants on delete cascade
);
create index on trusted_documents (tenant_id);
create unique index trusted_documents_hash_tenant_id_key on trusted_documents (hash, tenant_id) nulls not distinct;
select audit('trusted_documents', 'trusted_document', '{text}');

create table sessions (
  id uuid not null,
  user_id uuid not null,
  hash bytea not null,
  user_agent text,
  created_at timestamptz(3) not null default current_timestamp,
  last_seen_at timestamptz(3) not null default current_timestamp,
  primary key (id),
  foreign key (user_id) references users on delete cascade
);
create unique index sessions_hash_key on sessions (hash);
create index on sessions (user_id);

create table invitations (
  id uuid not null,
  tenant_id uuid not null,
  email text not null,
  hash bytea not null,
  inviter_id uuid,
  created_at timestamptz(3) not null default current_timestamp,
  expires_at timestamptz(3) not null,
  primary key (id),
  foreign key (tenant_id) references tenants on delete cascade,
  foreign key (tenant_id, inviter_id) references memberships on delete cascade
);
create unique index invitations_hash_key on invitations (hash);
create index on invitations (tenant_id, inviter_id);
create unique index invitations_tenant_id_email_key on invitations (tenant_id, email);
select audit('invitations', 'invitation', '{hash}');

-- Tells subscriptions that the access they began with has ended: by NOTIFY, which reaches every process with the commit.
-- Each payload is a key of src/server/graphql/access-endings.ts. These changes are rare: that NOTIFY makes commits wait for
-- each other costs nothing here.
create function announce_access_ending() returns trigger language plpgsql as $$
begin
  perform pg_notify('access', case tg_table_name
    when 'api_tokens' then 'token ' || (to_jsonb(old) ->> 'id')
    when 'sessions' then 'session ' || (to_jsonb(old) ->> 'id')
    when 'memberships' then concat_ws(' ', 'member', to_jsonb(old) ->> 'tenant_id', to_jsonb(old) ->> 'user_id')
    when 'tenants' then 'tenant ' || (to_jsonb(old) ->> 'id')
  end);
  return null;
end
$$;

-- A token that is revoked, that loses its tenant or expires earlier, or that is deleted.
create trigger announce_access_ending after update of revoked_at, tenant_id, expires_at on api_tokens for each row
  when ((old.revoked_at, old.tenant_id, old.expires_at) is distinct from (new.revoked_at, new.tenant_id, new.expires_at))
  execute function announce_access_ending();
create trigger announce_access_ending_deleted after delete on api_tokens for each row
  execute function announce_access_ending();
create trigger announce_access_ending after delete on sessions for each row execute function announce_access_ending();
create trigger announce_access_ending after delete on memberships for each row execute function announce_access_ending();
create trigger announce_access_ending after update of closed_at on tenants for each row
  when (old.closed_at is distinct from new.closed_at) execute function announce_access_ending();

-- A text that the first process encrypts with KONTOR_SECRET, which later processes must be able to read, and how far a
-- rotation of the secret is (src/security/rotation.ts). `sealed` is of the secret that encrypts. Ciphertexts begin with its
-- key_id, which is null for the first secret: theirs have none.
create table secret_checks (
  id smallint not null default 1,
  key_id bytea,
  sealed bytea not null,
  previous_sealed bytea,
  former_anchor_keys bytea,
  rotation_started_at timestamptz(3),
  rotation_finished_at timestamptz(3),
  rotated_through uuid,
  rotated_values integer not null default 0,
  unreadable_values integer not null default 0,
  primary key (id),
  constraint one_secret_check check (id = 1)
);


-- Rate limits. The times of an identity's requests are in pages of 64, and a count writes a page and the row of its
-- identity, both of bounded size. Limits are worth nothing after a crash, hence unlogged. The fillfactor leaves room for a
-- row's next version on the same page: no index is written then, and the space is used again at once.

-- Requests have numbers: those from `first` to before `next` count.
create unlogged table rate_limits (
  identity text not null,
  first bigint not null default 0,
  next bigint not null default 0,
  last_at timestamptz(6),
  primary key (identity)
) with (fillfactor = 50);

create unlogged table rate_limit_pages (
  identity text not null,
  page bigint not null,
  times timestamptz(6)[],
  primary key (identity, page),
  foreign key (identity) references rate_limits on delete cascade
) with (fillfactor = 50);

-- Counts requests of an identity that came at the same time: as many of `wanted` as the limit leaves room for, which is
-- `most` in the last `window_ms`. `earlier` is how many counted before them; `next_free_in_ms` is how long it takes until
-- the oldest stops counting, or where there was no room, until a request can be admitted.
create function count_requests(
  key text, most int, wanted int, window_ms float8, out earlier int, out next_free_in_ms float8
)
language plpgsql as $$
declare
  size constant int := 64;
  counted rate_limits;
  page_times timestamptz[];
  time timestamptz;
  horizon timestamptz;
  forgotten bigint;
  oldest bigint;
  free int;
  added int;
begin
  loop
    select * into counted from rate_limits where identity = key for update;
    exit when found;
    insert into rate_limits (identity) values (key) on conflict (identity) do nothing;
  end loop;
  -- While the row is locked: counts are serialized, and each has the time at which it got the lock.
  time := clock_timestamp();
  horizon := time - make_interval(secs => window_ms / 1000);
  if counted.last_at > time then
    -- The clock was set back. Times in the future are moved to the present, so that no wait exceeds the window.
    update rate_limit_pages set times = array(
      select least(each, time) from unnest(times) with ordinality as moved (each, at) order by at
    ) where identity = key;
    counted.last_at := time;
  end if;

  forgotten := counted.first;
  if counted.last_at <= horizon then
    forgotten := counted.next;
  end if;
  while forgotten < counted.next loop
    if page_times is null or forgotten % size = 0 then
      select times into page_times from rate_limit_pages where identity = key and page = forgotten / size;
    end if;
    exit when page_times[forgotten % size + 1] > horizon;
    forgotten := forgotten + 1;
  end loop;

  earlier := counted.next - forgotten;
  oldest := forgotten + greatest(earlier - most, 0);
  free := least(wanted, most - earlier);
  if free > 0 then
    while free > 0 loop
      if counted.next % size = 0 then
        delete from rate_limit_pages where identity = key and page < forgotten / size;
      end if;
      added := least(free, size - counted.next % size);
      insert into rate_limit_pages as page (identity, page, times)
      values (key, counted.next / size, array_fill(time, array[added]))
      on conflict (identity, page) do update set times = page.times[1:counted.next % size] || excluded.times;
      counted.next := counted.next + added;
      free := free - added;
    end loop;
    update rate_limits set first = forgotten, next = counted.next, last_at = time where identity = key;
  elsif forgotten > counted.first then
    update rate_limits set first = forgotten where identity = key;
  end if;

  select extract(epoch from times[oldest % size + 1] - time) * 1000 + window_ms into next_free_in_ms
  from rate_limit_pages where identity = key and page = oldest / size;
end
$$;
revoke all on function count_requests from public;


-- Customers and suppliers, and the tenant's own company

create type customer_type as enum ('customer', 'supplier');

-- The format of e-invoices that invoices must have to be issued: of the company profile, and of a customer.
create type required_e_invoice as enum ('none', 'xrechnung-cii', 'xrechnung-ubl', 'peppol', 'factur-x');

create table customers (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  type customer_type not null,
  company_name text not null,
  email text,
  address_line1 text,
  postal_code text,
  city text,
  country text,
  vat_id text,
  contact_name text,
  phone text,
  buyer_reference text,
  electronic_address text,
  electronic_address_scheme text,
  language text,
  payment_terms_days integer,
  required_e_invoice required_e_invoice,
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  search_text text generated always as (
    search_line(company_name) || E'\n' || search_line(email) || E'\n' || search_line(city) || E'\n' ||
    search_line(vat_id)
  ) stored,
  primary key (tenant_id, id),
  constraint customers_electronic_address_has_scheme
    check ((electronic_address is null) = (electronic_address_scheme is null)),
  constraint customers_payment_terms_within_a_year check (payment_terms_days between 0 and 365)
);
create index on customers (tenant_id, type, id);
create index on customers (tenant_id, company_name, id);
create index customers_search_idx on customers using gin (tenant_id, search_text gin_trgm_ops) with (fastupdate = off);
create index on customers (tenant_id, updated_at);
create unique index customers_tenant_id_external_id_key on customers (tenant_id, external_id);
select isolate('customers');
select count_rows('customers', 'type');
select track_changes('customers', 'customer');
select audit('customers', 'customer');
create trigger count_version before update on customers for each row execute function count_version();

-- A logo that the profile has no more is deleted, unless documents show it. Its bytes never change.
create table company_logos (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  sha256 bytea not null,
  bytes bytea not null,
  is_on_documents boolean not null default false,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id)
);
create unique index company_logos_tenant_id_sha256_key on company_logos (tenant_id, sha256);
select isolate('company_logos');
revoke update on company_logos from kontor_books;
grant update (is_on_documents) on company_logos to kontor_books;
select audit('company_logos', 'company_logo', '{bytes,is_on_documents}');

-- What documents say of the seller. A tenant has one such row, or none.
create table companies (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  legal_name text not null,
  address_line1 text,
  address_line2 text,
  postal_code text,
  city text,
  country text,
  vat_id text,
  tax_number text,
  register_entry text,
  registration_number text,
  registration_number_scheme text,
  contact_name text,
  phone text,
  email text,
  electronic_address text,
  electronic_address_scheme text,
  iban text,
  bic text,
  payment_terms_days integer,
  default_vat_rate numeric(5, 2),
  footer text,
  language text,
  accent_color text,
  required_e_invoice required_e_invoice,
  logo_id uuid,
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, logo_id) references company_logos on delete restrict,
  constraint companies_payment_terms_within_a_year check (payment_terms_days between 0 and 365),
  constraint companies_vat_rate_percent check (default_vat_rate between 0 and 100),
  constraint companies_electronic_address_has_scheme
    check ((electronic_address is null) = (electronic_address_scheme is null)),
  constraint companies_registration_number_has_scheme
    check ((registration_number is null) = (registration_number_scheme is null))
);
create unique index companies_tenant_id_key on companies (tenant_id);
select isolate('companies');
select audit('companies', 'company');
create trigger count_version before update on companies for each row execute function count_version();


-- Invoices

create type invoice_status as enum ('draft', 'issued', 'paid', 'cancelled');

-- What is due or to be refunded is as schema/resources/invoice/balance.ts computes it: lists are filtered and ordered by
-- it. The exchange rate is what the document's currency was worth in the home currency
-- (schema/DECISIONS.md#d150-exchange-rates); credit notes and receipts have one, too. metadata is what clients keep with a
-- resource: pairs of strings.
create table invoices (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  customer_id uuid not null,
  status invoice_status not null default 'draft',
  number text,
  invoice_date date not null,
  due_date date not null,
  delivery_date date,
  subject text,
  currency text not null,
  total_net numeric(19, 4) not null,
  total_vat numeric(19, 4) not null,
  total_gross numeric(19, 4) not null,
  amount_paid numeric(19, 4) not null default 0,
  amount_adjusted numeric(19, 4) not null default 0,
  amount_credited numeric(19, 4) not null default 0,
  amount_refunded numeric(19, 4) not null default 0,
  amount_due numeric(19, 4) not null generated always as (
    case
      when status = 'cancelled' then 0
      else greatest(total_gross - amount_credited - amount_paid - amount_adjusted + amount_refunded, 0)
    end
  ) stored,
  amount_to_refund numeric(19, 4) not null generated always as (
    greatest(amount_credited + amount_paid + amount_adjusted - total_gross - amount_refunded, 0)
  ) stored,
  exchange_rate numeric(24, 12),
  exchange_rate_date date,
  exchange_rate_source text,
  exchange_currency text,
  issued_at timestamptz(3),
  paid_at timestamptz(3),
  cancelled_at timestamptz(3),
  overdue_at timestamptz(3),
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  search_text text generated always as (search_line(number) || E'\n' || search_line(subject)) stored,
  primary key (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers on delete restrict,
  constraint invoices_numbered_unless_draft check ((status = 'draft') = (number is null)),
  constraint invoices_paid_within_total check (amount_paid between 0 and total_gross),
  constraint invoices_due_after_date check (due_date >= invoice_date),
  constraint invoices_issued_unless_draft check (status = 'draft' or issued_at is not null),
  constraint invoices_paid_at_when_paid check ((status = 'paid') = (paid_at is not null)),
  constraint invoices_cancelled_at_when_cancelled check ((status = 'cancelled') = (cancelled_at is not null)),
  constraint invoices_cancelled_unpaid check (status <> 'cancelled' or (amount_paid = 0 and amount_adjusted = 0)),
  constraint invoices_total_is_net_and_vat check (total_gross = total_net + total_vat),
  constraint invoices_credited_within_total check (amount_credited between 0 and total_gross),
  constraint invoices_refunded_within_credited check (amount_refunded between 0 and amount_credited),
  constraint invoices_paid_when_settled
    check (status <> 'paid' or total_gross - amount_credited - amount_paid - amount_adjusted + amount_refunded <= 0),
  constraint invoices_adjusted_within_total
    check (amount_adjusted >= 0 and amount_adjusted + amount_credited <= total_gross),
  constraint invoices_exchange_rate check (
    num_nonnulls(exchange_rate, exchange_rate_date, exchange_currency) in (0, 3)
    and (exchange_rate_source is null or exchange_rate is not null)
    and (exchange_rate is null or (exchange_rate > 0 and exchange_currency <> currency))
  ),
  constraint invoices_exchanged_total_bounded check (abs(total_gross) * exchange_rate < 1e12)
);
create index on invoices (tenant_id, status, id);
create index on invoices (tenant_id, customer_id, id);
create unique index invoices_tenant_id_number_key on invoices (tenant_id, number);
create index on invoices (tenant_id, due_date, id);
create index on invoices (tenant_id, total_gross, id);
create index invoices_dated_idx on invoices (tenant_id, invoice_date, id, status, currency, total_gross);
create index invoices_search_idx on invoices using gin (tenant_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create index on invoices (tenant_id, updated_at);
create unique index invoices_tenant_id_external_id_key on invoices (tenant_id, external_id);
create index invoices_due_idx on invoices (
  tenant_id, status, due_date, currency, total_gross, amount_paid, amount_adjusted, amount_credited, amount_refunded
);
select isolate('invoices');
select count_rows('invoices', 'status');
select track_changes('invoices', 'invoice');
select audit('invoices', 'invoice');
create trigger count_version before update on invoices for each row execute function count_version();

create table invoice_items (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  invoice_id uuid not null,
  position integer not null,
  title text not null,
  quantity numeric(19, 4) not null,
  unit text,
  unit_price_net numeric(19, 4) not null,
  vat_rate numeric(5, 2) not null,
  line_total_net numeric(19, 4) not null,
  vat_category text,
  exemption_reason text,
  unit_code text,
  description text,
  discount_percent numeric(5, 2) not null default 0,
  service_period_start date,
  service_period_end date,
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references invoices on delete cascade,
  constraint invoice_items_quantity_not_zero check (quantity <> 0),
  constraint invoice_items_vat_rate_percent check (vat_rate between 0 and 100),
  constraint invoice_items_vat_category_known check (vat_category in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O')),
  constraint invoice_items_vat_category_by_rate check ((vat_category = 'S') = (vat_rate > 0)),
  constraint invoice_items_exemption_reason_by_category
    check (exemption_reason is null or coalesce(vat_category, '') in ('E', 'AE', 'K', 'G', 'O')),
  constraint invoice_items_discount_percent check (discount_percent between 0 and 100),
  constraint invoice_items_service_period_in_order check (service_period_end >= service_period_start)
);
create unique index invoice_items_tenant_id_invoice_id_position_key on invoice_items (tenant_id, invoice_id, position);
select isolate('invoice_items');
select audit_lines('invoice_items', 'invoice_lines', 'invoice_id');

create table invoice_sequences (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  year integer not null,
  last integer not null,
  primary key (tenant_id, year)
);
select isolate('invoice_sequences');
-- Not the next number, which its document's entry has: only a sequence that is set.
create constraint trigger record_audit after insert on invoice_sequences deferrable initially deferred for each row
  when (new.last > 1) execute function record_audit('invoice_sequence', '{}', '{}', 'id');
create constraint trigger record_audit_set after update on invoice_sequences deferrable initially deferred for each row
  when (new.last <> old.last and new.last <> old.last + 1) execute function record_audit_of_sequence('invoice_sequence');
create constraint trigger record_audit_deleted after delete on invoice_sequences deferrable initially deferred for each row
  execute function record_audit('invoice_sequence', '{}', '{}', 'id');

-- The lines of an issued invoice, and what its documents say of it, never change. The domain refuses such changes. The
-- database refuses them as well, to the role of requests and jobs: a mistake in the domain is then an error, and no invoice
-- that differs from its documents.

-- Stable, so that it sees the invoices as they were before the statement. The statement that adds an issued invoice adds its
-- lines, too. An invoice with very many lines is added by several statements, and so are those of an import: so the
-- transaction that wrote an invoice may add lines to it. age() is above 0 for rows of earlier transactions. A loop, so that
-- each invoice is found by its primary key, however many lines the plan was made for. The lines of an invoice come one after
-- the other: it is asked for once.
create function refuse_lines_of_issued_invoices() returns trigger language plpgsql stable as $$
declare
  line record;
  checked uuid;
begin
  for line in select tenant_id, invoice_id from changed_lines loop
    continue when line.invoice_id = checked;
    checked := line.invoice_id;
    if exists (
      select from invoices where tenant_id = line.tenant_id and id = line.invoice_id and number is not null
        and (tg_op <> 'INSERT' or age(xmin) > 0)
    ) then
      raise exception 'Invoice % is issued: its lines can not change', line.invoice_id;
    end if;
  end loop;
  return null;
end
$$;

create trigger refuse_added_lines after insert on invoice_items referencing new table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_issued_invoices();
create trigger refuse_deleted_lines after delete on invoice_items referencing old table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_issued_invoices();
-- A line can be taken from an invoice, or moved to one.
create trigger refuse_changed_lines after update on invoice_items referencing old table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_issued_invoices();
create trigger refuse_moved_lines after update on invoice_items referencing new table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_issued_invoices();

create function refuse_change_of_issued_invoice() returns trigger language plpgsql as $$
begin
  raise exception 'Invoice % is issued: it can not change', old.id;
end
$$;

-- By row: a condition that is false costs nearly nothing. Payments, cancellation, and being overdue change other columns.
create trigger refuse_change_of_issued before update on invoices for each row when (
  old.number is not null and current_user = 'kontor_books' and (
    old.number, old.customer_id, old.invoice_date, old.due_date, old.delivery_date, old.subject, old.currency,
    old.total_net, old.total_vat, old.total_gross, old.issued_at,
    old.exchange_rate, old.exchange_rate_date, old.exchange_rate_source, old.exchange_currency
  ) is distinct from (
    new.number, new.customer_id, new.invoice_date, new.due_date, new.delivery_date, new.subject, new.currency,
    new.total_net, new.total_vat, new.total_gross, new.issued_at,
    new.exchange_rate, new.exchange_rate_date, new.exchange_rate_source, new.exchange_currency
  )
) execute function refuse_change_of_issued_invoice();
create trigger refuse_deletion_of_issued before delete on invoices for each row
  when (old.number is not null and current_user = 'kontor_books') execute function refuse_change_of_issued_invoice();

-- The seller and the buyer of each issued invoice, as they were when it was issued. They never change.
create table invoice_parties (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  seller jsonb,
  buyer jsonb not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, id) references invoices on delete restrict
);
select isolate('invoice_parties');
revoke update, delete on invoice_parties from kontor_books;

-- A trigger, so that issuing needs no further trip to the database. The parties of an export are in its own file. Marks the
-- logo before the parties are stored. Whoever deletes it at the same time waits then, and sees the mark. If it is gone
-- already, the profile that is read again has another one, or none. The customer is read before the parties are inserted:
-- on Citus, `insert … select` waits for each shard that is being moved, those of other tenants too; `select` and `insert …
-- values` wait for the tenant's own only.
create function freeze_parties() returns trigger language plpgsql as $$
declare
  profile jsonb;
  buyer jsonb;
  logo uuid;
begin
  if current_setting('kontor.imports_parties', true) = 'on' then
    return null;
  end if;
  loop
    profile := (select to_jsonb(company) from companies as company where company.tenant_id = new.tenant_id);
    logo := profile ->> 'logo_id';
    exit when logo is null;
    update company_logos set is_on_documents = true
    where tenant_id = new.tenant_id and id = logo and not is_on_documents;
    exit when found or exists (select from company_logos where tenant_id = new.tenant_id and id = logo);
  end loop;
  buyer := (
    select to_jsonb(customer) from customers as customer
    where customer.tenant_id = new.tenant_id and customer.id = new.customer_id
  );
  if buyer is not null then
    insert into invoice_parties (tenant_id, id, seller, buyer) values (new.tenant_id, new.id, profile, buyer);
  end if;
  return null;
end
$$;

create trigger freeze_parties after insert on invoices for each row when (new.number is not null)
  execute function freeze_parties();
create trigger freeze_parties_later after update on invoices for each row when (old.number is null and new.number is not null)
  execute function freeze_parties();


-- Credit notes take back all or part of an invoice. What a document says never changes. Only what is refunded of it does.

create table credit_notes (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  invoice_id uuid not null,
  customer_id uuid not null,
  number text not null,
  credit_note_date date not null,
  reason text,
  is_cancellation boolean not null default false,
  currency text not null,
  total_net numeric(19, 4) not null,
  total_vat numeric(19, 4) not null,
  total_gross numeric(19, 4) not null,
  vat_breakdown jsonb not null,
  amount_refunded numeric(19, 4) not null default 0,
  exchange_rate numeric(24, 12),
  exchange_rate_date date,
  exchange_rate_source text,
  exchange_currency text,
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  search_text text generated always as (search_line(number) || E'\n' || search_line(reason)) stored,
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references invoices on delete restrict,
  foreign key (tenant_id, customer_id) references customers on delete restrict,
  constraint credit_notes_total_is_net_and_vat check (total_gross = total_net + total_vat),
  constraint credit_notes_total_not_negative check (total_gross >= 0),
  constraint credit_notes_refunded_within_total check (amount_refunded between 0 and total_gross),
  constraint credit_notes_exchange_rate check (
    num_nonnulls(exchange_rate, exchange_rate_date, exchange_currency) in (0, 3)
    and (exchange_rate_source is null or exchange_rate is not null)
    and (exchange_rate is null or (exchange_rate > 0 and exchange_currency <> currency))
  ),
  constraint credit_notes_exchanged_total_bounded check (abs(total_gross) * exchange_rate < 1e12)
);
create index on credit_notes (tenant_id, updated_at);
create index on credit_notes (tenant_id, invoice_id, id);
create index on credit_notes (tenant_id, customer_id, id);
create index credit_notes_dated_idx
  on credit_notes (tenant_id, credit_note_date, id, invoice_id, currency, total_gross);
create index on credit_notes (tenant_id, total_gross, id);
create index credit_notes_search_idx on credit_notes using gin (tenant_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create unique index credit_notes_tenant_id_number_key on credit_notes (tenant_id, number);
create unique index credit_notes_tenant_id_external_id_key on credit_notes (tenant_id, external_id);
select isolate('credit_notes');
revoke update, delete on credit_notes from kontor_books;
grant update (amount_refunded, updated_at, version) on credit_notes to kontor_books;
select count_rows('credit_notes');
select track_changes('credit_notes', 'credit_note');
select audit('credit_notes', 'credit_note');
create trigger count_version before update on credit_notes for each row execute function count_version();

create table credit_note_items (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  credit_note_id uuid not null,
  invoice_item_id uuid,
  position integer not null,
  title text not null,
  quantity numeric(19, 4) not null,
  unit text,
  unit_price_net numeric(19, 4) not null,
  vat_rate numeric(5, 2) not null,
  line_total_net numeric(19, 4) not null,
  vat_category text not null,
  exemption_reason text,
  unit_code text not null,
  description text,
  discount_percent numeric(5, 2) not null default 0,
  service_period_start date,
  service_period_end date,
  primary key (tenant_id, id),
  foreign key (tenant_id, credit_note_id) references credit_notes on delete restrict,
  foreign key (tenant_id, invoice_item_id) references invoice_items on delete restrict,
  constraint credit_note_items_quantity_not_zero check (quantity <> 0),
  constraint credit_note_items_vat_rate_percent check (vat_rate between 0 and 100),
  constraint credit_note_items_vat_category_known check (vat_category in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O')),
  constraint credit_note_items_vat_category_by_rate check ((vat_category = 'S') = (vat_rate > 0)),
  constraint credit_note_items_discount_percent check (discount_percent between 0 and 100)
);
create index on credit_note_items (tenant_id, invoice_item_id);
create unique index credit_note_items_tenant_id_credit_note_id_position_key
  on credit_note_items (tenant_id, credit_note_id, position);
select isolate('credit_note_items');
revoke update, delete on credit_note_items from kontor_books;
select audit_lines('credit_note_items', 'credit_note_lines', 'credit_note_id');

create table credit_note_sequences (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  year integer not null,
  last integer not null,
  primary key (tenant_id, year)
);
select isolate('credit_note_sequences');
create constraint trigger record_audit after insert on credit_note_sequences deferrable initially deferred for each row
  when (new.last > 1) execute function record_audit('credit_note_sequence', '{}', '{}', 'id');
create constraint trigger record_audit_set after update on credit_note_sequences deferrable initially deferred for each row
  when (new.last <> old.last and new.last <> old.last + 1) execute function record_audit_of_sequence('credit_note_sequence');
create constraint trigger record_audit_deleted after delete on credit_note_sequences deferrable initially deferred for each row
  execute function record_audit('credit_note_sequence', '{}', '{}', 'id');

-- A credit note shows what is still to be refunded, which depends on what is due of its invoice. Whoever changes that holds
-- the lock of the invoice, so the changes of its credit notes are in the order of the commits. Each position is computed
-- before the UPDATE: Citus accepts no volatile functions there.
create function record_credit_note_change() returns trigger language plpgsql as $$
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

create constraint trigger record_credit_note_change after update on invoices deferrable initially deferred for each row
  when (
    old.amount_credited > 0
    and (old.amount_paid, old.amount_adjusted, old.amount_credited, old.amount_refunded)
      is distinct from (new.amount_paid, new.amount_adjusted, new.amount_credited, new.amount_refunded)
  )
  execute function record_credit_note_change();


-- Projects and their time

create type project_status as enum ('active', 'completed', 'archived');

create table projects (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  customer_id uuid,
  name text not null,
  description text,
  status project_status not null default 'active',
  hourly_rate_net numeric(19, 4),
  currency text not null,
  budget_hours numeric(19, 4),
  start_date date,
  end_date date,
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  search_text text generated always as (search_line(name)) stored,
  primary key (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers on delete restrict,
  constraint projects_end_after_start check (end_date >= start_date),
  constraint projects_rate_not_negative check (hourly_rate_net >= 0),
  constraint projects_budget_not_negative check (budget_hours >= 0)
);
create index on projects (tenant_id, status, id);
create index on projects (tenant_id, customer_id, id);
create index on projects (tenant_id, name, id);
create index projects_search_idx on projects using gin (tenant_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create index on projects (tenant_id, updated_at);
create unique index projects_tenant_id_external_id_key on projects (tenant_id, external_id);
select isolate('projects');
select count_rows('projects', 'status');
select track_changes('projects', 'project');
select audit('projects', 'project');
create trigger count_version before update on projects for each row execute function count_version();

create table time_entries (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  project_id uuid not null,
  invoice_id uuid,
  user_id uuid not null,
  date date not null,
  duration_minutes integer not null,
  description text,
  billable boolean not null default true,
  hourly_rate_net numeric(19, 4),
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, project_id) references projects on delete restrict,
  foreign key (tenant_id, invoice_id) references invoices on delete restrict,
  constraint time_entries_within_a_day check (duration_minutes between 1 and 1440),
  constraint time_entries_rate_not_negative check (hourly_rate_net >= 0)
);
create index on time_entries (tenant_id, date, id);
create index on time_entries (tenant_id, project_id, id);
create index time_entries_billed_idx on time_entries (tenant_id, invoice_id, id, billable, duration_minutes);
create index on time_entries (tenant_id, updated_at);
create unique index time_entries_tenant_id_external_id_key on time_entries (tenant_id, external_id);
select isolate('time_entries');
select count_rows('time_entries');
select track_changes('time_entries', 'time_entry');
select audit('time_entries', 'time_entry');
create trigger count_version before update on time_entries for each row execute function count_version();

-- A project shows the sum of its time, so a time entry changes its project as well.
create function record_project_change() returns trigger language plpgsql as $$
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

create constraint trigger record_project_change after insert or delete on time_entries
  deferrable initially deferred for each row execute function record_project_change();
create constraint trigger record_project_change_moved after update on time_entries
  deferrable initially deferred for each row
  when ((old.project_id, old.duration_minutes) is distinct from (new.project_id, new.duration_minutes))
  execute function record_project_change();


-- Receipts

create type receipt_status as enum ('draft', 'booked', 'paid', 'reversed');

-- Whoever takes a booked receipt back adds one with the opposite amounts (schema/DECISIONS.md#d138-reversed-receipts). The
-- supplier's country for VAT is that of the day of booking: the boxes of VAT returns depend on it.
create table receipts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  supplier_id uuid,
  supplier_country text,
  project_id uuid,
  status receipt_status not null default 'draft',
  receipt_number text,
  receipt_date date not null,
  due_date date,
  service_date date,
  received_on date,
  description text,
  category text,
  currency text not null,
  amount_gross numeric(19, 4) not null,
  vat_rate numeric(5, 2),
  vat_amount numeric(19, 4) not null,
  amount_net numeric(19, 4) not null,
  amount_prepaid numeric(19, 4) not null default 0,
  amount_payable numeric(19, 4) not null generated always as (amount_gross - amount_prepaid) stored,
  amount_paid numeric(19, 4) not null default 0,
  amount_adjusted numeric(19, 4) not null default 0,
  exchange_rate numeric(24, 12),
  exchange_rate_date date,
  exchange_rate_source text,
  exchange_currency text,
  paid_at timestamptz(3),
  credited_receipt_id uuid,
  reversal_of uuid,
  reversed_at timestamptz(3),
  reason text,
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  search_text text generated always as (search_line(receipt_number) || E'\n' || search_line(description)) stored,
  primary key (tenant_id, id),
  foreign key (tenant_id, supplier_id) references customers on delete restrict,
  foreign key (tenant_id, project_id) references projects on delete restrict,
  foreign key (tenant_id, credited_receipt_id) references receipts on delete restrict,
  foreign key (tenant_id, reversal_of) references receipts on delete restrict,
  constraint receipts_sign check (
    case when (reversal_of is null) = (credited_receipt_id is null) then amount_gross >= 0 else amount_gross <= 0 end
  ),
  constraint receipts_gross_is_net_and_vat check (amount_gross = amount_net + vat_amount),
  constraint receipts_vat_rate_percent check (vat_rate between 0 and 100),
  constraint receipts_prepaid_within_total
    check (amount_prepaid between least(amount_gross, 0) and greatest(amount_gross, 0)),
  constraint receipts_paid_within_total check (
    reversal_of is not null
    or amount_paid between least(amount_gross - amount_prepaid, 0) and greatest(amount_gross - amount_prepaid, 0)
  ),
  constraint receipts_adjusted_within_total
    check (amount_adjusted >= 0 and abs(amount_paid) + amount_adjusted <= abs(amount_gross - amount_prepaid)),
  constraint receipts_paid_when_settled check (status <> 'paid' or amount_paid + amount_adjusted = amount_gross - amount_prepaid),
  constraint receipts_paid_at_when_paid check ((status = 'paid') = (paid_at is not null)),
  constraint receipts_draft_unpaid check (status <> 'draft' or (amount_paid = 0 and amount_adjusted = 0)),
  constraint receipts_reversed_pair
    check ((status = 'reversed') = (reversed_at is not null or reversal_of is not null) and (reversed_at is null or reversal_of is null)),
  constraint receipts_reversal_unpaid check (reversal_of is null or amount_paid = 0),
  constraint receipts_reason_of_reversal check (reason is null or status = 'reversed'),
  constraint receipts_exchange_rate check (
    num_nonnulls(exchange_rate, exchange_rate_date, exchange_currency) in (0, 3)
    and (exchange_rate_source is null or exchange_rate is not null)
    and (exchange_rate is null or (exchange_rate > 0 and exchange_currency <> currency))
  ),
  constraint receipts_exchanged_total_bounded check (abs(amount_gross) * exchange_rate < 1e12)
);
create index on receipts (tenant_id, status, id);
create index on receipts (tenant_id, project_id);
create index on receipts (tenant_id, supplier_id, id);
create index on receipts (tenant_id, receipt_date, id);
create index on receipts (tenant_id, amount_gross, id);
create index receipts_search_idx on receipts using gin (tenant_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create index on receipts (tenant_id, updated_at);
create unique index receipts_tenant_id_external_id_key on receipts (tenant_id, external_id);
create index on receipts (tenant_id, supplier_id, receipt_number);
create index on receipts (tenant_id, credited_receipt_id);
create unique index receipts_tenant_id_reversal_of_key on receipts (tenant_id, reversal_of);
select isolate('receipts');
select count_rows('receipts', 'status');
select track_changes('receipts', 'receipt');
select audit('receipts', 'receipt');
create trigger count_version before update on receipts for each row execute function count_version();

-- What a document says (schema/DECISIONS.md#d145-receipt-lines). A receipt whose own columns say all of its one line has no
-- rows here.
create table receipt_lines (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  receipt_id uuid not null,
  position integer not null,
  description text,
  account text,
  vat_category text not null,
  vat_rate numeric(5, 2) not null,
  deductible_percent numeric(5, 2) not null default 100,
  amount_net numeric(19, 4) not null,
  vat_amount numeric(19, 4) not null,
  amount_gross numeric(19, 4) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, receipt_id) references receipts on delete cascade,
  constraint receipt_lines_gross_is_net_and_vat check (amount_gross = amount_net + vat_amount),
  constraint receipt_lines_vat_rate_percent check (vat_rate between 0 and 100),
  constraint receipt_lines_deductible_percent check (deductible_percent between 0 and 100),
  constraint receipt_lines_vat_category_known check (vat_category in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'IMPORT')),
  constraint receipt_lines_rate_by_vat_category
    check (vat_category in ('AE', 'K', 'IMPORT') or (vat_category = 'S') = (vat_rate > 0)),
  constraint receipt_lines_vat_by_vat_category
    check (case vat_category when 'S' then true when 'IMPORT' then amount_net = 0 else vat_amount = 0 end)
);
create unique index receipt_lines_tenant_id_receipt_id_position_key on receipt_lines (tenant_id, receipt_id, position);
select isolate('receipt_lines');
select audit_lines('receipt_lines', 'receipt_lines', 'receipt_id');

-- The service can neither delete a booked receipt nor change what it says. Whoever deletes a tenant can.
create function refuse_change_of_booked_receipt() returns trigger language plpgsql as $$
begin
  raise exception 'Receipt % is booked: it can not change', old.id;
end
$$;
create trigger refuse_change_of_booked before update on receipts for each row when (
  old.status <> 'draft' and current_user = 'kontor_books' and (
    old.status = 'reversed' or new.status = 'draft' or (
      old.supplier_id, old.project_id, old.receipt_number, old.receipt_date, old.due_date, old.description, old.category,
      old.currency, old.amount_gross, old.vat_rate, old.vat_amount, old.amount_net, old.reversal_of, old.service_date,
      old.received_on, old.credited_receipt_id, old.amount_prepaid, old.supplier_country,
      old.exchange_rate, old.exchange_rate_date, old.exchange_rate_source, old.exchange_currency
    ) is distinct from (
      new.supplier_id, new.project_id, new.receipt_number, new.receipt_date, new.due_date, new.description, new.category,
      new.currency, new.amount_gross, new.vat_rate, new.vat_amount, new.amount_net, new.reversal_of, new.service_date,
      new.received_on, new.credited_receipt_id, new.amount_prepaid, new.supplier_country,
      new.exchange_rate, new.exchange_rate_date, new.exchange_rate_source, new.exchange_currency
    )
  )
) execute function refuse_change_of_booked_receipt();
create trigger refuse_deletion_of_booked before delete on receipts for each row
  when (old.status <> 'draft' and current_user = 'kontor_books') execute function refuse_change_of_booked_receipt();

-- The lines of a booked receipt stay, too. As with invoices, only the transaction that wrote a booked receipt adds lines to
-- it.
create function refuse_lines_of_booked_receipts() returns trigger language plpgsql stable as $$
declare
  line record;
  checked uuid;
begin
  for line in select tenant_id, receipt_id from changed_lines loop
    continue when line.receipt_id = checked;
    checked := line.receipt_id;
    if exists (
      select from receipts where tenant_id = line.tenant_id and id = line.receipt_id and status <> 'draft'
        and (tg_op <> 'INSERT' or age(xmin) > 0)
    ) then
      raise exception 'Receipt % is booked: its lines can not change', line.receipt_id;
    end if;
  end loop;
  return null;
end
$$;
create trigger refuse_added_lines after insert on receipt_lines referencing new table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_booked_receipts();
create trigger refuse_deleted_lines after delete on receipt_lines referencing old table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_booked_receipts();
create trigger refuse_changed_lines after update on receipt_lines referencing old table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_booked_receipts();
create trigger refuse_moved_lines after update on receipt_lines referencing new table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_booked_receipts();

-- The country is that of schema/codes/vat-territory.ts: a VAT number of a member state counts more than the address. Receipts
-- that take something back have that of the other receipt. Those of an archive are in the file.
create function freeze_supplier_country() returns trigger language plpgsql as $$
declare
  taken_back uuid := coalesce(new.reversal_of, new.credited_receipt_id);
begin
  if new.status = 'draft' then
    new.supplier_country := null;
  elsif current_setting('kontor.imports_parties', true) is distinct from 'on' then
    new.supplier_country := case
      when taken_back is not null then (
        select supplier_country from receipts where tenant_id = new.tenant_id and id = taken_back
      )
      else (
        select case code when 'EL' then 'GR' when 'MC' then 'FR' else code end
        from (
          select case
            when prefix in (
              'AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'EL', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT', 'LU',
              'LV', 'MC', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'
            ) then prefix
            else country
          end as code
          from (
            select country, substring(upper(vat_id) from '^\s*([A-Z]{2})[\s.-]*[0-9A-Z]') as prefix from customers
            where tenant_id = new.tenant_id and id = new.supplier_id
          ) as supplier
        ) as supplier
      )
    end;
  end if;
  return new;
end
$$;
create trigger freeze_supplier_country before insert on receipts for each row
  when (new.status <> 'draft' or new.supplier_country is not null) execute function freeze_supplier_country();
create trigger freeze_supplier_country_later before update on receipts for each row
  when (old.status = 'draft' and (new.status <> 'draft' or new.supplier_country is not null))
  execute function freeze_supplier_country();

-- The files of a receipt (schema/DECISIONS.md#d146-attachments). Their bytes are in the storage of files, under the
-- tenant's and the attachment's id.
create table attachments (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  receipt_id uuid not null,
  position integer not null,
  filename text not null,
  content_type text not null,
  length integer not null,
  sha256 bytea not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, receipt_id) references receipts on delete cascade,
  constraint attachments_position_positive check (position > 0),
  constraint attachments_filename_bounded check (char_length(filename) between 1 and 255),
  constraint attachments_content_type_known
    check (content_type in ('application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'application/xml')),
  constraint attachments_length_bounded check (length between 1 and 26214400),
  constraint attachments_sha256_whole check (octet_length(sha256) = 32)
);
create unique index attachments_tenant_id_receipt_id_position_key on attachments (tenant_id, receipt_id, position);
select isolate('attachments');
select audit('attachments', 'attachment');

-- Files in the storage that no row has: not yet, or not any more. A job deletes them after a day.
create table unused_files (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  key text not null,
  length integer not null default 26214400,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id)
);
select isolate('unused_files');

-- The booked receipts with attachments that have no proof yet.
create table unproven_receipts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id)
);
select isolate('unproven_receipts');

-- The service can neither add, change, nor remove an attachment of a booked receipt. Only the import of an archive adds some.
create function refuse_change_of_booked_attachment() returns trigger language plpgsql as $$
declare
  tenant uuid := coalesce(new.tenant_id, old.tenant_id);
begin
  if exists (
    select from receipts where tenant_id = tenant and id in (new.receipt_id, old.receipt_id) and status <> 'draft'
  ) then
    raise exception 'Receipt % is booked: its attachments can not change', coalesce(new.receipt_id, old.receipt_id);
  end if;
  return coalesce(new, old);
end
$$;
create trigger refuse_change_of_booked before insert on attachments for each row
  when (current_user = 'kontor_books' and current_setting('kontor.imports_parties', true) is distinct from 'on')
  execute function refuse_change_of_booked_attachment();
create trigger refuse_update_or_deletion_of_booked before update or delete on attachments for each row
  when (current_user = 'kontor_books') execute function refuse_change_of_booked_attachment();

-- A file is used, or not any more, in the transaction of its row.
create function use_file_of_attachment() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    delete from unused_files where tenant_id = new.tenant_id and id = new.id;
    if exists (select from receipts where tenant_id = new.tenant_id and id = new.receipt_id and status <> 'draft') then
      insert into unproven_receipts (tenant_id, id) values (new.tenant_id, new.receipt_id)
      on conflict (tenant_id, id) do nothing;
    end if;
  else
    insert into unused_files (tenant_id, id, key, length)
    values (old.tenant_id, old.id, old.tenant_id || '/attachments/' || old.id, old.length)
    on conflict (tenant_id, id) do nothing;
  end if;
  return null;
end
$$;
create trigger use_file after insert or delete on attachments for each row execute function use_file_of_attachment();

create function add_unproven_receipt() returns trigger language plpgsql as $$
begin
  if exists (select from attachments where tenant_id = new.tenant_id and receipt_id = new.id) then
    insert into unproven_receipts (tenant_id, id) values (new.tenant_id, new.id) on conflict (tenant_id, id) do nothing;
  end if;
  return null;
end
$$;
create trigger add_unproven_receipt after update on receipts for each row
  when (old.status = 'draft' and new.status <> 'draft') execute function add_unproven_receipt();


-- The files of issued invoices and credit notes, the proofs of these and of receipts' attachments, and anchors. They never
-- change.

create table invoice_files (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  invoice_id uuid,
  credit_note_id uuid,
  format text not null,
  sha256 bytea not null,
  bytes bytea not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references invoices on delete restrict,
  foreign key (tenant_id, credit_note_id) references credit_notes on delete restrict,
  constraint invoice_files_of_one_document check (num_nonnulls(invoice_id, credit_note_id) = 1)
);
create unique index invoice_files_tenant_id_invoice_id_format_key on invoice_files (tenant_id, invoice_id, format);
create unique index invoice_files_tenant_id_credit_note_id_format_key
  on invoice_files (tenant_id, credit_note_id, format);
select isolate('invoice_files');
revoke update, delete on invoice_files from kontor_books;

create table document_proofs (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  position integer not null,
  invoice_id uuid,
  credit_note_id uuid,
  receipt_id uuid,
  content text not null,
  hash bytea not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references invoices on delete restrict,
  foreign key (tenant_id, credit_note_id) references credit_notes on delete restrict,
  foreign key (tenant_id, receipt_id) references receipts on delete restrict,
  constraint document_proofs_of_one_document check (num_nonnulls(invoice_id, credit_note_id, receipt_id) = 1)
);
create unique index document_proofs_tenant_id_position_key on document_proofs (tenant_id, position);
create unique index document_proofs_tenant_id_invoice_id_key on document_proofs (tenant_id, invoice_id);
create unique index document_proofs_tenant_id_credit_note_id_key on document_proofs (tenant_id, credit_note_id);
create unique index document_proofs_tenant_id_receipt_id_key on document_proofs (tenant_id, receipt_id);
select isolate('document_proofs');
revoke update, delete on document_proofs from kontor_books;

-- The documents whose files have no proof yet, in the order in which a job proves them.
create table unproven_documents (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  is_credit_note boolean not null,
  year integer not null,
  number_length integer not null,
  number text not null,
  primary key (tenant_id, id)
);
create index unproven_documents_in_order_idx
  on unproven_documents (tenant_id, year, is_credit_note, number_length, number);
select isolate('unproven_documents');

create function add_unproven_invoice() returns trigger language plpgsql as $$
begin
  insert into unproven_documents (tenant_id, id, is_credit_note, year, number_length, number)
  values (new.tenant_id, new.id, false, extract(year from new.invoice_date), length(new.number), new.number);
  return null;
end
$$;

create function add_unproven_credit_note() returns trigger language plpgsql as $$
begin
  insert into unproven_documents (tenant_id, id, is_credit_note, year, number_length, number)
  values (new.tenant_id, new.id, true, extract(year from new.credit_note_date), length(new.number), new.number);
  return null;
end
$$;

create function delete_unproven_document() returns trigger language plpgsql as $$
begin
  if new.receipt_id is not null then
    delete from unproven_receipts where tenant_id = new.tenant_id and id = new.receipt_id;
  else
    delete from unproven_documents
    where tenant_id = new.tenant_id and id = coalesce(new.invoice_id, new.credit_note_id);
  end if;
  return null;
end
$$;

create trigger add_unproven_document after insert on invoices for each row when (new.number is not null)
  execute function add_unproven_invoice();
create trigger add_unproven_document_later after update on invoices for each row
  when (old.number is null and new.number is not null) execute function add_unproven_invoice();
create trigger add_unproven_document after insert on credit_notes for each row
  execute function add_unproven_credit_note();
create trigger delete_unproven_document after insert on document_proofs for each row
  execute function delete_unproven_document();

-- The signed heads of each tenant's chains (schema/DECISIONS.md#d144-anchors). A day has at most one.
create table anchors (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  day date not null,
  content text not null,
  public_key bytea not null,
  signature bytea not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index anchors_tenant_id_day_key on anchors (tenant_id, day);
select isolate('anchors');
revoke update, delete on anchors from kontor_books;

create function refuse_change_of_anchor() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_deleted_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'An anchor can not change';
end
$$;
create trigger refuse_change before update or delete on anchors for each row execute function refuse_change_of_anchor();


-- Bank accounts, their transactions, and payments

-- The tenant's accounts at banks, and their statements (schema/DECISIONS.md#d149-bank-accounts). Imports add both.
create table bank_accounts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  iban text not null,
  currency text not null,
  name text,
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index bank_accounts_tenant_id_iban_currency_key on bank_accounts (tenant_id, iban, currency);
create unique index bank_accounts_tenant_id_external_id_key on bank_accounts (tenant_id, external_id);
create index on bank_accounts (tenant_id, updated_at);
select isolate('bank_accounts');
select count_rows('bank_accounts');
select track_changes('bank_accounts', 'bank_account');
select audit('bank_accounts', 'bank_account');
create trigger count_version before update on bank_accounts for each row execute function count_version();

create table bank_statements (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  bank_account_id uuid not null,
  number text,
  from_date date not null,
  to_date date not null,
  opening_balance numeric(23, 5) not null,
  closing_balance numeric(23, 5) not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, bank_account_id) references bank_accounts on delete restrict,
  constraint bank_statements_end_after_start check (to_date >= from_date)
);
create unique index bank_statements_identity_key
  on bank_statements (tenant_id, bank_account_id, to_date, from_date, opening_balance, closing_balance);
select isolate('bank_statements');
select audit('bank_statements', 'bank_statement');
revoke update, delete on bank_statements from kontor_books;

create type match_status as enum ('unmatched', 'partially_matched', 'matched', 'ignored');

create table bank_transactions (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  external_id text,
  account_iban text not null,
  booking_date date not null,
  value_date date,
  amount numeric(23, 5) not null,
  currency text not null,
  counterparty_name text,
  counterparty_iban text,
  reference text,
  match_status match_status not null default 'unmatched',
  amount_open numeric(23, 5) not null,
  identity text,
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  search_text text generated always as (
    search_line(counterparty_name) || E'\n' || search_line(counterparty_iban) || E'\n' || search_line(reference)
  ) stored,
  primary key (tenant_id, id),
  constraint bank_transactions_open_within_amount check (amount_open between least(amount, 0) and greatest(amount, 0)),
  constraint bank_transactions_status_says_what_is_open check (
    case match_status
      when 'matched' then amount_open = 0
      when 'partially_matched' then amount_open <> 0 and amount_open <> amount
      else amount_open = amount
    end
  )
);
create index on bank_transactions (tenant_id, match_status, id);
create index on bank_transactions (tenant_id, counterparty_iban);
create unique index bank_transactions_tenant_id_identity_key on bank_transactions (tenant_id, identity);
create index on bank_transactions (tenant_id, booking_date, id);
create index on bank_transactions (tenant_id, amount, id);
create index bank_transactions_balance_idx on bank_transactions (tenant_id, account_iban, currency, booking_date, amount);
create index bank_transactions_search_idx on bank_transactions using gin (tenant_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 1024);
create index on bank_transactions (tenant_id, updated_at);
select isolate('bank_transactions');
select count_rows('bank_transactions', 'match_status');
select track_changes('bank_transactions', 'bank_transaction');
select audit('bank_transactions', 'bank_transaction', '{identity}'); -- derived from the others
create trigger count_version before update on bank_transactions for each row execute function count_version();

-- Payments are a ledger (schema/DECISIONS.md#d137-payments-ledger): undoing one adds a row with the opposite amount. A
-- payment has its own currency, so that what was paid in a month is added up without reading what was settled. It has the
-- sign of its receipt. Its kind is how it settles what it pays (schema/DECISIONS.md#d147-settlement). Few have an exchange
-- rate: the profit and loss finds the differences of a period by it (schema/DECISIONS.md#d151-exchange-differences).
create type payment_kind as enum (
  'payment', 'fee', 'credit', 'cash_discount', 'write_off', 'rounding', 'overpayment', 'credit_refund'
);

create table payments (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  kind payment_kind not null default 'payment',
  invoice_id uuid,
  receipt_id uuid,
  credit_note_id uuid,
  customer_id uuid,
  bank_transaction_id uuid,
  recorded_with uuid,
  amount numeric(19, 4) not null,
  currency text not null,
  exchange_amount numeric(23, 5),
  exchange_currency text,
  exchange_rate numeric(24, 12),
  paid_on date not null,
  reversal_of uuid,
  reversed_at timestamptz(3),
  reason text,
  user_id uuid,
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references invoices on delete restrict,
  foreign key (tenant_id, receipt_id) references receipts on delete restrict,
  foreign key (tenant_id, credit_note_id) references credit_notes on delete restrict,
  foreign key (tenant_id, customer_id) references customers on delete restrict,
  foreign key (tenant_id, bank_transaction_id) references bank_transactions on delete restrict,
  foreign key (tenant_id, recorded_with) references payments on delete restrict,
  foreign key (tenant_id, reversal_of) references payments on delete restrict,
  constraint payments_settle_one_thing check (
    case
      when kind in ('overpayment', 'credit_refund') then num_nonnulls(receipt_id, credit_note_id) = 0
      else num_nonnulls(invoice_id, receipt_id, credit_note_id) = 1
    end
  ),
  constraint payments_kind_of_what_it_pays check (
    case kind
      when 'payment' then true
      when 'cash_discount' then credit_note_id is null
      when 'write_off' then credit_note_id is null
      when 'rounding' then credit_note_id is null
      when 'fee' then invoice_id is not null
      when 'credit' then invoice_id is not null
      when 'overpayment' then true
      else invoice_id is null
    end
    and (kind in ('credit', 'overpayment', 'credit_refund')) = (customer_id is not null)
    and (bank_transaction_id is null or kind in ('payment', 'overpayment', 'credit_refund'))
  ),
  constraint payments_negative_when_reversal check (
    case when receipt_id is not null then amount <> 0 when reversal_of is null then amount > 0 else amount < 0 end
  ),
  constraint payments_reversal_stays check (reversal_of is null or reversed_at is null),
  constraint payments_reason_of_reversal check (
    reversal_of is not null or reversed_at is not null or (user_id is null and (reason is null or kind <> 'payment'))
  ),
  constraint payments_reason_of_write_off check (kind <> 'write_off' or reversal_of is not null or reason is not null),
  constraint payments_exchange check (
    num_nonnulls(exchange_amount, exchange_currency, exchange_rate) in (0, 3)
    and (exchange_amount is null or (exchange_amount * amount > 0 and exchange_rate > 0))
  )
);
create index on payments (tenant_id, invoice_id);
create index on payments (tenant_id, receipt_id);
create index on payments (tenant_id, credit_note_id);
create index on payments (tenant_id, customer_id);
create index on payments (tenant_id, bank_transaction_id);
create unique index payments_tenant_id_reversal_of_key on payments (tenant_id, reversal_of);
create index payments_dated_idx on payments (tenant_id, paid_on, id, kind, invoice_id, credit_note_id, currency, amount);
create index payments_exchanged_idx on payments (tenant_id, paid_on) where exchange_rate is not null;
create index on payments (tenant_id, updated_at);
select isolate('payments');
select count_rows('payments');
select track_changes('payments', 'payment');
select audit('payments', 'payment');
create trigger count_version before update on payments for each row execute function count_version();

-- The service can neither delete a payment nor change what it says. Whoever deletes a tenant can.
create function refuse_change_of_payment() returns trigger language plpgsql as $$
begin
  raise exception 'A payment can not change';
end
$$;
create trigger refuse_update before update on payments for each row
  when (old.reversed_at is not null or old.reversal_of is not null or new.reversal_of is not null or (
    old.invoice_id, old.receipt_id, old.credit_note_id, old.customer_id, old.bank_transaction_id, old.recorded_with, old.kind,
    old.amount, old.currency, old.exchange_amount, old.exchange_currency, old.exchange_rate, old.paid_on, old.created_at
  ) is distinct from (
    new.invoice_id, new.receipt_id, new.credit_note_id, new.customer_id, new.bank_transaction_id, new.recorded_with, new.kind,
    new.amount, new.currency, new.exchange_amount, new.exchange_currency, new.exchange_rate, new.paid_on, new.created_at
  )) execute function refuse_change_of_payment();
create trigger refuse_deletion before delete on payments for each row
  when (current_user = 'kontor_books') execute function refuse_change_of_payment();


-- Period locks

-- Until which day the books are closed (schema/DECISIONS.md#d139-period-locks).
create type period_lock_series as enum ('sales', 'purchases', 'bank', 'all');
create type period_lock_kind as enum ('soft', 'final');

create table period_locks (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  series period_lock_series not null,
  locked_until date not null,
  kind period_lock_kind not null,
  reason text,
  user_id uuid not null,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index period_locks_tenant_id_series_key on period_locks (tenant_id, series);
select isolate('period_locks');
select audit('period_locks', 'period_lock');

create function refuse_change_of_final_lock() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_deleted_tenant(old.tenant_id) then
    return old;
  end if;
  raise exception 'A final period lock can not be moved back';
end
$$;
create trigger refuse_moving_back before update on period_locks for each row
  when (old.kind = 'final' and (new.kind <> 'final' or new.locked_until < old.locked_until or new.series <> old.series))
  execute function refuse_change_of_final_lock();
create trigger refuse_deletion before delete on period_locks for each row when (old.kind = 'final')
  execute function refuse_change_of_final_lock();


-- Events and webhooks

create table events (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  type text not null,
  resource_id uuid,
  body text not null,
  request_id uuid,
  trace_parent text,
  fanned_out_at timestamptz(3),
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id)
);
create index on events (tenant_id, resource_id, id);
create index on events (tenant_id, created_at);
create index on events (tenant_id, type, id);
create index on events (tenant_id, fanned_out_at);
select isolate('events');

-- An event's job: neither can exist without the other. It runs as the owner, who adds jobs. graphile-worker's own retries only
-- have to outlast crashes: what a delivery is worth trying is counted elsewhere.
create function add_fan_out_jobs() returns trigger language plpgsql security definer as $$
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

create trigger add_fan_out_jobs after insert on events referencing new table as inserted
  for each statement execute function add_fan_out_jobs();

-- Subscriptions to events. An event is announced when its deliveries are planned: that is when webhooks learn of it.
-- The lock is held until the transaction ends. A watcher that waits for it after it has begun to watch, and then reads the
-- events, misses none: not even those of a transaction that found no watcher.
create function announce_events() returns trigger language plpgsql as $$
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

create trigger announce_events after update on events referencing new table as planned
  for each statement execute function announce_events();

-- A secret can be rotated twice within 24 hours: then two former secrets are good beside the current one.
create table webhooks (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  slot integer,
  url text not null,
  description text,
  events text[],
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  signs_with_previous boolean not null default false,
  earlier_secret bytea,
  earlier_secret_until timestamptz(3),
  signs_with_earlier boolean not null default false,
  reencrypted_at timestamptz(3),
  active boolean not null default true,
  consecutive_failures integer not null default 0,
  disabled_at timestamptz(3),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  deleted_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index webhooks_tenant_id_slot_key on webhooks (tenant_id, slot);
select isolate('webhooks');

-- No change that somebody made, and so neither a version nor an entry of the audit log: the results of deliveries, which a
-- worker writes into the same row, and a rotation, which encrypts the secrets anew.
create trigger count_version before update on webhooks for each row
  when (old.reencrypted_at is not distinct from new.reencrypted_at
    and (old.url, old.description, old.events, old.active, old.secret, old.deleted_at)
      is distinct from (new.url, new.description, new.events, new.active, new.secret, new.deleted_at))
  execute function count_version();
create constraint trigger record_audit after insert or delete on webhooks deferrable initially deferred for each row
  execute function record_audit('webhook', '{slot,reencrypted_at}', '{secret}', 'id');
create constraint trigger record_audit_changed after update on webhooks deferrable initially deferred for each row
  when (
    old.reencrypted_at is not distinct from new.reencrypted_at
      and (old.url, old.description, old.events, old.secret, old.active, old.disabled_at, old.deleted_at)
        is distinct from (new.url, new.description, new.events, new.secret, new.active, new.disabled_at, new.deleted_at)
  )
  execute function record_audit('webhook',
    '{slot,previous_secret,earlier_secret,consecutive_failures,last_success_at,last_failure_at,reencrypted_at}', '{secret}', 'id');

create type delivery_kind as enum ('event', 'ping', 'redelivery');
create type delivery_state as enum ('waiting', 'delivered', 'failed', 'set_aside');

create table deliveries (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  kind delivery_kind not null default 'event',
  state delivery_state not null default 'waiting',
  attempt_count integer not null default 0,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null default current_timestamp,
  finished_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references webhooks on delete cascade,
  foreign key (tenant_id, event_id) references events on delete cascade,
  constraint deliveries_planned_while_waiting check ((state = 'waiting') = (next_attempt_at is not null)),
  constraint deliveries_finished_unless_waiting check ((state = 'waiting') = (finished_at is null))
);
create index on deliveries (tenant_id, webhook_id, state, id);
create index on deliveries (tenant_id, event_id);
create index on deliveries (tenant_id, created_at);
select isolate('deliveries');

create table delivery_attempts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer,
  request_headers jsonb not null,
  status integer,
  response_headers jsonb,
  response_body bytea,
  error text,
  primary key (tenant_id, delivery_id, number),
  foreign key (tenant_id, delivery_id) references deliveries on delete cascade
);
select isolate('delivery_attempts');

-- A delivery's job: it only says "look at this delivery then". Whatever sets the time adds it, in the same transaction.
create function add_deliver_jobs() returns trigger language plpgsql security definer as $$
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

create trigger add_deliver_jobs after insert on deliveries referencing new table as changed
  for each statement execute function add_deliver_jobs();
create trigger add_deliver_jobs_again after update on deliveries referencing old table as former new table as changed
  for each statement execute function add_deliver_jobs();

-- Tells subscriptions that a delivery was made or has changed. The lock is held until the transaction ends. A watcher that
-- waits for it after it has begun to watch misses no delivery: not even those of a transaction that found no watcher.
-- Transactions share the lock.
create function announce_deliveries() returns trigger language plpgsql as $$
declare
  tenant uuid;
  announcement text;
begin
  for tenant in select distinct tenant_id from changed loop
    perform pg_advisory_xact_lock_shared(hashtextextended(tenant || ' delivery order', 0));
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

create trigger announce_deliveries after insert on deliveries referencing new table as changed
  for each statement execute function announce_deliveries();
create trigger announce_deliveries_again after update on deliveries referencing old table as former new table as changed
  for each statement execute function announce_deliveries();


-- Bulk operations and exports

-- A tenant's job, once for each statement: neither it nor the rows can exist without the other. The argument is its task.
create function add_tenant_jobs() returns trigger language plpgsql security definer as $$
declare
  tenant uuid;
begin
  for tenant in select distinct tenant_id from inserted loop
    perform add_jobs(tenant, tg_argv[0], array[json_build_object('tenantId', tenant)]);
  end loop;
  return null;
end
$$;

-- Very many requests of one kind, done by a job.
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
create trigger add_bulk_jobs after insert on bulk_operations referencing new table as inserted
  for each statement execute function add_tenant_jobs('start_bulk_operations');

-- A job writes a file of the books. An export of a list can have some rows only; without ids it has all.
create type export_type as enum ('datev', 'gobd', 'open_items', 'list');
create type export_format as enum ('csv', 'xlsx');
create type export_resource as enum (
  'customers', 'invoices', 'invoice-items', 'credit-notes', 'credit-note-items', 'receipts', 'receipt-lines',
  'payments', 'projects', 'time-entries', 'bank-accounts', 'bank-statements', 'bank-transactions', 'audit-log'
);
create type export_side as enum ('receivable', 'payable');
create type export_chart as enum ('skr03', 'skr04');
create type export_status as enum ('pending', 'running', 'completed', 'failed', 'cancelled');

create table exports (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  slot integer,
  type export_type not null,
  format export_format,
  resource export_resource,
  ids uuid[] default '{}',
  from_day date,
  to_day date,
  at_day date,
  side export_side,
  chart export_chart,
  consultant_number integer,
  client_number integer,
  status export_status not null default 'pending',
  rows integer,
  processed_rows integer not null default 0,
  error text,
  file_name text,
  length integer,
  sha256 bytea,
  expires_at timestamptz(3),
  user_id uuid not null,
  token_id uuid,
  created_at timestamptz(3) not null default current_timestamp,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint exports_slot_while_unfinished check ((slot is null) = (finished_at is not null)),
  constraint exports_file_once_completed check ((file_name is not null) = (status = 'completed'))
);
create unique index exports_tenant_id_slot_key on exports (tenant_id, slot);
create index on exports (tenant_id, finished_at);
select isolate('exports');
create trigger add_export_jobs after insert on exports referencing new table as inserted
  for each statement execute function add_tenant_jobs('start_exports');

-- The accounts of customers and suppliers in the tax consultant's books, which exports for DATEV give.
create table partner_accounts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  customer_id uuid not null,
  kind text not null,
  number integer not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers on delete restrict,
  constraint partner_accounts_kind_known check (kind in ('debtor', 'creditor'))
);
create unique index partner_accounts_tenant_id_customer_id_kind_key on partner_accounts (tenant_id, customer_id, kind);
create unique index partner_accounts_tenant_id_number_key on partner_accounts (tenant_id, number);
create index partner_accounts_kind_idx on partner_accounts (tenant_id, kind, number);
select isolate('partner_accounts');

-- Functions that run as the owner look for tables in this schema only. Nobody else may make triggers of them.
do $$
begin
  execute format('alter function add_fan_out_jobs() set search_path = pg_catalog, %I, pg_temp', current_schema());
  execute format('alter function add_deliver_jobs() set search_path = pg_catalog, %I, pg_temp', current_schema());
  execute format('alter function add_tenant_jobs() set search_path = pg_catalog, %I, pg_temp', current_schema());
end
$$;
revoke all on function add_fan_out_jobs, add_deliver_jobs, add_tenant_jobs from public;


-- Operation

-- Responses to requests with an Idempotency-Key, for repetitions of the request.
create table stored_responses (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  request bytea not null,
  body bytea not null,
  response bytea not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, request)
);
create index on stored_responses (tenant_id, created_at);
select isolate('stored_responses');

-- The worker processes, each with the time at which it was last seen.
create table workers (
  id text not null,
  seen_at timestamptz(3) not null,
  primary key (id)
);

-- How far the backfills of migrations are (prisma/migrate/backfills.ts). A job fills rows in batches, each in one transaction
-- with its progress.
create table backfills (
  name text not null primary key,
  table_name text not null,
  current_tenant uuid,
  last_id uuid,
  rows bigint not null default 0,
  error text,
  started_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  finished_at timestamptz(3)
);
