-- A webhook's secret can be rotated twice within 24 hours: then two former secrets are good beside the current one.
ALTER TABLE "webhooks" ADD COLUMN "earlier_secret" BYTEA,
ADD COLUMN "earlier_secret_until" TIMESTAMPTZ(3),
ADD COLUMN "signs_with_earlier" BOOLEAN NOT NULL DEFAULT false;
