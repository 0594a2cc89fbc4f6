import { createHash, randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { forCitus, hasCitus } from './distributed.ts';
import type { Migration } from './schema-engine.ts';
import { splitStatements } from './split-statements.ts';

// The first migration, the baseline, took the place of those from before the first release. A database that has all of these
// is upgraded to the baseline. In one with some of them, the last commit that has these migrations has to apply the rest.

const baseline = '20261124000000_baseline';

/** The last commit with the migrations from before the baseline. */
export const commitBeforeBaseline = 'c8ec2a00fb602f3d1abf47feaf0448e113f62e1b';

/** SHA-256 of these migrations: a line for each with its name and Prisma's checksum of its script. */
const allBefore = '9cf491051f96dacd7b33f08c00fdbb532c8c402a0139c128298c4804d12c72d2';

export const isBeforeBaseline = (migration: string): boolean => migration < baseline;

/**
 * Upgrades a database that has all migrations from before the baseline: gives things the names that they have there, and
 * records the baseline as applied. In one transaction; processes of an earlier version fail afterwards.
 *
 * @returns whether it did; not in a database that is new or has the baseline
 * @throws Error of one line if the database has some of these migrations, or others
 */
export async function upgradeToBaseline(pool: Pool, migrations: readonly Migration[]): Promise<boolean> {
  const script = migrations.find(({ name }) => name === baseline)?.script;
  const found = await readDigest(pool);
  if (script === undefined || found === null) return false;
  if (found !== allBefore)
    throw new Error(
      `This database is from before the first release. Run migrate of Kontor's commit ${commitBeforeBaseline} first, then of this version.`,
    );
  const settings = (await hasCitus(pool)) ? [forCitus] : [];
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query('begin');
    for (const statement of [...settings, ...removed, ...renamed, ...madeAgain(script)]) await client.query(statement);
    await recordBaseline(client, script);
    await client.query('commit');
    isBroken = false;
  } finally {
    client.release(isBroken);
  }
  return true;
}

/** The digest of the migrations from before the baseline that the database has. Null if it has none. */
async function readDigest(pool: Pool): Promise<string | null> {
  const history = await pool.query<{ exists: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as exists`,
  );
  if (!history.rows[0]?.exists) return null;
  const { rows } = await pool.query<{ digest: string | null }>(
    `select encode(sha256(convert_to(
       string_agg(migration_name || ' ' || checksum, E'\n' order by migration_name collate "C"), 'UTF8'
     )), 'hex') as digest
     from _prisma_migrations where migration_name < $1 and finished_at is not null and rolled_back_at is null`,
    [baseline],
  );
  return rows[0]?.digest ?? null;
}

const countedTables = [
  'bank_transactions',
  'credit_notes',
  'customers',
  'invoices',
  'projects',
  'receipts',
  'time_entries',
];

/** Statements that remove what the baseline doesn't have, or has in another form. */
const removed = [
  'alter table rate_limits drop column hits',
  'drop trigger add_up_tallies on tallies',
  'drop function add_up_tallies()',
  ...countedTables.flatMap((table) => [
    `drop trigger tally_added on ${table}`,
    `drop trigger tally_removed on ${table}`,
    `drop trigger if exists tally_moved on ${table}`,
    `drop function tally_${table}()`,
    `drop function if exists tally_${table}_moved()`,
  ]),
  'drop function tally(regclass, text)',
  'drop function define_tally(text, text)',
  'drop function count_request(text, int, float8)',
  'drop function isolate(regclass)',
  'drop function queue_jobs(text, json[], timestamptz[])',
  'drop function track_changes(regclass, text)',
  'drop trigger refuse_change_of_issued on invoices',
  'drop trigger refuse_change_of_delivery_date on invoices',
];

const renamed = [
  'alter table tallies rename to row_counts',
  'alter index tallies_pkey rename to row_counts_pkey',
  'alter sequence tallies_id_seq rename to row_counts_id_seq',
  'alter table stored_answers rename to stored_responses',
  'alter table stored_responses rename column answer to response',
  'alter index stored_answers_pkey rename to stored_responses_pkey',
  'alter index stored_answers_tenant_id_created_at_idx rename to stored_responses_tenant_id_created_at_idx',
];

/** The baseline's statements that make again what was removed. */
function madeAgain(script: string): string[] {
  const starts = [
    ...['count_requests', 'isolate', 'queue_jobs', 'track_changes', 'sum_row_counts', 'count_rows'].flatMap((name) => [
      `create function ${name}(`,
      `revoke all on function ${name}`,
    ]),
    'create trigger sum_row_counts ',
    'create trigger refuse_change_of_issued ',
    'select count_rows(',
  ];
  return splitStatements(script).filter((statement) => starts.some((start) => statement.trimStart().startsWith(start)));
}

/** Records the baseline as Prisma does, in place of the migrations from before. */
async function recordBaseline(client: PoolClient, script: string): Promise<void> {
  await client.query('delete from _prisma_migrations where migration_name <= $1', [baseline]);
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     values ($1, $2, $3, now(), now(), 1)`,
    [randomUUID(), createHash('sha256').update(script).digest('hex'), baseline],
  );
}
