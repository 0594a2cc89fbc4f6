-- CreateEnum
CREATE TYPE "delivery_kind" AS ENUM ('event', 'ping', 'redelivery');

-- CreateEnum
CREATE TYPE "delivery_state" AS ENUM ('waiting', 'delivered', 'failed', 'set_aside');

-- AlterTable
ALTER TABLE "bank_transactions" ADD COLUMN     "identity" TEXT;

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "fanned_out_at" TIMESTAMPTZ(3),
ADD COLUMN     "resource_id" UUID;

-- AlterTable
ALTER TABLE "invoices" ADD COLUMN     "overdue_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "webhooks" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "slot" INTEGER,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "events" TEXT[],
    "secret" BYTEA NOT NULL,
    "previous_secret" BYTEA,
    "previous_secret_until" TIMESTAMPTZ(3),
    "signs_with_previous" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "consecutive_failures" INTEGER NOT NULL DEFAULT 0,
    "disabled_at" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "last_failure_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "kind" "delivery_kind" NOT NULL DEFAULT 'event',
    "state" "delivery_state" NOT NULL DEFAULT 'waiting',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER,
    "request_headers" JSONB NOT NULL,
    "status" INTEGER,
    "response_headers" JSONB,
    "response_body" BYTEA,
    "error" TEXT,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("tenant_id","delivery_id","number")
);

-- CreateTable
CREATE TABLE "workers" (
    "id" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "webhooks_tenant_id_slot_key" ON "webhooks"("tenant_id", "slot");

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_webhook_id_state_id_idx" ON "deliveries"("tenant_id", "webhook_id", "state", "id");

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_event_id_idx" ON "deliveries"("tenant_id", "event_id");

-- CreateIndex
CREATE INDEX "deliveries_created_at_idx" ON "deliveries"("created_at");

-- CreateIndex
CREATE INDEX "bank_transactions_tenant_id_counterparty_iban_idx" ON "bank_transactions"("tenant_id", "counterparty_iban");

-- CreateIndex
CREATE UNIQUE INDEX "bank_transactions_tenant_id_identity_key" ON "bank_transactions"("tenant_id", "identity");

-- CreateIndex
CREATE INDEX "events_tenant_id_resource_id_id_idx" ON "events"("tenant_id", "resource_id", "id");

-- CreateIndex
CREATE INDEX "events_created_at_idx" ON "events"("created_at");

-- CreateIndex
CREATE INDEX "invoices_tenant_id_status_due_date_idx" ON "invoices"("tenant_id", "status", "due_date");

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_tenant_id_webhook_id_fkey" FOREIGN KEY ("tenant_id", "webhook_id") REFERENCES "webhooks"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_tenant_id_event_id_fkey" FOREIGN KEY ("tenant_id", "event_id") REFERENCES "events"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_tenant_id_delivery_id_fkey" FOREIGN KEY ("tenant_id", "delivery_id") REFERENCES "deliveries"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma can't say.

-- A ping is planned by the user who asks for it; every other event is fanned out by its job.
drop trigger add_fan_out_job on events;
create trigger add_fan_out_job after insert on events for each row
  when (new.type <> 'webhook.ping') execute function add_fan_out_job();

-- A delivery's job: it only says "look at this delivery then". Whatever sets the time adds it, in the same transaction.
create function add_deliver_job() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job(
    'deliver',
    json_build_object('tenantId', new.tenant_id, 'webhookId', new.webhook_id, 'deliveryId', new.id),
    run_at => new.next_attempt_at,
    max_attempts => 1000
  );
  return null;
end
$$;

create trigger add_deliver_job after insert or update of next_attempt_at on deliveries for each row
  when (new.state = 'waiting' and new.next_attempt_at is not null) execute function add_deliver_job();

alter table deliveries
  add constraint deliveries_planned_while_waiting check ((state = 'waiting') = (next_attempt_at is not null)),
  add constraint deliveries_finished_unless_waiting check ((state = 'waiting') = (finished_at is null));
