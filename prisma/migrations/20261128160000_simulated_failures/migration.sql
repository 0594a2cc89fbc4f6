-- How the receiver of a test tenant's webhook seems to fail: {"failure", "attempts", "retryAfter"}
-- (schema/resources/webhook/simulated-failures.ts). The worker counts attempts down: no entry of the audit log.
alter table webhooks add column simulated_failures jsonb;

drop trigger record_audit on webhooks;
create constraint trigger record_audit after insert or delete on webhooks deferrable initially deferred for each row
  execute function record_audit('webhook', '{slot,reencrypted_at,simulated_failures}', '{secret}', 'id');
drop trigger record_audit_changed on webhooks;
create constraint trigger record_audit_changed after update on webhooks deferrable initially deferred for each row
  when (
    old.reencrypted_at is not distinct from new.reencrypted_at
      and (old.url, old.description, old.events, old.secret, old.active, old.disabled_at, old.deleted_at)
        is distinct from (new.url, new.description, new.events, new.secret, new.active, new.disabled_at, new.deleted_at)
  )
  execute function record_audit('webhook',
    '{slot,previous_secret,earlier_secret,consecutive_failures,last_success_at,last_failure_at,reencrypted_at,simulated_failures}',
    '{secret}', 'id');
