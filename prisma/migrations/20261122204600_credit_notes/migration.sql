-- Credit notes: documents that take back all or part of an invoice, and the refunds of what was paid of it.

-- DropIndex
DROP INDEX "invoices_due_idx";

-- DropIndex
DROP INDEX "payments_paid_idx";

-- AlterTable
ALTER TABLE "document_proofs" ADD COLUMN     "credit_note_id" UUID,
ALTER COLUMN "invoice_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "invoice_files" ADD COLUMN     "credit_note_id" UUID,
ALTER COLUMN "invoice_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "invoices" ADD COLUMN     "amount_credited" DECIMAL(19,4) NOT NULL DEFAULT 0,
ADD COLUMN     "amount_refunded" DECIMAL(19,4) NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "payments" ADD COLUMN     "credit_note_id" UUID;

-- CreateTable
CREATE TABLE "credit_notes" (
    "tenant_id" UUID NOT NULL DEFAULT (NULLIF(current_setting('kontor.tenant_id'::text, true), ''::text))::uuid,
    "id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "customer_id" UUID NOT NULL,
    "number" TEXT NOT NULL,
    "credit_note_date" DATE NOT NULL,
    "reason" TEXT,
    "is_cancellation" BOOLEAN NOT NULL DEFAULT false,
    "currency" TEXT NOT NULL,
    "total_net" DECIMAL(19,4) NOT NULL,
    "total_vat" DECIMAL(19,4) NOT NULL,
    "total_gross" DECIMAL(19,4) NOT NULL,
    "vat_breakdown" JSONB NOT NULL,
    "amount_refunded" DECIMAL(19,4) NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "search_text" TEXT GENERATED ALWAYS AS (search_line(number) || E'\n' || search_line(reason)) STORED,

    CONSTRAINT "credit_notes_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "credit_note_items" (
    "tenant_id" UUID NOT NULL DEFAULT (NULLIF(current_setting('kontor.tenant_id'::text, true), ''::text))::uuid,
    "id" UUID NOT NULL,
    "credit_note_id" UUID NOT NULL,
    "invoice_item_id" UUID,
    "position" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "quantity" DECIMAL(19,4) NOT NULL,
    "unit" TEXT,
    "unit_price_net" DECIMAL(19,4) NOT NULL,
    "vat_rate" DECIMAL(5,2) NOT NULL,
    "line_total_net" DECIMAL(19,4) NOT NULL,
    "vat_category" TEXT NOT NULL,
    "exemption_reason" TEXT,
    "unit_code" TEXT NOT NULL,
    "description" TEXT,
    "discount_percent" DECIMAL(5,2) NOT NULL DEFAULT 0,
    "service_period_start" DATE,
    "service_period_end" DATE,

    CONSTRAINT "credit_note_items_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "credit_note_sequences" (
    "tenant_id" UUID NOT NULL DEFAULT (NULLIF(current_setting('kontor.tenant_id'::text, true), ''::text))::uuid,
    "year" INTEGER NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "credit_note_sequences_pkey" PRIMARY KEY ("tenant_id","year")
);

-- CreateIndex
CREATE INDEX "credit_notes_tenant_id_updated_at_idx" ON "credit_notes"("tenant_id", "updated_at");

-- CreateIndex
CREATE INDEX "credit_notes_tenant_id_invoice_id_id_idx" ON "credit_notes"("tenant_id", "invoice_id", "id");

-- CreateIndex
CREATE INDEX "credit_notes_tenant_id_customer_id_id_idx" ON "credit_notes"("tenant_id", "customer_id", "id");

-- CreateIndex
CREATE INDEX "credit_notes_dated_idx" ON "credit_notes"("tenant_id", "credit_note_date", "id", "invoice_id", "currency", "total_gross");

-- CreateIndex
CREATE INDEX "credit_notes_tenant_id_total_gross_id_idx" ON "credit_notes"("tenant_id", "total_gross", "id");

-- CreateIndex
CREATE INDEX "credit_notes_search_idx" ON "credit_notes" USING GIN ("tenant_id" uuid_ops, "search_text" gin_trgm_ops)
  WITH (gin_pending_list_limit = 1024);

-- CreateIndex
CREATE UNIQUE INDEX "credit_notes_tenant_id_number_key" ON "credit_notes"("tenant_id", "number");

-- CreateIndex
CREATE INDEX "credit_note_items_tenant_id_invoice_item_id_idx" ON "credit_note_items"("tenant_id", "invoice_item_id");

-- CreateIndex
CREATE UNIQUE INDEX "credit_note_items_tenant_id_credit_note_id_position_key" ON "credit_note_items"("tenant_id", "credit_note_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "document_proofs_tenant_id_credit_note_id_key" ON "document_proofs"("tenant_id", "credit_note_id");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_files_tenant_id_credit_note_id_format_key" ON "invoice_files"("tenant_id", "credit_note_id", "format");

-- CreateIndex
CREATE INDEX "invoices_due_idx" ON "invoices"("tenant_id", "status", "due_date", "currency", "total_gross", "amount_paid", "amount_credited", "amount_refunded");

-- CreateIndex
CREATE INDEX "payments_tenant_id_credit_note_id_idx" ON "payments"("tenant_id", "credit_note_id");

-- CreateIndex
CREATE INDEX "payments_paid_idx" ON "payments"("tenant_id", "paid_on", "invoice_id", "credit_note_id", "currency", "amount");

-- AddForeignKey
ALTER TABLE "invoice_files" ADD CONSTRAINT "invoice_files_tenant_id_credit_note_id_fkey" FOREIGN KEY ("tenant_id", "credit_note_id") REFERENCES "credit_notes"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "document_proofs" ADD CONSTRAINT "document_proofs_tenant_id_credit_note_id_fkey" FOREIGN KEY ("tenant_id", "credit_note_id") REFERENCES "credit_notes"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_notes" ADD CONSTRAINT "credit_notes_tenant_id_invoice_id_fkey" FOREIGN KEY ("tenant_id", "invoice_id") REFERENCES "invoices"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_notes" ADD CONSTRAINT "credit_notes_tenant_id_customer_id_fkey" FOREIGN KEY ("tenant_id", "customer_id") REFERENCES "customers"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_note_items" ADD CONSTRAINT "credit_note_items_tenant_id_credit_note_id_fkey" FOREIGN KEY ("tenant_id", "credit_note_id") REFERENCES "credit_notes"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_note_items" ADD CONSTRAINT "credit_note_items_tenant_id_invoice_item_id_fkey" FOREIGN KEY ("tenant_id", "invoice_item_id") REFERENCES "invoice_items"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_tenant_id_credit_note_id_fkey" FOREIGN KEY ("tenant_id", "credit_note_id") REFERENCES "credit_notes"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- Row-level security, row counts for lists, and the change feed
select isolate('credit_notes');
select isolate('credit_note_items');
select isolate('credit_note_sequences');
select tally('credit_notes');
select track_changes('credit_notes', 'credit_note');

-- What a document says never changes. Only what is refunded of it does.
revoke update, delete on credit_note_items from kontor_books;
revoke update, delete on credit_notes from kontor_books;
grant update (amount_refunded, updated_at, version) on credit_notes to kontor_books;

create trigger count_version before update on credit_notes for each row execute function count_version();

-- A credit note answers what is still to be refunded, which depends on what is due of its invoice. Whoever changes that holds the
-- lock of the invoice, so the changes of its credit notes are in the order of the commits.
create function record_credit_note_change() returns trigger language plpgsql as $$
begin
  update changes set position = next_change_position(new.tenant_id), changed_at = clock_timestamp()
  where tenant_id = new.tenant_id and resource = 'credit_note' and not deleted
    and id in (select id from credit_notes where tenant_id = new.tenant_id and invoice_id = new.id);
  if found and are_changes_watched(new.tenant_id) then
    perform pg_notify('changes', new.tenant_id || ' credit_note');
  end if;
  return null;
end
$$;

create constraint trigger record_credit_note_change after update on invoices deferrable initially deferred for each row
  when (
    old.amount_credited > 0
    and (old.amount_paid, old.amount_credited, old.amount_refunded)
      is distinct from (new.amount_paid, new.amount_credited, new.amount_refunded)
  )
  execute function record_credit_note_change();

-- Rules of one row, held by the database too.
alter table credit_notes
  add constraint credit_notes_total_is_net_and_vat check (total_gross = total_net + total_vat),
  add constraint credit_notes_total_not_negative check (total_gross >= 0),
  add constraint credit_notes_refunded_within_total check (amount_refunded between 0 and total_gross);

alter table credit_note_items
  add constraint credit_note_items_quantity_not_zero check (quantity <> 0),
  add constraint credit_note_items_vat_rate_percent check (vat_rate between 0 and 100),
  add constraint credit_note_items_vat_category_known check (vat_category in ('S', 'Z', 'E', 'AE', 'K', 'G', 'O')),
  add constraint credit_note_items_vat_category_by_rate check ((vat_category = 'S') = (vat_rate > 0)),
  add constraint credit_note_items_discount_percent check (discount_percent between 0 and 100);

-- Of new columns, which previous versions leave as they are.
alter table invoices
  add constraint invoices_credited_within_total check (amount_credited between 0 and total_gross) not valid,
  add constraint invoices_refunded_within_credited check (amount_refunded between 0 and amount_credited) not valid;
alter table invoice_files
  add constraint invoice_files_of_one_document check (num_nonnulls(invoice_id, credit_note_id) = 1) not valid;
alter table document_proofs
  add constraint document_proofs_of_one_document check (num_nonnulls(invoice_id, credit_note_id) = 1) not valid;

-- These were stricter. So all rows satisfy them, and need not be looked at.
alter table invoices
  drop constraint invoices_paid_when_settled,
  add constraint invoices_paid_when_settled
    check (status <> 'paid' or total_gross - amount_credited - amount_paid + amount_refunded <= 0) not valid;
alter table payments
  drop constraint payments_settle_one_thing,
  add constraint payments_settle_one_thing check (num_nonnulls(invoice_id, receipt_id, credit_note_id) = 1) not valid;
