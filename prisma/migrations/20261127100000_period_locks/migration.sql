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
  raise exception 'A final period lock can not be moved back';
end
$$;
create trigger refuse_moving_back before update on period_locks for each row
  when (old.kind = 'final' and (new.kind <> 'final' or new.locked_until < old.locked_until or new.series <> old.series))
  execute function refuse_change_of_final_lock();
create trigger refuse_deletion before delete on period_locks for each row when (old.kind = 'final')
  execute function refuse_change_of_final_lock();
