-- Alone, because it runs outside a transaction. Lists are filtered by it, too.
create unique index concurrently credit_notes_tenant_id_external_id_key on credit_notes (tenant_id, external_id);
