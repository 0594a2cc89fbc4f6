import { readdir, readFile } from 'node:fs/promises';
import { escapeLiteral, type Pool, type PoolClient } from 'pg';
import { currentActor } from '../connection/sender.ts';
import { retryContended } from '../connection/transaction-retry.ts';

// A statement that fills existing rows stands beside its migration, in the file backfill.sql of its folder. A job of
// the worker runs it in batches after the migration, while requests go on. Until the job has ended, the code finds rows
// that are not filled. The version before also adds such rows.

export interface Backfill {
  /** The migration's name. */
  name: string;
  /** A table of the books. */
  table: string;
  /**
   * One UPDATE of rows that are not filled, of the tenant $1, whose ids are after $2 and not after $3: `update invoices set … where
   * tenant_id = $1 and id > $2 and id <= $3 and …`.
   */
  statement: string;
}

export interface BackfillProgress {
  name: string;
  table: string;
  /** How many rows were passed. */
  rows: number;
  /** How many rows the table has, by PostgreSQL's statistics; null if it has none. */
  estimatedRows: number | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** Why the last batch failed; null unless it did. */
  error: string | null;
}

/** The job. Its runs come one after another, whichever worker runs them. */
export const backfillJob = { task: 'backfill', queue: 'backfills', key: 'backfill' };

/** Rows of a batch, which stay locked until all of them are written. */
const batchSize = 200;
/** Longer waits for a row's lock would keep the batch's other rows locked for long. */
const lockTimeoutMs = 1000;
/** No row's id. */
const nil = '00000000-0000-0000-0000-000000000000';

const folder = new URL('../migrations/', import.meta.url);
const file = 'backfill.sql';

/** The backfills of all migrations, oldest first. */
export async function readBackfills(): Promise<Backfill[]> {
  const paths = await readdir(folder, { recursive: true });
  const names = paths.filter((path) => path.endsWith(`/${file}`)).map((path) => path.slice(0, -file.length - 1));
  return await Promise.all(
    names
      .toSorted()
      .map(async (name) => parseBackfill(name, await readFile(new URL(`${name}/${file}`, folder), 'utf8'))),
  );
}

export function parseBackfill(name: string, script: string): Backfill {
  const statement = script.replaceAll(/^\s*--.*$/gm, '').trim();
  const table = /^update (\w+)\b/i.exec(statement)?.[1];
  if (table === undefined) throw new Error(`The backfill of ${name} is no UPDATE`);
  return { name, table, statement };
}

/**
 * Notes which backfills have begun: those whose migrations were applied.
 * @returns those that are not finished
 */
export async function beginBackfills(pool: Pool, declared: readonly Backfill[]): Promise<Backfill[]> {
  if (declared.length === 0) return [];
  await pool.query(
    `insert into backfills (name, table_name)
     select name, table_name from unnest($1::text[], $2::text[]) as declared (name, table_name)
     where exists (
       select from _prisma_migrations
       where migration_name = name and finished_at is not null and rolled_back_at is null
     ) on conflict do nothing`,
    [declared.map(({ name }) => name), declared.map(({ table }) => table)],
  );
  const { rows } = await pool.query<{ name: string }>('select name from backfills where finished_at is null');
  const unfinished = new Set(rows.map(({ name }) => name));
  return declared.filter(({ name }) => unfinished.has(name));
}

interface Position {
  current_tenant: string | null;
  last_id: string | null;
}

/** `busy` while another process fills a batch of the same backfill. */
export type Outcome = 'rows left' | 'finished' | 'busy';

/**
 * Fills the next batch of an unfinished backfill, and notes its progress in the same transaction.
 * @throws PostgreSQL's lock_not_available where others hold locks of rows for long
 */
export const fillNext = (pool: Pool, backfill: Backfill): Promise<Outcome> =>
  retryContended(async () => {
    const client = await pool.connect();
    let isBroken = true;
    try {
      await client.query('begin');
      const outcome = await fillBatch(client, backfill);
      await client.query('commit');
      isBroken = false;
      return outcome;
    } finally {
      client.release(isBroken);
    }
  });

async function fillBatch(client: PoolClient, { name, table, statement }: Backfill): Promise<Outcome> {
  // By SET LOCAL, which Citus passes on to the server of the tenant's tables.
  await client.query(`set local citus.propagate_set_commands = 'local'`);
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
  const {
    rows: [position],
  } = await client.query<Position>(
    'select current_tenant, last_id from backfills where name = $1 and finished_at is null for update skip locked',
    [name],
  );
  if (!position) return 'busy';
  const tenant = position.current_tenant ?? (await findTenantAfter(client, nil));
  if (tenant === null) return await note(client, name, { tenant, lastId: null, rows: 0 });
  await client.query(`set local kontor.tenant_id = ${escapeLiteral(tenant)}`);
  await client.query(`set local kontor.actor = ${escapeLiteral(currentActor() ?? '')}`);
  const after = position.last_id ?? nil;
  const { rows: ids } = await client.query<{ id: string }>(
    `select id from ${table} where tenant_id = $1 and id > $2 order by id limit ${batchSize}`,
    [tenant, after],
  );
  const last = ids.at(-1)?.id;
  if (last !== undefined) await client.query(statement, [tenant, after, last]);
  const isTenantDone = ids.length < batchSize;
  return await note(client, name, {
    tenant: isTenantDone ? await findTenantAfter(client, tenant) : tenant,
    lastId: isTenantDone ? null : (last ?? null),
    rows: ids.length,
  });
}

async function findTenantAfter(client: PoolClient, tenant: string): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>('select id from tenants where id > $1 order by id limit 1', [
    tenant,
  ]);
  return rows[0]?.id ?? null;
}

/** Notes where the next batch begins; without a tenant, none is left. */
async function note(
  client: PoolClient,
  name: string,
  { tenant, lastId, rows }: { tenant: string | null; lastId: string | null; rows: number },
): Promise<Outcome> {
  await client.query(
    `update backfills set current_tenant = $2, last_id = $3, rows = rows + $4, error = null, updated_at = clock_timestamp(),
       finished_at = case when $2::uuid is null then clock_timestamp() end
     where name = $1`,
    [name, tenant, lastId, rows],
  );
  return tenant === null ? 'finished' : 'rows left';
}

/** Notes why a batch failed. */
export async function noteFailure(pool: Pool, { name }: Backfill, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  await pool.query('update backfills set error = $2 where name = $1', [name, reason.slice(0, 1000)]);
}

const progress = `
  select name, table_name as table, rows::float8 as rows, error, started_at as "startedAt", finished_at as "finishedAt",
    nullif(reltuples, -1)::float8 as "estimatedRows"
  from backfills left join pg_class on pg_class.oid = to_regclass(table_name)
  order by name`;

/** The backfills that have begun, oldest first. */
export async function readProgress(pool: Pool): Promise<BackfillProgress[]> {
  return (await pool.query<BackfillProgress>(progress)).rows;
}

/** Which share of its rows a backfill has passed, from 0 to 1. Only one that has finished has 1. */
export const computeShare = ({ rows, estimatedRows, finishedAt }: BackfillProgress): number =>
  finishedAt === null ? Math.min(0.99, rows / Math.max(estimatedRows ?? 0, rows, 1)) : 1;
