-- The seller's electronic address and registration number, each with its scheme.

-- AlterTable
ALTER TABLE "companies" ADD COLUMN     "electronic_address" TEXT,
ADD COLUMN     "electronic_address_scheme" TEXT,
ADD COLUMN     "registration_number" TEXT,
ADD COLUMN     "registration_number_scheme" TEXT;

-- Rules of one row, held by the database too. Rows that are there have neither.
alter table companies
  add constraint companies_electronic_address_has_scheme
    check ((electronic_address is null) = (electronic_address_scheme is null)) not valid,
  add constraint companies_registration_number_has_scheme
    check ((registration_number is null) = (registration_number_scheme is null)) not valid;
