-- What e-invoices say of a line.

-- AlterTable
ALTER TABLE "invoice_items" ADD COLUMN     "description" TEXT,
ADD COLUMN     "discount_percent" DECIMAL(5,2) NOT NULL DEFAULT 0,
ADD COLUMN     "exemption_reason" TEXT,
ADD COLUMN     "service_period_end" DATE,
ADD COLUMN     "service_period_start" DATE,
ADD COLUMN     "unit_code" TEXT,
ADD COLUMN     "vat_category" TEXT;


-- Rules of one row, held by the database too. Rows that are there have none of these values, and keep passing.
alter table invoice_items
  add constraint invoice_items_vat_category_known
    check (vat_category in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O')) not valid,
  add constraint invoice_items_vat_category_by_rate check ((vat_category = 'S') = (vat_rate > 0)) not valid,
  add constraint invoice_items_exemption_reason_by_category
    check (exemption_reason is null or coalesce(vat_category, '') in ('E', 'AE', 'K', 'G', 'O')) not valid,
  add constraint invoice_items_discount_percent check (discount_percent between 0 and 100) not valid,
  add constraint invoice_items_service_period_in_order check (service_period_end >= service_period_start) not valid;
