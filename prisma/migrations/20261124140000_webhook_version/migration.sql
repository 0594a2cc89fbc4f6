-- A change of a webhook can expect a version, as one of any resource can. The worker writes the results of deliveries into
-- the same row; these are no change of what the user has set.
alter table webhooks add column version integer not null default 1;

create trigger count_version before update on webhooks for each row
  when ((old.url, old.description, old.events, old.active, old.secret, old.deleted_at)
    is distinct from (new.url, new.description, new.events, new.active, new.secret, new.deleted_at))
  execute function count_version();
