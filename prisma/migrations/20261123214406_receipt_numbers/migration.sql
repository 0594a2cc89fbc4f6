-- Finds the receipts of a supplier with one number.
create index concurrently "receipts_tenant_id_supplier_id_receipt_number_idx" on "receipts" ("tenant_id", "supplier_id", "receipt_number");
