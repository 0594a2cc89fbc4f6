-- CreateTable
CREATE TABLE "stored_answers" (
    "tenant_id" UUID NOT NULL DEFAULT (current_setting('kontor.tenant_id'::text))::uuid,
    "request" BYTEA NOT NULL,
    "body" BYTEA NOT NULL,
    "answer" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stored_answers_pkey" PRIMARY KEY ("tenant_id","request")
);

-- CreateIndex
CREATE INDEX "stored_answers_tenant_id_created_at_idx" ON "stored_answers"("tenant_id", "created_at");
