-- The lines of an issued invoice, and what its documents say of it, never change. The domain refuses such changes. The
-- database refuses them as well, to the role of requests and jobs: a mistake in the domain is then an error, and no invoice
-- that differs from its documents.

-- Stable, so that it sees the invoices as they were before the statement. The statement that adds an issued invoice adds its
-- lines, too. A loop, so that each invoice is found by its primary key, however many lines the plan was made for. The lines of
-- an invoice come one after the other: it is asked for once.
create function refuse_lines_of_issued_invoices() returns trigger language plpgsql stable as $$
declare
  line record;
  checked uuid;
begin
  for line in select tenant_id, invoice_id from changed_lines loop
    continue when line.invoice_id = checked;
    checked := line.invoice_id;
    if exists (
      select from invoices where tenant_id = line.tenant_id and id = line.invoice_id and number is not null
    ) then
      raise exception 'Invoice % is issued: its lines can not change', line.invoice_id;
    end if;
  end loop;
  return null;
end
$$;

create trigger refuse_added_lines after insert on invoice_items referencing new table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_issued_invoices();
create trigger refuse_deleted_lines after delete on invoice_items referencing old table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_issued_invoices();
-- A line can be taken from an invoice, or moved to one.
create trigger refuse_changed_lines after update on invoice_items referencing old table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_issued_invoices();
create trigger refuse_moved_lines after update on invoice_items referencing new table as changed_lines
  for each statement when (current_user = 'kontor_books') execute function refuse_lines_of_issued_invoices();

create function refuse_change_of_issued_invoice() returns trigger language plpgsql as $$
begin
  raise exception 'Invoice % is issued: it can not change', old.id;
end
$$;

-- By row: a condition that is false costs nearly nothing. Payments, cancellation, and being overdue change other columns.
create trigger refuse_change_of_issued before update on invoices for each row when (
  old.number is not null and current_user = 'kontor_books' and (
    old.number, old.customer_id, old.invoice_date, old.due_date, old.subject, old.currency,
    old.total_net, old.total_vat, old.total_gross, old.issued_at
  ) is distinct from (
    new.number, new.customer_id, new.invoice_date, new.due_date, new.subject, new.currency,
    new.total_net, new.total_vat, new.total_gross, new.issued_at
  )
) execute function refuse_change_of_issued_invoice();
create trigger refuse_deletion_of_issued before delete on invoices for each row
  when (old.number is not null and current_user = 'kontor_books') execute function refuse_change_of_issued_invoice();
