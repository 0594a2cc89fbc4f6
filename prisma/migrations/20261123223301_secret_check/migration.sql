-- A text that the first process encrypts with KONTOR_SECRET. Later processes must be able to read it.
create table secret_checks (
  id smallint primary key default 1,
  sealed bytea not null,
  constraint one_secret_check check (id = 1)
);
