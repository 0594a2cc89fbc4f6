-- Citus doesn't send SET CONSTRAINTS to the server of the tenant's tables. It sends a SELECT of this function.
create function run_deferred_triggers() returns void language plpgsql as $$
begin
  set constraints all immediate;
end
$$;
