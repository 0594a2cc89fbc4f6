-- The change feed: the last change of each resource, in the order in which a tenant's changes were committed.

-- CreateTable
CREATE TABLE "changes" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "resource" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "deleted" BOOLEAN NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "changes_pkey" PRIMARY KEY ("tenant_id","resource","id")
);

-- CreateIndex
CREATE INDEX "changes_tenant_id_resource_position_idx" ON "changes"("tenant_id", "resource", "position");

-- For the lists' filter updated_since.

-- CreateIndex
CREATE INDEX "bank_transactions_tenant_id_updated_at_idx" ON "bank_transactions"("tenant_id", "updated_at");

-- CreateIndex
CREATE INDEX "customers_tenant_id_updated_at_idx" ON "customers"("tenant_id", "updated_at");

-- CreateIndex
CREATE INDEX "invoices_tenant_id_updated_at_idx" ON "invoices"("tenant_id", "updated_at");

-- CreateIndex
CREATE INDEX "projects_tenant_id_updated_at_idx" ON "projects"("tenant_id", "updated_at");

-- CreateIndex
CREATE INDEX "receipts_tenant_id_updated_at_idx" ON "receipts"("tenant_id", "updated_at");

-- CreateIndex
CREATE INDEX "time_entries_tenant_id_updated_at_idx" ON "time_entries"("tenant_id", "updated_at");

-- Row-level security
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

-- A position is taken when the transaction commits, because this runs as a deferred trigger. Until the commit is over, the
-- lock keeps the tenant's other transactions from taking one. So whoever sees a position sees all lower ones of the tenant,
-- and a long transaction delays nobody before its commit. A transaction takes this lock last: there can be no deadlock.
create function next_change_position(tenant uuid) returns bigint language plpgsql as $$
declare
  change_order bigint := hashtextextended(tenant || ' change order', 0);
begin
  -- An expression takes less time than a statement.
  if not pg_try_advisory_xact_lock(change_order) then
    perform pg_advisory_xact_lock(change_order);
  end if;
  return nextval('changes_position_seq');
end
$$;

-- Whether somebody watches the tenant's changes: see src/notifications.ts.
create function are_changes_watched(tenant uuid) returns boolean language plpgsql as $$
declare
  watched bigint := hashtextextended(tenant || ' changes', 0);
begin
  return not (pg_try_advisory_lock(watched) and pg_advisory_unlock(watched));
end
$$;

create function record_change() returns trigger language plpgsql as $$
declare
  tenant uuid := case tg_op when 'DELETE' then old.tenant_id else new.tenant_id end;
  row_id uuid := case tg_op when 'DELETE' then old.id else new.id end;
  new_position bigint := next_change_position(tenant);
begin
  insert into changes (tenant_id, resource, id, position, deleted, changed_at)
  values (tenant, tg_argv[0], row_id, new_position, tg_op = 'DELETE', clock_timestamp())
  on conflict (tenant_id, resource, id) do update
    set position = excluded.position, deleted = excluded.deleted, changed_at = excluded.changed_at;
  if are_changes_watched(tenant) then
    perform pg_notify('changes', tenant || ' ' || tg_argv[0]);
  end if;
  return null;
end
$$;

-- For every migration that makes a resource's table: select track_changes('quotes', 'quote').
create function track_changes(books regclass, resource text) returns void language plpgsql as $$
begin
  execute format('create constraint trigger record_change after insert or update or delete on %s
    deferrable initially deferred for each row execute function record_change(%L)', books, resource);
end
$$;
revoke all on function track_changes from public;

-- A project answers the sum of its time, so a time entry changes its project as well.
create function record_project_change() returns trigger language plpgsql as $$
declare
  tenant uuid := case tg_op when 'DELETE' then old.tenant_id else new.tenant_id end;
  projects uuid[] := case tg_op
    when 'DELETE' then array[old.project_id]
    when 'INSERT' then array[new.project_id]
    else array[old.project_id, new.project_id]
  end;
begin
  update changes set position = next_change_position(tenant), changed_at = clock_timestamp()
  where tenant_id = tenant and resource = 'project' and id = any (projects) and not deleted;
  if are_changes_watched(tenant) then
    perform pg_notify('changes', tenant || ' project');
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

-- The rows that exist already, in the order of their creation.
do $$
declare
  tracked record;
  rows_so_far text[] := '{}';
begin
  for tracked in
    select name, resource from (values
      ('customers', 'customer'), ('invoices', 'invoice'), ('receipts', 'receipt'), ('projects', 'project'),
      ('time_entries', 'time_entry'), ('bank_transactions', 'bank_transaction')
    ) as tracked (name, resource)
  loop
    perform track_changes(tracked.name, tracked.resource); -- from here on nobody else writes, until this is committed
    execute format('alter table %I no force row level security', tracked.name); -- for an owner who is no superuser
    rows_so_far := rows_so_far || format('select tenant_id, %L as resource, id, updated_at from %I', tracked.resource, tracked.name);
  end loop;
  alter table changes no force row level security;
  execute format('insert into changes (tenant_id, resource, id, position, deleted, changed_at)
    select tenant_id, resource, id, nextval(''changes_position_seq''), false, updated_at from (
      select * from (%s) as existing order by id
    ) as ordered', array_to_string(rows_so_far, ' union all '));
  alter table changes force row level security;
  for tracked in select unnest(array['customers', 'invoices', 'receipts', 'projects', 'time_entries', 'bank_transactions']) as name loop
    execute format('alter table %I force row level security', tracked.name);
  end loop;
end
$$;
