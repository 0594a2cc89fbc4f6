-- The audit log: who changed what, a row for each change of a row (schema/DECISIONS.md#d135-audit-log). Triggers write it, so
-- that no code can forget to. They are deferred: positions are taken at the commit, in the order of commits, as those of the
-- change feed are.
create table audit_entries (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  position bigint not null,
  at timestamptz(3) not null,
  actor_kind text,
  user_id uuid,
  token_id uuid,
  session_id uuid,
  request_id uuid,
  job text,
  resource text not null,
  resource_id uuid,
  version integer,
  action text not null,
  before jsonb,
  after jsonb,
  primary key (tenant_id, id),
  constraint audit_entries_actor_kind_known
    check (actor_kind in ('user', 'token', 'session', 'job', 'import', 'command_line')),
  constraint audit_entries_action_known check (action in ('created', 'updated', 'deleted'))
);
create index on audit_entries (tenant_id, position, id);
create index on audit_entries (tenant_id, resource_id, id);
create index on audit_entries (tenant_id, user_id, id);
select isolate('audit_entries');
revoke update, delete on audit_entries from kontor_books;

-- The chain of the audit log's rows. A job adds to it, so that no writer waits for another.
create table audit_seals (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  number integer not null,
  position bigint not null,
  previous_hash bytea not null,
  hash bytea not null,
  sealed_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, id) references audit_entries on delete restrict
);
create unique index audit_seals_tenant_id_number_key on audit_seals (tenant_id, number);
select isolate('audit_seals');
revoke update, delete on audit_seals from kontor_books;

-- Triggers on the tables of identity write as the owner, who also deletes what is older than the retention.
create policy operator on audit_entries using (current_user <> 'kontor_books') with check (current_user <> 'kontor_books');
create policy operator on audit_seals using (current_user <> 'kontor_books') with check (current_user <> 'kontor_books');

create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log can not change';
end
$$;
create trigger refuse_update before update on audit_entries for each row execute function refuse_change_of_audit_log();
create trigger refuse_deletion before delete on audit_entries for each row
  when (old.at > now() - interval '7 years') execute function refuse_change_of_audit_log();
create trigger refuse_update before update on audit_seals for each row execute function refuse_change_of_audit_log();
create trigger refuse_deletion before delete on audit_seals for each row
  when (old.sealed_at > now() - interval '7 years') execute function refuse_change_of_audit_log();

-- Writes a row of the audit log. The setting kontor.actor says who acts, as `kind,user,token,session,request,job`; without it,
-- somebody else than the service has written (prisma/actor.ts). The id begins with the time and the lowest digits of the
-- position, so that ids are in the order of positions.
create function add_audit_entry(
  tenant uuid, resource text, resource_id uuid, version integer, action text, before jsonb, after jsonb
) returns void language plpgsql as $$
declare
  actor text[] := string_to_array(current_setting('kontor.actor', true), ',', '');
  kind text := coalesce(nullif(current_setting('kontor.actor_kind', true), ''), actor[1]);
  entry_position bigint := next_change_position(tenant);
  entry_at timestamptz := clock_timestamp();
  entry_id uuid := (
    lpad(to_hex(floor(extract(epoch from entry_at) * 1000)::bigint), 12, '0') || '7' ||
    lpad(to_hex(entry_position & 4095), 3, '0') || substr(gen_random_uuid()::text, 20)
  )::uuid;
begin
  insert into audit_entries (
    tenant_id, id, position, at, actor_kind, user_id, token_id, session_id, request_id, job,
    resource, resource_id, version, action, before, after
  ) values (
    tenant, entry_id, entry_position, entry_at, kind,
    actor[2]::uuid, actor[3]::uuid, actor[4]::uuid, actor[5]::uuid, actor[6],
    resource, resource_id, version, action, before, after
  );
end
$$;
revoke all on function add_audit_entry from public;
grant execute on function add_audit_entry to kontor_books;

-- Arguments: the resource, columns that are left out, columns whose values are secret, the column with the id.
create function record_audit() returns trigger language plpgsql as $$
declare
  left_out text[] := array['tenant_id', 'version', 'updated_at', 'search_text', tg_argv[3]] || tg_argv[1]::text[];
  secrets text[] := tg_argv[2]::text[];
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  whole jsonb := coalesce(new_row, old_row);
  tenant uuid := coalesce(whole ->> 'tenant_id', old_row ->> 'tenant_id', case tg_argv[0] when 'tenant' then whole ->> 'id' end);
  secret text;
begin
  if tenant is null then
    return null; -- a token of no tenant, say
  end if;
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(key, former.value), jsonb_object_agg(key, latter.value) into old_row, new_row
    from jsonb_each(old_row - left_out) as former join jsonb_each(new_row) as latter using (key)
    where former.value is distinct from latter.value;
    if new_row is null and whole ->> 'version' is null then
      return null;
    end if;
    -- Lines that add up to the same are a version, too.
    old_row := coalesce(old_row, '{}');
    new_row := coalesce(new_row, '{}');
  else
    old_row := jsonb_strip_nulls(old_row - left_out);
    new_row := jsonb_strip_nulls(new_row - left_out);
  end if;
  foreach secret in array secrets loop
    old_row := case when old_row ->> secret is null then old_row else jsonb_set(old_row, array[secret], '"***"') end;
    new_row := case when new_row ->> secret is null then new_row else jsonb_set(new_row, array[secret], '"***"') end;
  end loop;
  perform add_audit_entry(
    tenant, tg_argv[0], (whole ->> tg_argv[3])::uuid, (whole ->> 'version')::integer,
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end, old_row, new_row
  );
  return null;
end
$$;

-- A sequence's entry says of which year it is.
create function record_audit_of_sequence() returns trigger language plpgsql as $$
begin
  perform add_audit_entry(
    new.tenant_id, tg_argv[0], null, null, 'updated',
    jsonb_build_object('year', old.year, 'last', old.last), jsonb_build_object('year', new.year, 'last', new.last)
  );
  return null;
end
$$;

-- The lines of a document are written together: an entry has all of them. Its trigger is on the first line. Those before are in the
-- entry before. Each table has a function of its own, because a dynamic statement would be planned at each call. The plans may be
-- made while the tables look empty: without the settings, each call would read a whole table.
create function audit_lines(lines regclass, resource text, document_column text) returns void language plpgsql as $$
begin
  execute format($template$
    create function record_audit_of_%1$s() returns trigger language plpgsql
      set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $function$
    declare
      tenant uuid := coalesce(new.tenant_id, old.tenant_id);
      document uuid := coalesce(new.%3$I, old.%3$I);
      former jsonb;
      current jsonb;
    begin
      current := (
        select jsonb_agg(jsonb_strip_nulls(to_jsonb(line) - '{tenant_id,id,%3$s}'::text[]) order by line.position)
        from %1$s as line where line.tenant_id = tenant and line.%3$I = document
      );
      if tg_op = 'DELETE' and current is not null then
        return null; -- they were replaced: the entry is that of the new first line
      end if;
      -- A range of one id, in an order that only one index has: while the table looks empty, any index would do for an equality,
      -- and some go through all the tenant's entries.
      former := (
        select entry.after -> 'lines' from audit_entries as entry
        where entry.tenant_id = tenant and entry.resource_id >= document and entry.resource_id <= document
          and entry.resource = tg_argv[0]
        order by entry.resource_id desc, entry.id desc limit 1
      );
      if current is not distinct from former then
        return null;
      end if;
      perform add_audit_entry(
        tenant, tg_argv[0], document, null,
        case when current is null then 'deleted' when former is null then 'created' else 'updated' end,
        case when former is not null then jsonb_build_object('lines', former) end,
        case when current is not null then jsonb_build_object('lines', current) end
      );
      return null;
    end
    $function$;
    create constraint trigger record_audit after insert on %1$s deferrable initially deferred for each row
      when (new.position = 1) execute function record_audit_of_%1$s(%2$L);
    create constraint trigger record_audit_deleted after delete on %1$s deferrable initially deferred for each row
      when (old.position = 1) execute function record_audit_of_%1$s(%2$L);
  $template$, lines, resource, document_column);
end
$$;
revoke all on function audit_lines from public;

-- For every migration that makes a table of the books, or of settings: select audit('quotes', 'quote').
create function audit(
  audited regclass, resource text, left_out text[] default '{}', secrets text[] default '{}', id_column text default 'id'
) returns void language plpgsql as $$
begin
  execute format('create constraint trigger record_audit after insert or update or delete on %s
    deferrable initially deferred for each row execute function record_audit(%L, %L, %L, %L)',
    audited, resource, left_out, secrets, id_column);
end
$$;
revoke all on function audit from public;

select audit('customers', 'customer');
select audit('invoices', 'invoice');
select audit('credit_notes', 'credit_note');
select audit('receipts', 'receipt');
select audit('projects', 'project');
select audit('time_entries', 'time_entry');
select audit('bank_transactions', 'bank_transaction', '{identity}'); -- derived from the others
select audit('payments', 'payment');
select audit('companies', 'company');
select audit('company_logos', 'company_logo', '{bytes,is_on_documents}');
select audit('invitations', 'invitation', '{hash}');
select audit('memberships', 'member', id_column => 'user_id');
select audit('tenants', 'tenant');
select audit('trusted_documents', 'trusted_document', '{text}');

select audit_lines('invoice_items', 'invoice_lines', 'invoice_id');
select audit_lines('credit_note_items', 'credit_note_lines', 'credit_note_id');

-- Deliveries count on the webhook's row, and each use of a token is noted: no changes that somebody made.
create constraint trigger record_audit after insert or delete on webhooks deferrable initially deferred for each row
  execute function record_audit('webhook', '{slot}', '{secret}', 'id');
create constraint trigger record_audit_changed after update on webhooks deferrable initially deferred for each row
  when (
    (old.url, old.description, old.events, old.secret, old.active, old.disabled_at, old.deleted_at)
      is distinct from (new.url, new.description, new.events, new.secret, new.active, new.disabled_at, new.deleted_at)
  )
  execute function record_audit('webhook',
    '{slot,previous_secret,earlier_secret,consecutive_failures,last_success_at,last_failure_at}', '{secret}', 'id');
create constraint trigger record_audit after insert or delete on api_tokens deferrable initially deferred for each row
  execute function record_audit('token', '{hash,last_used_at,followed_until}', '{}', 'id');
create constraint trigger record_audit_changed after update on api_tokens deferrable initially deferred for each row
  when (
    (old.name, old.abilities, old.trusted_documents, old.requests_per_minute, old.expires_at, old.revoked_at, old.tenant_id)
      is distinct from
    (new.name, new.abilities, new.trusted_documents, new.requests_per_minute, new.expires_at, new.revoked_at, new.tenant_id)
  )
  execute function record_audit('token', '{hash,last_used_at,followed_until}', '{}', 'id');

-- Not the next number, which its document's entry has: only a sequence that is set.
create constraint trigger record_audit after insert on invoice_sequences deferrable initially deferred for each row
  when (new.last > 1) execute function record_audit('invoice_sequence', '{}', '{}', 'id');
create constraint trigger record_audit_set after update on invoice_sequences deferrable initially deferred for each row
  when (new.last <> old.last and new.last <> old.last + 1) execute function record_audit_of_sequence('invoice_sequence');
create constraint trigger record_audit_deleted after delete on invoice_sequences deferrable initially deferred for each row
  execute function record_audit('invoice_sequence', '{}', '{}', 'id');
create constraint trigger record_audit after insert on credit_note_sequences deferrable initially deferred for each row
  when (new.last > 1) execute function record_audit('credit_note_sequence', '{}', '{}', 'id');
create constraint trigger record_audit_set after update on credit_note_sequences deferrable initially deferred for each row
  when (new.last <> old.last and new.last <> old.last + 1) execute function record_audit_of_sequence('credit_note_sequence');
create constraint trigger record_audit_deleted after delete on credit_note_sequences deferrable initially deferred for each row
  execute function record_audit('credit_note_sequence', '{}', '{}', 'id');
