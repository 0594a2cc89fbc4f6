-- Whether somebody proved that an account's address is theirs, and by whose invitation the account was made. Accounts that
-- were there before are of an unproven address: nothing tells how they were made.
-- No foreign keys: of a table that was there, a migration asks nothing more. Users and tenants are never deleted.
ALTER TABLE "users" ADD COLUMN "email_verified_at" TIMESTAMPTZ(3),
ADD COLUMN "invited_by" UUID,
ADD COLUMN "invited_to" UUID;
