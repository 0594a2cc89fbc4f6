-- How far the backfills of migrations are (prisma/backfills.ts). A job fills rows in batches, each in one transaction with its
-- progress.
create table backfills (
  name text not null primary key,
  table_name text not null,
  current_tenant uuid,
  last_id uuid,
  rows bigint not null default 0,
  error text,
  started_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  finished_at timestamptz(3)
);
