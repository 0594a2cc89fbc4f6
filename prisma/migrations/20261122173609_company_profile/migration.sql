-- What documents say of the seller. A tenant has one such row, or none.

-- CreateTable
CREATE TABLE "companies" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "legal_name" TEXT NOT NULL,
    "address_line1" TEXT,
    "address_line2" TEXT,
    "postal_code" TEXT,
    "city" TEXT,
    "country" TEXT,
    "vat_id" TEXT,
    "tax_number" TEXT,
    "register_entry" TEXT,
    "contact_name" TEXT,
    "phone" TEXT,
    "email" TEXT,
    "iban" TEXT,
    "bic" TEXT,
    "payment_terms_days" INTEGER,
    "default_vat_rate" DECIMAL(5,2),
    "footer" TEXT,
    "language" TEXT,
    "accent_color" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "companies_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "companies_tenant_id_key" ON "companies"("tenant_id");

-- Row-level security
select isolate('companies');

create trigger count_version before update on companies for each row execute function count_version();

alter table companies
  add constraint companies_payment_terms_within_a_year check (payment_terms_days between 0 and 365),
  add constraint companies_vat_rate_percent check (default_vat_rate between 0 and 100);
