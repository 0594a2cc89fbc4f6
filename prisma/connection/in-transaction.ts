import type { Pool, PoolClient } from 'pg';

/** Runs `work` on one connection, in a transaction that is committed unless it fails. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    isBroken = false;
    return result;
  } finally {
    client.release(isBroken);
  }
}
