-- The files of a receipt (schema/DECISIONS.md#d146-attachments). Their bytes are in the storage of files, under the tenant's and
-- the attachment's id.
create table attachments (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  receipt_id uuid not null,
  position integer not null,
  filename text not null,
  content_type text not null,
  length integer not null,
  sha256 bytea not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id),
  foreign key (tenant_id, receipt_id) references receipts on delete cascade,
  constraint attachments_position_positive check (position > 0),
  constraint attachments_filename_bounded check (char_length(filename) between 1 and 255),
  constraint attachments_content_type_known
    check (content_type in ('application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'application/xml')),
  constraint attachments_length_bounded check (length between 1 and 26214400),
  constraint attachments_sha256_whole check (octet_length(sha256) = 32)
);
create unique index attachments_tenant_id_receipt_id_position_key on attachments (tenant_id, receipt_id, position);
select isolate('attachments');
select audit('attachments', 'attachment');

-- Files in the storage that no row has: not yet, or not any more. A job deletes them after a day.
create table unused_files (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  key text not null,
  length integer not null default 26214400,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id)
);
select isolate('unused_files');

-- The booked receipts with attachments that have no proof yet.
create table unproven_receipts (
  tenant_id uuid not null default nullif(current_setting('kontor.tenant_id', true), '')::uuid,
  id uuid not null,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (tenant_id, id)
);
select isolate('unproven_receipts');

-- The service can neither add, change, nor remove an attachment of a booked receipt. Only the import of an archive adds some.
create function refuse_change_of_booked_attachment() returns trigger language plpgsql as $$
declare
  tenant uuid := coalesce(new.tenant_id, old.tenant_id);
begin
  if exists (
    select from receipts where tenant_id = tenant and id in (new.receipt_id, old.receipt_id) and status <> 'draft'
  ) then
    raise exception 'Receipt % is booked: its attachments can not change', coalesce(new.receipt_id, old.receipt_id);
  end if;
  return coalesce(new, old);
end
$$;
create trigger refuse_change_of_booked before insert on attachments for each row
  when (current_user = 'kontor_books' and current_setting('kontor.imports_parties', true) is distinct from 'on')
  execute function refuse_change_of_booked_attachment();
create trigger refuse_update_or_deletion_of_booked before update or delete on attachments for each row
  when (current_user = 'kontor_books') execute function refuse_change_of_booked_attachment();

-- A file is used, or not any more, in the transaction of its row.
create function use_file_of_attachment() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    delete from unused_files where tenant_id = new.tenant_id and id = new.id;
    if exists (select from receipts where tenant_id = new.tenant_id and id = new.receipt_id and status <> 'draft') then
      insert into unproven_receipts (tenant_id, id) values (new.tenant_id, new.receipt_id)
      on conflict (tenant_id, id) do nothing;
    end if;
  else
    insert into unused_files (tenant_id, id, key, length)
    values (old.tenant_id, old.id, old.tenant_id || '/attachments/' || old.id, old.length)
    on conflict (tenant_id, id) do nothing;
  end if;
  return null;
end
$$;
create trigger use_file after insert or delete on attachments for each row execute function use_file_of_attachment();

create function add_unproven_receipt() returns trigger language plpgsql as $$
begin
  if exists (select from attachments where tenant_id = new.tenant_id and receipt_id = new.id) then
    insert into unproven_receipts (tenant_id, id) values (new.tenant_id, new.id) on conflict (tenant_id, id) do nothing;
  end if;
  return null;
end
$$;
create trigger add_unproven_receipt after update on receipts for each row
  when (old.status = 'draft' and new.status <> 'draft') execute function add_unproven_receipt();

-- Proofs of receipts are in the chain of those of documents.
alter table document_proofs
  add column receipt_id uuid,
  add constraint document_proofs_tenant_id_receipt_id_fkey foreign key (tenant_id, receipt_id) references receipts
    on delete restrict not valid,
  drop constraint document_proofs_of_one_document,
  add constraint document_proofs_of_one_document check (num_nonnulls(invoice_id, credit_note_id, receipt_id) = 1) not valid;

create or replace function delete_unproven_document() returns trigger language plpgsql as $$
begin
  if new.receipt_id is not null then
    delete from unproven_receipts where tenant_id = new.tenant_id and id = new.receipt_id;
  else
    delete from unproven_documents
    where tenant_id = new.tenant_id and id = coalesce(new.invoice_id, new.credit_note_id);
  end if;
  return null;
end
$$;
