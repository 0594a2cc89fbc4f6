-- Which request caused an event: for the audit log, for logs and for traces, from there to each attempt to deliver it.
alter table events add column request_id uuid, add column trace_parent text;
