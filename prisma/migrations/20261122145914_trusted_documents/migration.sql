-- GraphQL documents that front ends' builds have registered, and tokens that are limited to them.

-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "trusted_documents" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "trusted_documents" (
    "id" UUID NOT NULL,
    "tenant_id" UUID,
    "hash" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "trusted_documents_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "trusted_documents_tenant_id_idx" ON "trusted_documents"("tenant_id");

-- Documents of the installation have no tenant: a hash is unique among them as well.

-- CreateIndex
CREATE UNIQUE INDEX "trusted_documents_hash_tenant_id_key" ON "trusted_documents"("hash", "tenant_id") NULLS NOT DISTINCT;

-- AddForeignKey
ALTER TABLE "trusted_documents" ADD CONSTRAINT "trusted_documents_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE CASCADE ON UPDATE CASCADE;
