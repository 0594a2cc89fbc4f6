-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN "followed_until" TIMESTAMPTZ(3);
