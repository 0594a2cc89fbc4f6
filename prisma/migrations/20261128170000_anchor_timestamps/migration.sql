-- An anchor's time-stamp, by an authority (schema/DECISIONS.md#d144-anchors): the token, and the time that it states. It comes after
-- the anchor, once.
alter table anchors add column timestamp_token bytea, add column timestamped_at timestamptz(3);
grant update (timestamp_token, timestamped_at) on anchors to kontor_books;

create or replace function refuse_change_of_anchor() returns trigger language plpgsql as $$
declare
  added text[] := array['timestamp_token', 'timestamped_at'];
begin
  if tg_op = 'DELETE' and is_deleted_tenant(old.tenant_id) then
    return old;
  end if;
  if tg_op = 'UPDATE' and old.timestamp_token is null and old.timestamped_at is null and new.timestamp_token is not null
    and new.timestamped_at is not null and to_jsonb(old) - added = to_jsonb(new) - added
  then
    return new;
  end if;
  raise exception 'An anchor can not change';
end
$$;
