create unique index concurrently document_proofs_tenant_id_receipt_id_key on document_proofs (tenant_id, receipt_id);
