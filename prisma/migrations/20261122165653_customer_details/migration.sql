-- What invoices say of a customer, and by when they are to be paid.

-- AlterTable
ALTER TABLE "customers" ADD COLUMN     "buyer_reference" TEXT,
ADD COLUMN     "contact_name" TEXT,
ADD COLUMN     "electronic_address" TEXT,
ADD COLUMN     "electronic_address_scheme" TEXT,
ADD COLUMN     "language" TEXT,
ADD COLUMN     "payment_terms_days" INTEGER,
ADD COLUMN     "phone" TEXT;

-- Rules of one row, held by the database too. Rows that are there have neither.
alter table customers
  add constraint customers_electronic_address_has_scheme
    check ((electronic_address is null) = (electronic_address_scheme is null)) not valid,
  add constraint customers_payment_terms_within_a_year check (payment_terms_days between 0 and 365) not valid;
