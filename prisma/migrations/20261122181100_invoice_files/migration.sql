-- The files of issued invoices, and their proofs.

-- CreateTable
CREATE TABLE "invoice_files" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "format" TEXT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "bytes" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invoice_files_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "document_proofs" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "invoice_id" UUID NOT NULL,
    "content" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "document_proofs_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "invoice_files_tenant_id_invoice_id_format_key" ON "invoice_files"("tenant_id", "invoice_id", "format");

-- CreateIndex
CREATE UNIQUE INDEX "document_proofs_tenant_id_position_key" ON "document_proofs"("tenant_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "document_proofs_tenant_id_invoice_id_key" ON "document_proofs"("tenant_id", "invoice_id");

-- AddForeignKey
ALTER TABLE "invoice_files" ADD CONSTRAINT "invoice_files_tenant_id_invoice_id_fkey" FOREIGN KEY ("tenant_id", "invoice_id") REFERENCES "invoices"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "document_proofs" ADD CONSTRAINT "document_proofs_tenant_id_invoice_id_fkey" FOREIGN KEY ("tenant_id", "invoice_id") REFERENCES "invoices"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Row-level security, row counts for lists, and the change feed
select isolate('invoice_files');
select isolate('document_proofs');

-- What is stored here never changes.
revoke update, delete on invoice_files, document_proofs from kontor_books;
