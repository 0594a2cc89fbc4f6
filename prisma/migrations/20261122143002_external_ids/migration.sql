-- The ids of rows in the system that they were imported from.

-- AlterTable
ALTER TABLE "customers" ADD COLUMN     "external_id" TEXT;

-- AlterTable
ALTER TABLE "invoices" ADD COLUMN     "external_id" TEXT;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "external_id" TEXT;

-- AlterTable
ALTER TABLE "receipts" ADD COLUMN     "external_id" TEXT;

-- AlterTable
ALTER TABLE "time_entries" ADD COLUMN     "external_id" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "customers_tenant_id_external_id_key" ON "customers"("tenant_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "invoices_tenant_id_external_id_key" ON "invoices"("tenant_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "projects_tenant_id_external_id_key" ON "projects"("tenant_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "receipts_tenant_id_external_id_key" ON "receipts"("tenant_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "time_entries_tenant_id_external_id_key" ON "time_entries"("tenant_id", "external_id");
