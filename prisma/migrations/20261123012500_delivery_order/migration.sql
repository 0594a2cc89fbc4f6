-- As it was, but with a lock until the transaction ends. A watcher that waits for it after it has begun to watch misses no
-- delivery: not even those of a transaction that found no watcher. Transactions share the lock.
create or replace function announce_deliveries() returns trigger language plpgsql as $$
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
