-- The version of each resource, which a change can expect. A trigger counts, so that no change is left out, whoever makes
-- it: also processes of the previous version.

-- AlterTable
ALTER TABLE "customers" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "invoices" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "receipts" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "time_entries" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "bank_transactions" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

create function count_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end
$$;

create trigger count_version before update on customers for each row execute function count_version();
create trigger count_version before update on invoices for each row execute function count_version();
create trigger count_version before update on receipts for each row execute function count_version();
create trigger count_version before update on projects for each row execute function count_version();
create trigger count_version before update on time_entries for each row execute function count_version();
create trigger count_version before update on bank_transactions for each row execute function count_version();
