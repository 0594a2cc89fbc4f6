-- The issued invoices and credit notes whose files have no proof yet, for the job that proves them.

-- CreateTable
CREATE TABLE "unproven_documents" (
    "tenant_id" UUID NOT NULL DEFAULT (NULLIF(current_setting('kontor.tenant_id'::text, true), ''::text))::uuid,
    "id" UUID NOT NULL,
    "is_credit_note" BOOLEAN NOT NULL,
    "year" INTEGER NOT NULL,
    "number_length" INTEGER NOT NULL,
    "number" TEXT NOT NULL,

    CONSTRAINT "unproven_documents_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE INDEX "unproven_documents_in_order_idx" ON "unproven_documents"("tenant_id", "year", "is_credit_note", "number_length", "number");

-- Row-level security
select isolate('unproven_documents');

create function add_unproven_invoice() returns trigger language plpgsql as $$
begin
  insert into unproven_documents (tenant_id, id, is_credit_note, year, number_length, number)
  values (new.tenant_id, new.id, false, extract(year from new.invoice_date), length(new.number), new.number);
  return null;
end
$$;

create function add_unproven_credit_note() returns trigger language plpgsql as $$
begin
  insert into unproven_documents (tenant_id, id, is_credit_note, year, number_length, number)
  values (new.tenant_id, new.id, true, extract(year from new.credit_note_date), length(new.number), new.number);
  return null;
end
$$;

create function delete_unproven_document() returns trigger language plpgsql as $$
begin
  delete from unproven_documents
  where tenant_id = new.tenant_id and id = coalesce(new.invoice_id, new.credit_note_id);
  return null;
end
$$;

create trigger add_unproven_document after insert on invoices for each row when (new.number is not null)
  execute function add_unproven_invoice();
create trigger add_unproven_document_later after update on invoices for each row
  when (old.number is null and new.number is not null) execute function add_unproven_invoice();
create trigger add_unproven_document after insert on credit_notes for each row
  execute function add_unproven_credit_note();
create trigger delete_unproven_document after insert on document_proofs for each row
  execute function delete_unproven_document();

-- What is unproven already.
do $$
begin
  alter table invoices no force row level security; -- for an owner who is no superuser
  alter table document_proofs no force row level security;
  alter table unproven_documents no force row level security;
  insert into unproven_documents (tenant_id, id, is_credit_note, year, number_length, number)
  select tenant_id, id, false, extract(year from invoice_date), length(number), number
  from invoices where number is not null and not exists (
    select from document_proofs as proof where proof.tenant_id = invoices.tenant_id and proof.invoice_id = invoices.id
  );
  alter table invoices force row level security;
  alter table document_proofs force row level security;
  alter table unproven_documents force row level security;
end
$$;
