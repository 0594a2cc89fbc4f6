-- The seller and the buyer of each issued invoice, as they were when it was issued.

-- CreateTable
CREATE TABLE "invoice_parties" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "seller" JSONB,
    "buyer" JSONB NOT NULL,

    CONSTRAINT "invoice_parties_pkey" PRIMARY KEY ("tenant_id","id")
);

-- AddForeignKey
ALTER TABLE "invoice_parties" ADD CONSTRAINT "invoice_parties_tenant_id_id_fkey" FOREIGN KEY ("tenant_id", "id") REFERENCES "invoices"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Row-level security. What is stored here never changes.
select isolate('invoice_parties');
revoke update, delete on invoice_parties from kontor_books;

-- A trigger, so that issuing needs no further trip to the database, and invoices that processes of the previous version issue
-- have their parties, too. The parties of an export are in its own file.
create function freeze_parties() returns trigger language plpgsql as $$
begin
  if current_setting('kontor.imports_parties', true) = 'on' then
    return null;
  end if;
  insert into invoice_parties (tenant_id, id, seller, buyer)
  select new.tenant_id, new.id,
    (select to_jsonb(company) from companies as company where company.tenant_id = new.tenant_id),
    to_jsonb(customer)
  from customers as customer where customer.tenant_id = new.tenant_id and customer.id = new.customer_id;
  return null;
end
$$;

create trigger freeze_parties after insert on invoices for each row when (new.number is not null)
  execute function freeze_parties();
create trigger freeze_parties_later after update on invoices for each row when (old.number is null and new.number is not null)
  execute function freeze_parties();

-- The invoices that are issued already, as they stand.
do $$
begin
  alter table invoices no force row level security; -- for an owner who is no superuser
  alter table customers no force row level security;
  alter table companies no force row level security;
  alter table invoice_parties no force row level security;
  insert into invoice_parties (tenant_id, id, seller, buyer)
  select invoice.tenant_id, invoice.id,
    to_jsonb(company), to_jsonb(customer)
  from invoices as invoice
  join customers as customer on customer.tenant_id = invoice.tenant_id and customer.id = invoice.customer_id
  left join companies as company on company.tenant_id = invoice.tenant_id
  where invoice.number is not null;
  alter table invoices force row level security;
  alter table customers force row level security;
  alter table companies force row level security;
  alter table invoice_parties force row level security;
end
$$;
