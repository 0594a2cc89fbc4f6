-- Which secret of the installation encrypts, and how far its rotation is (src/security/rotation.ts). `sealed` is of the secret that
-- encrypts. Ciphertexts begin with its key_id, which is null for the first secret: theirs have none.
alter table secret_checks
  add column key_id bytea,
  add column previous_sealed bytea,
  add column former_anchor_keys bytea,
  add column rotation_started_at timestamptz(3),
  add column rotation_finished_at timestamptz(3),
  add column rotated_through uuid,
  add column rotated_values integer not null default 0,
  add column unreadable_values integer not null default 0;

-- A rotation encrypts the secrets of webhooks anew. That changes no secret: no version, and no entry of the audit log.
alter table webhooks add column reencrypted_at timestamptz(3);

drop trigger count_version on webhooks;
create trigger count_version before update on webhooks for each row
  when (old.reencrypted_at is not distinct from new.reencrypted_at
    and (old.url, old.description, old.events, old.active, old.secret, old.deleted_at)
      is distinct from (new.url, new.description, new.events, new.active, new.secret, new.deleted_at))
  execute function count_version();

drop trigger record_audit on webhooks;
create constraint trigger record_audit after insert or delete on webhooks deferrable initially deferred for each row
  execute function record_audit('webhook', '{slot,reencrypted_at}', '{secret}', 'id');
drop trigger record_audit_changed on webhooks;
create constraint trigger record_audit_changed after update on webhooks deferrable initially deferred for each row
  when (
    old.reencrypted_at is not distinct from new.reencrypted_at
      and (old.url, old.description, old.events, old.secret, old.active, old.disabled_at, old.deleted_at)
        is distinct from (new.url, new.description, new.events, new.secret, new.active, new.disabled_at, new.deleted_at)
  )
  execute function record_audit('webhook',
    '{slot,previous_secret,earlier_secret,consecutive_failures,last_success_at,last_failure_at,reencrypted_at}', '{secret}', 'id');
