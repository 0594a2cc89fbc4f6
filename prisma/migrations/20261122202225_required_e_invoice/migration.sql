-- The format of e-invoices that invoices must have to be issued: of the company profile, and of a customer.

-- CreateEnum
CREATE TYPE "required_e_invoice" AS ENUM ('none', 'xrechnung-cii', 'xrechnung-ubl', 'peppol', 'factur-x');

-- AlterTable
ALTER TABLE "companies" ADD COLUMN     "required_e_invoice" "required_e_invoice";

-- AlterTable
ALTER TABLE "customers" ADD COLUMN     "required_e_invoice" "required_e_invoice";
