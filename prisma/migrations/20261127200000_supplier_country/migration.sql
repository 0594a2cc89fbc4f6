-- The supplier's country for VAT, as it was when the receipt was booked: the boxes of VAT returns depend on it.
alter table receipts add column supplier_country text;

-- The country is that of schema/codes/vat-territory.ts: a VAT number of a member state counts more than the address. Receipts
-- that take something back have that of the other receipt. Those of an archive are in the file.
create function freeze_supplier_country() returns trigger language plpgsql as $$
declare
  taken_back uuid := coalesce(new.reversal_of, new.credited_receipt_id);
begin
  if new.status = 'draft' then
    new.supplier_country := null;
  elsif current_setting('kontor.imports_parties', true) is distinct from 'on' then
    new.supplier_country := case
      when taken_back is not null then (
        select supplier_country from receipts where tenant_id = new.tenant_id and id = taken_back
      )
      else (
        select case code when 'EL' then 'GR' when 'MC' then 'FR' else code end
        from (
          select case
            when prefix in (
              'AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'EL', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT', 'LU',
              'LV', 'MC', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'
            ) then prefix
            else country
          end as code
          from (
            select country, substring(upper(vat_id) from '^\s*([A-Z]{2})[\s.-]*[0-9A-Z]') as prefix from customers
            where tenant_id = new.tenant_id and id = new.supplier_id
          ) as supplier
        ) as supplier
      )
    end;
  end if;
  return new;
end
$$;

-- Those that are booked already. The owner has no tenant. Written out again, because a function that no trigger has is not yet on
-- the workers of a cluster.
alter table customers no force row level security;
alter table receipts no force row level security;
alter table changes no force row level security;
update receipts as receipt set supplier_country = supplier.country
from (
  select tenant_id, id, case code when 'EL' then 'GR' when 'MC' then 'FR' else code end as country
  from (
    select tenant_id, id, case
      when prefix in (
        'AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'EL', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT', 'LU',
        'LV', 'MC', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'
      ) then prefix
      else country
    end as code
    from (
      select tenant_id, id, country, substring(upper(vat_id) from '^\s*([A-Z]{2})[\s.-]*[0-9A-Z]') as prefix from customers
    ) as supplier
  ) as supplier
) as supplier
where supplier.tenant_id = receipt.tenant_id and supplier.id = receipt.supplier_id and receipt.status <> 'draft'
  and supplier.country is not null;
-- The triggers of the log and the feed, before the tables are altered again; also on the workers of a cluster.
set constraints all immediate;
select run_deferred_triggers() from (select distinct tenant_id from receipts where supplier_country is not null) as tenant;
alter table customers force row level security;
alter table receipts force row level security;
alter table changes force row level security;

create trigger freeze_supplier_country before insert on receipts for each row
  when (new.status <> 'draft' or new.supplier_country is not null) execute function freeze_supplier_country();
create trigger freeze_supplier_country_later before update on receipts for each row
  when (old.status = 'draft' and (new.status <> 'draft' or new.supplier_country is not null))
  execute function freeze_supplier_country();

drop trigger refuse_change_of_booked on receipts;
create trigger refuse_change_of_booked before update on receipts for each row when (
  old.status <> 'draft' and current_user = 'kontor_books' and (
    old.status = 'reversed' or new.status = 'draft' or (
      old.supplier_id, old.project_id, old.receipt_number, old.receipt_date, old.due_date, old.description, old.category,
      old.currency, old.amount_gross, old.vat_rate, old.vat_amount, old.amount_net, old.reversal_of, old.service_date,
      old.received_on, old.credited_receipt_id, old.amount_prepaid, old.supplier_country
    ) is distinct from (
      new.supplier_id, new.project_id, new.receipt_number, new.receipt_date, new.due_date, new.description, new.category,
      new.currency, new.amount_gross, new.vat_rate, new.vat_amount, new.amount_net, new.reversal_of, new.service_date,
      new.received_on, new.credited_receipt_id, new.amount_prepaid, new.supplier_country
    )
  )
) execute function refuse_change_of_booked_receipt();
