create unique index concurrently payments_tenant_id_external_id_key on payments (tenant_id, external_id);
