import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import type { Pool } from 'pg';
import { ConnectionPool, createConnection } from './connection.ts';
import type { Migration } from './schema-engine.ts';

const folder = new URL('migrations/', import.meta.url);

// An arbitrary number that nothing else in the database uses as an advisory lock.
export const migrationLock = 0x6b6f6e74;

/**
 * Applies pending migrations to the database at `url`: Prisma's, then those of graphile-worker's own schema. Several
 * processes may call it at once: one applies them while the others wait, and then find none pending. `url` must lead to
 * PostgreSQL itself or a pooler in session mode, as a role that may create tables.
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
  const pool = new ConnectionPool({ connectionString: url, max: 2 });
  pool.on('error', untilNextQuery).on('connect', (client) => client.on('error', untilNextQuery));
  try {
    const holder = await pool.connect();
    try {
      await holder.query('select pg_advisory_lock($1)', [migrationLock]);
      const applied = await applyPending(url, pool, report, last);
      await runMigrations({ pgPool: pool });
      await declareLeakproof(pool, report, superuserUrl);
      return applied;
    } finally {
      holder.release(true); // the lock goes with the connection
    }
  } finally {
    await pool.end();
  }
}

// A lost connection needs no answer of its own: the next query on it fails.
function untilNextQuery(): void {}

async function applyPending(
  url: string,
  pool: Pool,
  report: (line: string) => void,
  last: string | undefined,
): Promise<string[]> {
  const isWanted = (name: string): boolean => last === undefined || name <= last;
  const pending = (await pendingMigrations(pool)).filter(isWanted);
  if (pending.length === 0) return [];
  report(`applying ${pending.join(', ')}`);
  const { applyMigrations } = await import('./schema-engine.ts'); // 5 MB of WebAssembly that most starts don't need
  return await applyMigrations(
    url,
    (await migrations()).filter(({ name }) => isWanted(name)),
  );
}

/** The comparisons that filters and searches of lists use. */
const comparisons = [
  'enum_eq(anyenum, anyenum)',
  'numeric_eq(numeric, numeric)',
  'numeric_ge(numeric, numeric)',
  'numeric_gt(numeric, numeric)',
  'numeric_le(numeric, numeric)',
  'numeric_lt(numeric, numeric)',
  'textlike(text, text)',
  'texticlike(text, text)',
];

/**
 * Declares comparisons leakproof. Under row-level security, PostgreSQL uses an index only for functions that reveal nothing
 * about hidden rows, in an error message for example, and it doesn't trust these. They reveal nothing but their result:
 * LIKE fails only because of its pattern. Only a superuser can declare this, and a dump doesn't keep it.
 */
async function declareLeakproof(
  pool: Pool,
  report: (line: string) => void,
  superuserUrl: string | undefined,
): Promise<void> {
  const { rows } = await pool.query<{ signature: string; may: boolean }>(
    `select p.oid::regprocedure as signature, r.rolsuper as may
     from pg_proc p join pg_roles r on r.rolname = current_user
     where p.oid = any ($1::regprocedure[]) and not p.proleakproof`,
    [comparisons],
  );
  if (rows.length === 0) return;
  const statements = rows.map(({ signature }) => `alter function ${signature} leakproof;`).join(' ');
  if (rows[0]?.may) await pool.query(statements);
  else if (superuserUrl !== undefined) await queryOnce(superuserUrl, statements);
  else report(`filters on long lists are slow until a superuser runs: ${statements}`);
}

async function queryOnce(url: string, statements: string): Promise<void> {
  const client = createConnection({ connectionString: url });
  client.on('error', untilNextQuery);
  try {
    await client.connect();
    await client.query(statements);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * The names of the migrations that the database hasn't finished, oldest first; those that failed, were cut short or
 * rolled back among them. The pool's role must be allowed to read `_prisma_migrations`.
 */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const names = await migrationNames();
  const {
    rows: [found],
  } = await pool.query<{ history: string | null }>(`select to_regclass('_prisma_migrations') as history`);
  if (!found?.history) return names;
  const { rows } = await pool.query<{ name: string }>(
    'select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null',
  );
  const finished = new Set(rows.map((row) => row.name));
  return names.filter((name) => !finished.has(name));
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
