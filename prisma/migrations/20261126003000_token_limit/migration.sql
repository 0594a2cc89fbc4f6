-- A token can have a limit of requests of its own; null is the installation's.
alter table api_tokens add column requests_per_minute integer;
