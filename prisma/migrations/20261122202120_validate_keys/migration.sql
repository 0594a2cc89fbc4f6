-- Validates the keys of the migration before. Rows can be read and written meanwhile.
do $$
declare
  key record;
begin
  for key in
    select conrelid::regclass as name, conname from pg_constraint
    where contype = 'f' and not convalidated and connamespace = current_schema()::regnamespace
    order by conrelid::regclass::text, conname
  loop
    execute format('alter table %s validate constraint %I', key.name, key.conname);
  end loop;
end
$$;
