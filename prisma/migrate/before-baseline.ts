import { createHash, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Migration } from './schema-engine.ts';

// The first migration, the baseline, makes what those from before 1.0.0 made together. A database that has all of these has its
// schema. In one with some of them, the last commit that has these migrations has to apply the rest.

export const baseline = '20261128140001_baseline';

/** The last commit with the migrations from before the baseline. */
export const commitBeforeBaseline = '739e24a2df62ba6ef1910453056becaa88538e77';

/** SHA-256 of these migrations: a line for each with its name and Prisma's checksum of its script. */
const allBefore = '12dc14c44948a3467aef4de56737a37769abbde53994099757641441bd3f24fd';

/** The same of their names alone, which backups have. */
const namesOfAllBefore = 'df7672efbf94565feb8046fa8b7b8c26e9bfa501da432f17c5dc082746c8f327';

export const isBeforeBaseline = (migration: string): boolean => migration < baseline;

/**
 * Whether a database has all migrations from before the baseline, and not the baseline.
 * @throws Error of one line if it has some of them, or others
 */
export async function hasAllBefore(pool: Pool): Promise<boolean> {
  const history = await pool.query<{ exists: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as exists`,
  );
  if (!history.rows[0]?.exists) return false;
  const { rows } = await pool.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from _prisma_migrations
     where migration_name <= $1 and finished_at is not null and rolled_back_at is null
     order by migration_name collate "C"`,
    [baseline],
  );
  if (rows.length === 0 || rows.some(({ name }) => name === baseline)) return false;
  if (digest(rows.map(({ name, checksum }) => `${name} ${checksum}`)) === allBefore) return true;
  throw new Error(
    `This database is from before 1.0.0. Run migrate of Kontor's commit ${commitBeforeBaseline} first, then of this version.`,
  );
}

/**
 * Records the baseline as applied, as Prisma does, where a database has all migrations from before it. Their records stay:
 * processes of the version before find them.
 *
 * @returns whether it did; not in a database that is new or has the baseline
 * @throws Error of one line if the database has some of these migrations, or others
 */
export async function recordBaseline(pool: Pool, migrations: readonly Migration[]): Promise<boolean> {
  const script = migrations.find(({ name }) => name === baseline)?.script;
  if (script === undefined || !(await hasAllBefore(pool))) return false;
  await pool.query(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     values ($1, $2, $3, now(), now(), 1)`,
    [randomUUID(), createHash('sha256').update(script).digest('hex'), baseline],
  );
  return true;
}

/** The migrations of a backup, where all those from before the baseline are the baseline. */
export function underBaseline(names: readonly string[]): readonly string[] {
  const before = names.filter(isBeforeBaseline).toSorted();
  if (digest(before) !== namesOfAllBefore) return names;
  return [baseline, ...names.filter((name) => name > baseline)];
}

const digest = (lines: readonly string[]): string => createHash('sha256').update(lines.join('\n')).digest('hex');
