-- The day of the supply, which an invoice may name.

-- AlterTable
ALTER TABLE "invoices" ADD COLUMN     "delivery_date" DATE;

-- Documents of an issued invoice say it, so it never changes. A trigger of its own, because the other one is in use.
create trigger refuse_change_of_delivery_date before update on invoices for each row when (
  old.number is not null and current_user = 'kontor_books' and old.delivery_date is distinct from new.delivery_date
) execute function refuse_change_of_issued_invoice();
