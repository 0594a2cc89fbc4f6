-- The customer is read before the parties are inserted. On Citus, `insert … select` waits for each shard that is being moved, those of
-- other tenants too; `select` and `insert … values` wait for the tenant's own only.
create or replace function freeze_parties() returns trigger language plpgsql as $$
declare
  profile jsonb;
  buyer jsonb;
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
  buyer := (
    select to_jsonb(customer) from customers as customer
    where customer.tenant_id = new.tenant_id and customer.id = new.customer_id
  );
  if buyer is not null then
    insert into invoice_parties (tenant_id, id, seller, buyer) values (new.tenant_id, new.id, profile, buyer);
  end if;
  return null;
end
$$;
