import type { Pool } from 'pg';
import { inTransaction } from '../connection/in-transaction.ts';
import type { LockWatch } from '../connection/lock-waits.ts';

// Row-level security that is forced holds for the owner of a table too. Citus copies a moved shard's rows online in the name of
// the owner, and could not write them. The policies of kontor_books hold meanwhile.

/** By name, the tables that isolate() has made: each has a policy for all commands, and is forced. */
const isolatedTables = (forced: boolean): string => `
  select c.oid::regclass::text as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relrowsecurity
    and c.relforcerowsecurity = ${forced}
    and exists (select from pg_policy where polrelid = c.oid and polname = 'tenant' and polcmd = '*')
  order by name`;

/** Lifts it from all tables of the books. */
export const liftSecurity = (pool: Pool, watch: LockWatch): Promise<string[]> =>
  alterAll(pool, watch, isolatedTables(true), 'no force');

/**
 * Forces it where it was lifted.
 * @returns the tables' names
 */
export const forceSecurity = (pool: Pool, watch: LockWatch): Promise<string[]> =>
  alterAll(pool, watch, isolatedTables(false), 'force');

async function alterAll(pool: Pool, watch: LockWatch, select: string, how: 'force' | 'no force'): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(select);
  const names = rows.map(({ name }) => name);
  // One by one: nobody waits for more than one table's shards.
  for (const name of names)
    await watch.retry(`${how} row level security of ${name}`, () =>
      inTransaction(pool, async (client) => {
        await client.query(`set local citus.propagate_set_commands = 'local'`);
        await client.query(`set local lock_timeout = ${watch.limits.waitMs}`);
        await client.query(`alter table ${name} ${how} row level security`);
      }),
    );
  return names;
}
