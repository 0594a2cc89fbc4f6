-- Credit notes have an id in another system, as all other resources do.
alter table credit_notes add column external_id text;
