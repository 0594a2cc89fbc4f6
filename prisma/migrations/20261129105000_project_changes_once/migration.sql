-- Time entries change their project, in the change feed once for each transaction. An update for each entry had to pass by all
-- versions of the project's row that the entries before it had left, so that the time grew with the square of their number.
--
-- The lock keeps other transactions from writing changes of the tenant's projects until this one ends. So a project that has a
-- position from after this transaction took the lock was written by this transaction. The setting has the tenant and the first
-- such position. A savepoint that is undone takes back the setting, the lock, and the rows together.
create or replace function record_project_change() returns trigger language plpgsql as $$
declare
  tenant uuid := case tg_op when 'DELETE' then old.tenant_id else new.tenant_id end;
  projects uuid[] := case
    when tg_op = 'DELETE' then array[old.project_id]
    when tg_op = 'INSERT' or old.project_id = new.project_id then array[new.project_id]
    else array[old.project_id, new.project_id]
  end;
  project uuid;
  known text[] := string_to_array(current_setting('kontor.project_changes', true), ' ');
  first_position bigint := case when known[1] = tenant::text then known[2]::bigint end;
  new_position bigint;
  changed timestamptz := clock_timestamp();
begin
  perform lock_project_changes(tenant);
  foreach project in array projects loop
    continue when first_position is not null and exists (
      select from changes
      where tenant_id = tenant and resource = 'project' and id = project and position >= first_position
    );
    new_position := next_change_position(tenant);
    if first_position is null then
      first_position := new_position;
      perform set_config('kontor.project_changes', tenant || ' ' || first_position, true);
    end if;
    update changes set position = new_position, changed_at = changed
    where tenant_id = tenant and resource = 'project' and id = project and not deleted;
  end loop;
  if is_watched(tenant, 'changes') then
    perform announce(tenant, 'changes', 'project');
  end if;
  return null;
end
$$;
