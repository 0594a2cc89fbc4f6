-- A logo that the profile has no more is deleted, unless documents show it.

-- Those that are stored already may be on documents: the job check_logos looks.
alter table company_logos add column is_on_documents boolean not null default true;
alter table company_logos alter column is_on_documents set default false;
grant delete, update (is_on_documents) on company_logos to kontor_books;

-- Marks the logo before the parties are stored. Whoever deletes it at the same time waits then, and sees the mark. If it is gone
-- already, the profile that is read again has another one, or none.
create or replace function freeze_parties() returns trigger language plpgsql as $$
declare
  profile jsonb;
  logo uuid;
begin
  if current_setting('kontor.imports_parties', true) = 'on' then
    return null;
  end if;
  loop
    profile := (select to_jsonb(company) from companies as company where company.tenant_id = new.tenant_id);
    logo := profile ->> 'logo_id';
    exit when logo is null;
    update company_logos set is_on_documents = true
    where tenant_id = new.tenant_id and id = logo and not is_on_documents;
    exit when found or exists (select from company_logos where tenant_id = new.tenant_id and id = logo);
  end loop;
  insert into invoice_parties (tenant_id, id, seller, buyer)
  select new.tenant_id, new.id, profile, to_jsonb(customer)
  from customers as customer where customer.tenant_id = new.tenant_id and customer.id = new.customer_id;
  return null;
end
$$;
