-- The change feed on several servers. Each has a sequence of its own, and a tenant may move to another server. So there,
-- positions follow the clock. The clocks of the servers must not differ by more than a move takes.

-- The time, in minutes since 1970 and parts of 2^36 of a minute: the same scale as epochs have (start_change_epoch), so that a
-- backup that is restored later continues above. A microsecond has 1145 parts.
create function change_clock() returns bigint language sql volatile as
  $$ select (extract(epoch from clock_timestamp()) / 60 * (1::bigint << 36))::bigint $$;

-- As it was (20261122170500), but for several servers. Changes of the same microsecond differ in the last digits.
create or replace function next_change_position(tenant uuid) returns bigint language plpgsql as $$
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

-- Likewise. Whatever was committed has a lower position than the clock now, whatever comes later a higher one.
create or replace function last_change_position(tenant uuid) returns bigint language plpgsql set lock_timeout = '500ms' as $$
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
