-- Written by draft-migration.ts, but for the extensions here and everything after the last "AddForeignKey".

-- Trigram search on customers; btree_gin puts tenant_id into the same index.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- CreateEnum
CREATE TYPE "customer_type" AS ENUM ('customer', 'supplier');

-- CreateEnum
CREATE TYPE "invoice_status" AS ENUM ('draft', 'issued', 'paid', 'cancelled');

-- CreateEnum
CREATE TYPE "receipt_status" AS ENUM ('draft', 'booked', 'paid');

-- CreateEnum
CREATE TYPE "project_status" AS ENUM ('active', 'completed', 'archived');

-- CreateEnum
CREATE TYPE "match_status" AS ENUM ('unmatched', 'partially_matched', 'matched', 'ignored');

-- CreateTable
CREATE TABLE "tenants" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "country" TEXT NOT NULL,
    "default_currency" TEXT NOT NULL DEFAULT 'EUR',
    "timezone" TEXT NOT NULL DEFAULT 'UTC',
    "closed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "tenant_id" UUID,
    "name" TEXT NOT NULL,
    "abilities" TEXT[],
    "hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rate_limits" (
    "identity" TEXT NOT NULL,
    "hits" TIMESTAMPTZ(6)[],

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("identity")
);

-- CreateTable
CREATE TABLE "customers" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "type" "customer_type" NOT NULL,
    "company_name" TEXT NOT NULL,
    "email" TEXT,
    "address_line1" TEXT,
    "postal_code" TEXT,
    "city" TEXT,
    "country" TEXT,
    "vat_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customers_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "invoices" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "customer_id" UUID NOT NULL,
    "status" "invoice_status" NOT NULL DEFAULT 'draft',
    "number" TEXT,
    "invoice_date" DATE NOT NULL,
    "due_date" DATE NOT NULL,
    "subject" TEXT,
    "currency" TEXT NOT NULL,
    "total_net" DECIMAL(19,4) NOT NULL,
    "total_vat" DECIMAL(19,4) NOT NULL,
    "total_gross" DECIMAL(19,4) NOT NULL,
    "amount_paid" DECIMAL(19,4) NOT NULL DEFAULT 0,
    "issued_at" TIMESTAMPTZ(3),
    "paid_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invoices_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "invoice_items" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "quantity" DECIMAL(19,4) NOT NULL,
    "unit" TEXT,
    "unit_price_net" DECIMAL(19,4) NOT NULL,
    "vat_rate" DECIMAL(5,2) NOT NULL,
    "line_total_net" DECIMAL(19,4) NOT NULL,

    CONSTRAINT "invoice_items_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "invoice_sequences" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "year" INTEGER NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "invoice_sequences_pkey" PRIMARY KEY ("tenant_id","year")
);

-- CreateTable
CREATE TABLE "receipts" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "supplier_id" UUID,
    "project_id" UUID,
    "status" "receipt_status" NOT NULL DEFAULT 'draft',
    "receipt_number" TEXT,
    "receipt_date" DATE NOT NULL,
    "due_date" DATE,
    "description" TEXT,
    "category" TEXT,
    "currency" TEXT NOT NULL,
    "amount_gross" DECIMAL(19,4) NOT NULL,
    "vat_rate" DECIMAL(5,2) NOT NULL DEFAULT 0,
    "vat_amount" DECIMAL(19,4) NOT NULL,
    "amount_net" DECIMAL(19,4) NOT NULL,
    "amount_paid" DECIMAL(19,4) NOT NULL DEFAULT 0,
    "paid_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "receipts_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "projects" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "customer_id" UUID,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" "project_status" NOT NULL DEFAULT 'active',
    "hourly_rate_net" DECIMAL(19,4),
    "currency" TEXT NOT NULL,
    "budget_hours" DECIMAL(19,4),
    "start_date" DATE,
    "end_date" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "time_entries" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "invoice_id" UUID,
    "user_id" UUID NOT NULL,
    "date" DATE NOT NULL,
    "duration_minutes" INTEGER NOT NULL,
    "description" TEXT,
    "billable" BOOLEAN NOT NULL DEFAULT true,
    "hourly_rate_net" DECIMAL(19,4),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "time_entries_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "bank_transactions" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "external_id" TEXT,
    "account_iban" TEXT NOT NULL,
    "booking_date" DATE NOT NULL,
    "value_date" DATE,
    "amount" DECIMAL(23,5) NOT NULL,
    "currency" TEXT NOT NULL,
    "counterparty_name" TEXT,
    "counterparty_iban" TEXT,
    "reference" TEXT,
    "match_status" "match_status" NOT NULL DEFAULT 'unmatched',
    "amount_open" DECIMAL(23,5) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "bank_transactions_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "payments" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "invoice_id" UUID,
    "receipt_id" UUID,
    "bank_transaction_id" UUID,
    "amount" DECIMAL(19,4) NOT NULL,
    "paid_on" DATE NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "events" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_hash_key" ON "api_tokens"("hash");

-- CreateIndex
CREATE INDEX "api_tokens_user_id_idx" ON "api_tokens"("user_id");

-- CreateIndex
CREATE INDEX "api_tokens_tenant_id_idx" ON "api_tokens"("tenant_id");

-- CreateIndex
CREATE INDEX "customers_tenant_id_type_id_idx" ON "customers"("tenant_id", "type", "id");

-- CreateIndex
CREATE INDEX "customers_search_idx" ON "customers" USING GIN ("tenant_id" uuid_ops, "company_name" gin_trgm_ops, "email" gin_trgm_ops, "city" gin_trgm_ops, "vat_id" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "invoices_tenant_id_status_id_idx" ON "invoices"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "invoices_tenant_id_customer_id_id_idx" ON "invoices"("tenant_id", "customer_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "invoices_tenant_id_number_key" ON "invoices"("tenant_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_items_tenant_id_invoice_id_position_key" ON "invoice_items"("tenant_id", "invoice_id", "position");

-- CreateIndex
CREATE INDEX "receipts_tenant_id_status_id_idx" ON "receipts"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "receipts_tenant_id_supplier_id_idx" ON "receipts"("tenant_id", "supplier_id");

-- CreateIndex
CREATE INDEX "receipts_tenant_id_project_id_idx" ON "receipts"("tenant_id", "project_id");

-- CreateIndex
CREATE INDEX "projects_tenant_id_status_id_idx" ON "projects"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "projects_tenant_id_customer_id_idx" ON "projects"("tenant_id", "customer_id");

-- CreateIndex
CREATE INDEX "time_entries_tenant_id_date_id_idx" ON "time_entries"("tenant_id", "date", "id");

-- CreateIndex
CREATE INDEX "time_entries_tenant_id_project_id_id_idx" ON "time_entries"("tenant_id", "project_id", "id");

-- CreateIndex
CREATE INDEX "time_entries_tenant_id_invoice_id_idx" ON "time_entries"("tenant_id", "invoice_id");

-- CreateIndex
CREATE INDEX "bank_transactions_tenant_id_match_status_id_idx" ON "bank_transactions"("tenant_id", "match_status", "id");

-- CreateIndex
CREATE INDEX "payments_tenant_id_invoice_id_idx" ON "payments"("tenant_id", "invoice_id");

-- CreateIndex
CREATE INDEX "payments_tenant_id_receipt_id_idx" ON "payments"("tenant_id", "receipt_id");

-- CreateIndex
CREATE INDEX "payments_tenant_id_bank_transaction_id_idx" ON "payments"("tenant_id", "bank_transaction_id");

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_tenant_id_customer_id_fkey" FOREIGN KEY ("tenant_id", "customer_id") REFERENCES "customers"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_items" ADD CONSTRAINT "invoice_items_tenant_id_invoice_id_fkey" FOREIGN KEY ("tenant_id", "invoice_id") REFERENCES "invoices"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_tenant_id_supplier_id_fkey" FOREIGN KEY ("tenant_id", "supplier_id") REFERENCES "customers"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_tenant_id_project_id_fkey" FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_tenant_id_customer_id_fkey" FOREIGN KEY ("tenant_id", "customer_id") REFERENCES "customers"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_entries" ADD CONSTRAINT "time_entries_tenant_id_project_id_fkey" FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "time_entries" ADD CONSTRAINT "time_entries_tenant_id_invoice_id_fkey" FOREIGN KEY ("tenant_id", "invoice_id") REFERENCES "invoices"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_tenant_id_invoice_id_fkey" FOREIGN KEY ("tenant_id", "invoice_id") REFERENCES "invoices"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_tenant_id_receipt_id_fkey" FOREIGN KEY ("tenant_id", "receipt_id") REFERENCES "receipts"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_tenant_id_bank_transaction_id_fkey" FOREIGN KEY ("tenant_id", "bank_transaction_id") REFERENCES "bank_transactions"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma can't say.

-- Rate limits are worth nothing after a crash.
alter table rate_limits set unlogged;

-- Otherwise new customers wait for a vacuum in a list that every search reads from end to end.
alter index customers_search_idx set (fastupdate = off);

alter table invoices
  add constraint invoices_numbered_unless_draft check ((status = 'draft') = (number is null)),
  add constraint invoices_paid_within_total check (amount_paid between 0 and total_gross),
  add constraint invoices_paid_when_settled check (status <> 'paid' or amount_paid = total_gross),
  add constraint invoices_due_after_date check (due_date >= invoice_date);

alter table receipts
  add constraint receipts_paid_within_total check (amount_paid between 0 and amount_gross);

alter table payments
  add constraint payments_settle_one_thing check (num_nonnulls(invoice_id, receipt_id) = 1),
  add constraint payments_positive check (amount > 0);

alter table time_entries
  add constraint time_entries_within_a_day check (duration_minutes between 1 and 1440);

-- An event's job: neither can exist without the other. graphile-worker's own retries only have to outlast crashes;
-- what a delivery is worth trying is counted elsewhere.
create function add_fan_out_job() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job(
    'fan_out',
    json_build_object('tenantId', new.tenant_id, 'eventId', new.id),
    max_attempts => 1000
  );
  return null;
end
$$;

create trigger add_fan_out_job after insert on events for each row execute function add_fan_out_job();
