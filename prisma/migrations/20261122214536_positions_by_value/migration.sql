-- As they were, but each position is computed before the UPDATE: Citus accepts no volatile functions there.

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
  if are_changes_watched(tenant) then
    perform pg_notify('changes', tenant || ' project');
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
  if found and are_changes_watched(new.tenant_id) then
    perform pg_notify('changes', new.tenant_id || ' credit_note');
  end if;
  return null;
end
$$;
