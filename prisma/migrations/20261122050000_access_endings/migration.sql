-- Tells subscriptions that the access they began with has ended: by NOTIFY, which reaches every process with the commit.
-- Each payload is a key of src/graphql/access-endings.ts. These changes are rare; that NOTIFY makes commits wait for each
-- other costs nothing here.

create function announce_access_ending() returns trigger language plpgsql as $$
begin
  perform pg_notify('access', case tg_table_name
    when 'api_tokens' then 'token ' || (to_jsonb(old) ->> 'id')
    when 'sessions' then 'session ' || (to_jsonb(old) ->> 'id')
    when 'memberships' then concat_ws(' ', 'member', to_jsonb(old) ->> 'tenant_id', to_jsonb(old) ->> 'user_id')
    when 'tenants' then 'tenant ' || (to_jsonb(old) ->> 'id')
  end);
  return null;
end
$$;

-- A token that is revoked, that loses its tenant or expires earlier, or that is deleted.
create trigger announce_access_ending after update of revoked_at, tenant_id, expires_at on api_tokens for each row
  when ((old.revoked_at, old.tenant_id, old.expires_at) is distinct from (new.revoked_at, new.tenant_id, new.expires_at))
  execute function announce_access_ending();
create trigger announce_access_ending_deleted after delete on api_tokens for each row
  execute function announce_access_ending();
create trigger announce_access_ending after delete on sessions for each row execute function announce_access_ending();
create trigger announce_access_ending after delete on memberships for each row execute function announce_access_ending();
create trigger announce_access_ending after update of closed_at on tenants for each row
  when (old.closed_at is distinct from new.closed_at) execute function announce_access_ending();
