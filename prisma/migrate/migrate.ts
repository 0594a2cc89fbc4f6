import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import type { ClientBase, Pool } from 'pg';
import { takeAdvisoryLock } from '../connection/advisory-lock.ts';
import { recordBaseline } from './before-baseline.ts';
import { ConnectionPool } from '../connection/connection.ts';
import { moveTenant, type Move } from '../distribute/move-tenant.ts';
import { distributeBooks } from '../distribute/distribute.ts';
import { hasCitus, isDistributed } from '../distribute/distributed.ts';
import { declareLeakproof, findMissingLeakproof } from './leakproof.ts';
import { LockWatch } from '../connection/lock-waits.ts';
import { liftTimeouts, replaceBrokenConnections } from '../connection/pool-options.ts';
import type { Migration } from './schema-engine.ts';
import { findCountedTables, ignoreTenantSizes } from './tenant-statistics.ts';

const folder = new URL('../migrations/', import.meta.url);

// Arbitrary numbers that nothing else in the database uses as advisory locks.
/** Who has it alone may change the schema. Who shares it keeps others from that. */
const migrationLock = 0x6b6f6e74;
/** Is held by who has the other lock alone, or waits for it: nobody begins to share that meanwhile. */
const turnLock = 0x7475726e; // "turn"

/** The queue's migrations. Its package exports no list of them. */
const queueFolder = new URL('../sql/', import.meta.resolve('graphile-worker'));

/**
 * Applies pending migrations to the database at `url`: Prisma's, then those of graphile-worker's own schema. Several
 * processes may call it at once: one applies them while the others wait, and then find none pending. Where nothing is pending,
 * it waits for nobody. `url` must lead to PostgreSQL itself or a pooler in session mode, as a role that may create tables.
 *
 * @param report receives a line for each step
 * @param superuserUrl the same database as a superuser, where the caller has one: see declareLeakproof
 * @param last the name of the last migration to apply, for a backup of an earlier version; by default all are applied
 * @returns the names of the migrations applied, oldest first
 * @throws Error of one line: which migration failed, and PostgreSQL's reason. The migration is rolled back; the next call
 *   retries it.
 */
export async function migrate(
  url: string,
  report: (line: string) => void = () => {},
  { superuserUrl, last }: { superuserUrl?: string | undefined; last?: string | undefined } = {},
): Promise<string[]> {
  return await withPool(url, async (pool) => {
    const isNeeded = async (): Promise<boolean> => !(await isUpToDate(pool, last));
    const apply = async (): Promise<string[]> => {
      const applied = await applyPending(url, pool, report, last);
      await migrateQueue(url, new LockWatch(pool, report));
      await declareLeakproof(pool, report, superuserUrl);
      await ignoreTenantSizes(pool);
      // A migration may have added a table of the books.
      if (last === undefined && (await hasCitus(pool)) && (await isDistributed(pool)))
        await distributeBooks(pool, report);
      return applied;
    };
    if (!(await isNeeded())) return [];
    // While this one waits, another process may do it.
    return await withMigrationLock(pool, report, (isHeld) => (isHeld ? apply() : []), isNeeded);
  });
}

/**
 * Whether migrate() has nothing to do. It takes no lock, so that a start doesn't wait for a backup: each of these is committed
 * once it is done, and none is undone.
 */
async function isUpToDate(pool: Pool, last: string | undefined): Promise<boolean> {
  if ((await pendingMigrations(pool)).some((name) => isWanted(name, last))) return false;
  if (!(await isQueueUpToDate(pool)) || (await findMissingLeakproof(pool)) !== '') return false;
  if ((await findCountedTables(pool)).length > 0) return false;
  // There, an earlier call may have been ended half-way.
  return last !== undefined || !((await hasCitus(pool)) && (await isDistributed(pool)));
}

async function isQueueUpToDate(pool: Pool): Promise<boolean> {
  const newest = Math.max(...(await readdir(queueFolder)).map((name) => Number.parseInt(name, 10)));
  const {
    rows: [found],
  } = await pool.query<{ history: string | null }>(`select to_regclass('graphile_worker.migrations') as history`);
  if (!found?.history) return false;
  const { rows } = await pool.query<{ id: number | null }>('select max(id) as id from graphile_worker.migrations');
  return rows[0]?.id === newest; // what a later version left is for graphile-worker to judge
}

/**
 * Keeps migrations away from the database until the session's end. It begins after a migration that already waits: else
 * sessions which follow each other could keep that away for ever.
 */
export async function keepMigrationsAway(session: ClientBase): Promise<void> {
  await takeAdvisoryLock(session, turnLock, { mode: '_shared' });
  await takeAdvisoryLock(session, migrationLock, { mode: '_shared' });
  await session.query(`select pg_advisory_unlock_shared(${turnLock})`);
}

/**
 * Distributes the books over the workers of the Citus cluster whose coordinator is at `url`. The role must own the tables.
 *
 * @param report receives a line for each step
 * @param shards into how many parts each table is split; ignored where tables are distributed already
 * @returns how many steps were done: none if nothing was left to do
 * @throws Error of one line: what is missing, or PostgreSQL's reason. The next call continues where this one stopped.
 */
export async function distribute(url: string, report: (line: string) => void, shards?: number): Promise<number> {
  return await withPool(url, (pool) =>
    withMigrationLock(pool, report, async () => {
      const pending = await pendingMigrations(pool);
      if (pending.length > 0) throw new Error(`Migrations are missing: ${pending.join(', ')}. Run migrate first.`);
      const steps = await distributeBooks(pool, report, shards);
      await declareLeakproof(pool, report);
      return steps;
    }),
  );
}

/**
 * Moves a tenant to another worker of the cluster whose coordinator is at `url`, as moveTenant() does, while no other process
 * migrates, distributes or moves.
 */
export const moveToWorker = (
  url: string,
  move: Move,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<boolean> =>
  withPool(url, (pool) => withMigrationLock(pool, report, () => moveTenant(pool, move, report, signal)));

/** Applies graphile-worker's migrations, each of which is a transaction. They wait for locks as ours do. */
async function migrateQueue(url: string, watch: LockWatch): Promise<void> {
  const pool = new ConnectionPool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 0,
    onConnect: async (client) => {
      await liftTimeouts(client);
      await client.query(`set lock_timeout = ${watch.limits.waitMs}`);
    },
  });
  replaceBrokenConnections(pool);
  try {
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    const what = "the queue's migration";
    await watch.during(what, rows[0]?.pid ?? 0, () => watch.retry(what, () => runMigrations({ pgPool: pool })));
  } finally {
    await pool.end();
  }
}

/**
 * Runs `work` while no other process migrates or distributes the database, or keeps migrations away.
 * @param isNeeded is asked during a wait. Once it says no, `work` runs without the lock, and is told so
 */
async function withMigrationLock<T>(
  pool: Pool,
  report: (line: string) => void,
  work: (isHeld: boolean) => T | Promise<T>,
  isNeeded?: () => Promise<boolean>,
): Promise<T> {
  const holder = await pool.connect();
  const options = {
    onWait: (holders: string) => report(`migrations wait for ${holders}`),
    ...(isNeeded && { isNeeded }),
  };
  try {
    const hasTurn = await takeAdvisoryLock(holder, turnLock, options);
    return await work(hasTurn && (await takeAdvisoryLock(holder, migrationLock, options)));
  } finally {
    holder.release(true); // the locks go with the connection
  }
}

async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const options = { connectionString: url, max: 3, application_name: 'kontor migrate' };
  const pool = new ConnectionPool({ ...options, onConnect: liftTimeouts });
  replaceBrokenConnections(pool);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

const isWanted = (name: string, last: string | undefined): boolean => last === undefined || name <= last;

async function applyPending(
  url: string,
  pool: Pool,
  report: (line: string) => void,
  last: string | undefined,
): Promise<string[]> {
  const findPending = async (): Promise<string[]> =>
    (await pendingMigrations(pool)).filter((name) => isWanted(name, last));
  let pending = await findPending();
  if (pending.length === 0) return [];
  const wanted = (await migrations()).filter(({ name }) => isWanted(name, last));
  if (await recordBaseline(pool, wanted)) {
    report('a database from before 1.0.0: it has the schema of the baseline');
    pending = await findPending();
  }
  if (pending.length === 0) return [];
  report(`applying ${pending.join(', ')}`);
  const { applyMigrations } = await import('./schema-engine.ts'); // 5 MB of WebAssembly that most starts don't need
  return await applyMigrations(url, wanted, { report });
}

/**
 * The names of the migrations that the database hasn't finished, oldest first; those that failed, were cut short or
 * rolled back among them. The pool's role must be allowed to read `_prisma_migrations`.
 */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const names = await migrationNames();
  const finished = new Set((await appliedMigrations(pool)).map(({ name }) => name));
  return names.filter((name) => !finished.has(name));
}

export interface AppliedMigration {
  name: string;
  finishedAt: Date;
}

/** The migrations that the database has finished, oldest first; those of a later version among them. */
export async function appliedMigrations(pool: Pool): Promise<AppliedMigration[]> {
  const {
    rows: [found],
  } = await pool.query<{ history: string | null }>(`select to_regclass('_prisma_migrations') as history`);
  if (!found?.history) return [];
  const { rows } = await pool.query<AppliedMigration>(
    `select migration_name as name, finished_at as "finishedAt" from _prisma_migrations
     where finished_at is not null and rolled_back_at is null order by migration_name collate "C"`,
  );
  return rows;
}

/** The migrations in prisma/migrations, oldest first. */
export async function migrations(): Promise<Migration[]> {
  const names = await migrationNames();
  return await Promise.all(
    names.map(async (name) => ({ name, script: await readFile(new URL(`${name}/migration.sql`, folder), 'utf8') })),
  );
}

async function migrationNames(): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}
