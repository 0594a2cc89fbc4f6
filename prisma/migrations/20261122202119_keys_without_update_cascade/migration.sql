-- Foreign keys without ON UPDATE CASCADE. Ids never change, and Citus doesn't accept it for keys that contain the
-- distribution column. The keys are replaced as `not valid`, so that no table is read while it is locked. The next migration
-- validates them.
do $$
declare
  key record;
begin
  for key in
    select conrelid::regclass as name,
      string_agg(format('drop constraint %I', conname), ', ') || ', ' ||
      string_agg(format('add constraint %I %s not valid', conname,
        replace(pg_get_constraintdef(oid), ' ON UPDATE CASCADE', '')), ', ') as changes
    from pg_constraint
    where contype = 'f' and confupdtype = 'c' and connamespace = current_schema()::regnamespace
    group by conrelid order by conrelid::regclass::text
  loop
    execute format('alter table %s %s', key.name, key.changes);
  end loop;
end
$$;
