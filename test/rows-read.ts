import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { createDatabase, startService, type Service } from './harness.ts';
import { until } from './webhooks/receiver.ts';

/**
 * Starts a service with a database of a test's own, to count the rows of tables that are read. PostgreSQL makes no statistics of these
 * tables by itself.
 */
export async function startCounted(tables: string[]): Promise<{ service: Service; reader: Client }> {
  const database = await createDatabase();
  const service = await startService({ database });
  const reader = new Client({ connectionString: database.url });
  await reader.connect();
  onTestFinished(async () => {
    await reader.end();
    await database.drop();
  });
  for (const table of tables) await reader.query(`alter table ${table} set (autovacuum_enabled = false)`);
  return { service, reader };
}

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
