-- The logos of company profiles.

-- AlterTable
ALTER TABLE "companies" ADD COLUMN     "logo_id" UUID;

-- CreateTable
CREATE TABLE "company_logos" (
    "tenant_id" UUID NOT NULL DEFAULT (NULLIF(current_setting('kontor.tenant_id'::text, true), ''::text))::uuid,
    "id" UUID NOT NULL,
    "sha256" BYTEA NOT NULL,
    "bytes" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "company_logos_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "company_logos_tenant_id_sha256_key" ON "company_logos"("tenant_id", "sha256");

-- AddForeignKey
ALTER TABLE "companies" ADD CONSTRAINT "companies_tenant_id_logo_id_fkey" FOREIGN KEY ("tenant_id", "logo_id") REFERENCES "company_logos"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- Row-level security. What is stored here never changes.
select isolate('company_logos');
revoke update, delete on company_logos from kontor_books;
