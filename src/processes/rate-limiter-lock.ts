import { createConnection } from '../../prisma/connection/connection.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { withFallback } from '../security/rate-limit-fallback.ts';
import { createRateLimiter, memoryStore, postgresStore, type RateLimiter } from '../security/rate-limit.ts';

const lockKey = 0x73657276; // "serv"

/**
 * Creates the rate limiter of a process that serves HTTP, unless requests are not limited. Counting in memory is exact only with a single process: on the
 * embedded database, a process that counts in memory holds an exclusive lock, and those that count in PostgreSQL a shared one.
 *
 * @param alone whether this process tries to be the only one
 * @throws Error of one line when another process serves alone already
 */
export async function claimRateLimiter(
  config: Config,
  database: Database,
  alone: boolean,
): Promise<{ limiter: RateLimiter | undefined; release(): Promise<void> }> {
  const limit = config.rateLimitPerMinute;
  const limiter = (inMemory: boolean): RateLimiter | undefined => {
    if (limit === 0) return undefined;
    const store = inMemory ? memoryStore() : withFallback(postgresStore(database.pool), memoryStore());
    return createRateLimiter({ limit, store });
  };
  if (config.rateLimitStore === 'memory' || !database.embedded) {
    return { limiter: limiter(config.rateLimitStore === 'memory'), release: async () => {} };
  }

  const holder = createConnection({ connectionString: database.url });
  holder.on('error', () => {});
  await holder.connect();
  const take = async (lock: string): Promise<boolean> => {
    const { rows } = await holder.query<{ taken: boolean }>(`select ${lock}($1) as taken`, [lockKey]);
    return rows[0]?.taken === true;
  };
  const release = (): Promise<void> => holder.end();
  if (alone && config.rateLimitStore === null && (await take('pg_try_advisory_lock'))) {
    return { limiter: limiter(true), release };
  }
  if (await take('pg_try_advisory_lock_shared')) return { limiter: limiter(false), release };
  await release();
  throw new Error(
    `Another Kontor process serves ${config.dataDir} and counts requests in memory: stop it, or start both with RATE_LIMIT_STORE=postgres`,
  );
}
