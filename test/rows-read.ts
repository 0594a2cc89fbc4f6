import type { Client } from 'pg';
import { until } from './webhooks/receiver.ts';

/** How many rows and index entries of tables were read. PostgreSQL has counted those of a connection when that has ended. */
export async function rowsRead(reader: Client, tables: string[]): Promise<number> {
  const others = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend'`;
  await until(async () => (await reader.query(others)).rowCount === 0, 'the connections to be closed');
  const { rows } = await reader.query<{ read: number }>(
    `select (
      (select sum(seq_tup_read) from pg_stat_user_tables where relname = any ($1))
      + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = any ($1))
    )::float8 as read`,
    [tables],
  );
  return rows[0]?.read ?? NaN;
}
