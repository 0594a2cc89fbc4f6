-- A payment that is deleted with its tenant looks for the payments that were recorded with it: without an index, among all of them.
create index concurrently payments_recorded_with_idx on payments (tenant_id, recorded_with) where recorded_with is not null;
