import type { Pool } from 'pg';
import { readBackfills, readProgress, type BackfillProgress } from './backfills.ts';
import { baseline, hasAllBefore, isBeforeBaseline } from './before-baseline.ts';
import { appliedMigrations, migrations, pendingMigrations, type AppliedMigration } from './migrate.ts';
import { History, readEffects, rules, type Effects, type LockMode } from './statement-effects.ts';

export interface MigrationStatus {
  applied: AppliedMigration[];
  pending: string[];
  /** Those of a later version, whose schema this version works with. */
  ofLaterVersion: string[];
  /** Those that have begun, and those that begin after their migration. */
  backfills: BackfillProgress[];
}

export async function readStatus(pool: Pool): Promise<MigrationStatus> {
  const [applied, pending, own] = [await appliedMigrations(pool), await pendingMigrations(pool), await migrations()];
  const known = new Set(own.map(({ name }) => name));
  const ofLaterVersion = applied.map(({ name }) => name).filter((name) => !known.has(name) && !isBeforeBaseline(name));
  const { rows } = await pool.query<{ exists: boolean }>(`select to_regclass('backfills') is not null as exists`);
  const begun = rows[0]?.exists ? await readProgress(pool) : [];
  const waiting = (await readBackfills())
    .filter(({ name }) => !begun.some((each) => each.name === name))
    .map(({ name, table }) => ({
      name,
      table,
      rows: 0,
      estimatedRows: null,
      startedAt: null,
      finishedAt: null,
      error: null,
    }));
  return { applied, pending, ofLaterVersion, backfills: [...begun, ...waiting] };
}

export interface PlannedStatement extends Omit<Effects, 'locks' | 'broken'> {
  locks: {
    table: string;
    mode: LockMode;
    /** By PostgreSQL's statistics; null where it has none. */ rows: number | null;
  }[];
  /** The alternatives that the rules for migrations advise. */
  advice: string[];
}

export interface PlannedMigration {
  name: string;
  statements: PlannedStatement[];
}

/** The effects of the pending migrations on the existing tables, estimated from the kinds of their statements. */
export async function planPending(pool: Pool): Promise<PlannedMigration[]> {
  const pending = new Set(await pendingMigrations(pool));
  const hasBaseline = await hasAllBefore(pool); // which is only recorded then
  const { rows } = await pool.query<{ table: string; rows: number | null }>(
    `select relname as table, nullif(reltuples, -1)::float8 as rows from pg_class
     where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`,
  );
  const counts = new Map(rows.map(({ table, rows: count }) => [table, count]));
  const history = new History();
  const planned: PlannedMigration[] = [];
  for (const { name, script } of await migrations()) {
    const effects = await readEffects(script, history);
    const sent = hasBaseline && name === baseline ? [] : effects;
    if (pending.has(name)) planned.push({ name, statements: sent.map((each) => plan(each, counts)) });
  }
  return planned;
}

const plan = (
  { locks, broken, ...effects }: Effects,
  counts: ReadonlyMap<string, number | null>,
): PlannedStatement => ({
  ...effects,
  locks: locks
    .filter(({ table }) => counts.has(table))
    .map((lock) => ({ ...lock, rows: counts.get(lock.table) ?? null })),
  advice: broken.map((rule) => rules[rule]),
});
