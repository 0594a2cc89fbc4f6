-- What lists are ordered by, narrowed by and searched by.

-- DropIndex
DROP INDEX "projects_tenant_id_customer_id_idx";

-- DropIndex
DROP INDEX "receipts_tenant_id_supplier_id_idx";

-- DropIndex
DROP INDEX "time_entries_tenant_id_invoice_id_idx";

-- CreateIndex
CREATE INDEX "bank_transactions_tenant_id_booking_date_id_idx" ON "bank_transactions"("tenant_id", "booking_date", "id");

-- CreateIndex
CREATE INDEX "bank_transactions_tenant_id_amount_id_idx" ON "bank_transactions"("tenant_id", "amount", "id");

-- CreateIndex
CREATE INDEX "bank_transactions_search_idx" ON "bank_transactions" USING GIN ("tenant_id" uuid_ops, "counterparty_name" gin_trgm_ops, "counterparty_iban" gin_trgm_ops, "reference" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "customers_tenant_id_company_name_id_idx" ON "customers"("tenant_id", "company_name", "id");

-- CreateIndex
CREATE INDEX "invoices_tenant_id_invoice_date_id_idx" ON "invoices"("tenant_id", "invoice_date", "id");

-- CreateIndex
CREATE INDEX "invoices_tenant_id_due_date_id_idx" ON "invoices"("tenant_id", "due_date", "id");

-- CreateIndex
CREATE INDEX "invoices_tenant_id_total_gross_id_idx" ON "invoices"("tenant_id", "total_gross", "id");

-- CreateIndex
CREATE INDEX "invoices_search_idx" ON "invoices" USING GIN ("tenant_id" uuid_ops, "number" gin_trgm_ops, "subject" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "projects_tenant_id_customer_id_id_idx" ON "projects"("tenant_id", "customer_id", "id");

-- CreateIndex
CREATE INDEX "projects_tenant_id_name_id_idx" ON "projects"("tenant_id", "name", "id");

-- CreateIndex
CREATE INDEX "projects_search_idx" ON "projects" USING GIN ("tenant_id" uuid_ops, "name" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "receipts_tenant_id_supplier_id_id_idx" ON "receipts"("tenant_id", "supplier_id", "id");

-- CreateIndex
CREATE INDEX "receipts_tenant_id_receipt_date_id_idx" ON "receipts"("tenant_id", "receipt_date", "id");

-- CreateIndex
CREATE INDEX "receipts_tenant_id_amount_gross_id_idx" ON "receipts"("tenant_id", "amount_gross", "id");

-- CreateIndex
CREATE INDEX "receipts_search_idx" ON "receipts" USING GIN ("tenant_id" uuid_ops, "receipt_number" gin_trgm_ops, "description" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "time_entries_tenant_id_invoice_id_id_idx" ON "time_entries"("tenant_id", "invoice_id", "id");

-- As customers_search_idx: what is new must not wait in a list that every search reads from end to end.
alter index invoices_search_idx set (fastupdate = off);
alter index receipts_search_idx set (fastupdate = off);
alter index projects_search_idx set (fastupdate = off);
alter index bank_transactions_search_idx set (fastupdate = off);
