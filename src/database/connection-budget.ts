import type { Pool } from 'pg';
import type { Config } from '../config/config.ts';

/**
 * Compares the connections that this service may open with those that PostgreSQL has left.
 * @param processes how many processes this start has
 * @returns what to change, in one line; undefined if there are enough
 */
export async function findConnectionShortage(
  pool: Pool,
  { databaseConnections, databaseBooksConnections }: Pick<Config, 'databaseConnections' | 'databaseBooksConnections'>,
  processes: number,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ most: number; others: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
       (select count(*)::int from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()) as others`,
  );
  const [{ most, others } = { most: Infinity, others: 0 }] = rows;
  const own = processes * (databaseConnections + databaseBooksConnections);
  if (own + others <= most) return undefined;
  return (
    `This start may open ${own} connections to PostgreSQL, and ${others} are open already, of ${most} that max_connections allows: ` +
    'raise it, or lower DATABASE_CONNECTIONS and DATABASE_BOOKS_CONNECTIONS.'
  );
}
