-- An invoice with very many lines is added by several statements of a transaction, and so are those of an import. So the
-- transaction that wrote an invoice may add lines to it: age() is above 0 for rows of earlier transactions.
create or replace function refuse_lines_of_issued_invoices() returns trigger language plpgsql stable as $$
declare
  line record;
  checked uuid;
begin
  for line in select tenant_id, invoice_id from changed_lines loop
    continue when line.invoice_id = checked;
    checked := line.invoice_id;
    if exists (
      select from invoices where tenant_id = line.tenant_id and id = line.invoice_id and number is not null
        and (tg_op <> 'INSERT' or age(xmin) > 0)
    ) then
      raise exception 'Invoice % is issued: its lines can not change', line.invoice_id;
    end if;
  end loop;
  return null;
end
$$;
