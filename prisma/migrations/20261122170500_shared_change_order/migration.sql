-- Until now, a tenant's transactions were committed one after the other, so that positions follow the order of the commits.
-- Now they share the lock, and a reader of the feed waits for them (schema/changes/feed.ts). So they can be committed at the
-- same time, and written to the disk together.

-- A position is taken when the transaction commits, because this runs as a deferred trigger. The lock is held until the commit
-- is over. A long transaction delays nobody before its commit.
create or replace function next_change_position(tenant uuid) returns bigint language plpgsql as $$
declare
  change_order bigint := hashtextextended(tenant || ' change order', 0);
begin
  -- An expression takes less time than a statement.
  if not pg_try_advisory_xact_lock_shared(change_order) then
    perform pg_advisory_xact_lock_shared(change_order);
  end if;
  return nextval('changes_position_seq');
end
$$;

-- For readers: waits for the transactions that have taken a position, and answers the highest position taken. All the tenant's
-- changes up to there are visible to the next statement. Later ones aren't all visible: a reader must leave them out.
-- Transactions that come later wait for a reader that waits. So it gives up after half a second, and answers null.
create function last_change_position(tenant uuid) returns bigint language plpgsql set lock_timeout = '500ms' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(tenant || ' change order', 0));
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
  if are_changes_watched(tenant) then
    perform pg_notify('changes', tenant || ' ' || tg_argv[0]);
  end if;
  return null;
end
$$;

create or replace function record_project_change() returns trigger language plpgsql as $$
declare
  tenant uuid := case tg_op when 'DELETE' then old.tenant_id else new.tenant_id end;
  projects uuid[] := case tg_op
    when 'DELETE' then array[old.project_id]
    when 'INSERT' then array[new.project_id]
    else array[old.project_id, new.project_id]
  end;
begin
  perform lock_project_changes(tenant);
  update changes set position = next_change_position(tenant), changed_at = clock_timestamp()
  where tenant_id = tenant and resource = 'project' and id = any (projects) and not deleted;
  if are_changes_watched(tenant) then
    perform pg_notify('changes', tenant || ' project');
  end if;
  return null;
end
$$;
