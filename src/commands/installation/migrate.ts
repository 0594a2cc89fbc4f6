import { Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { computeShare, type BackfillProgress } from '../../../prisma/migrate/backfills.ts';
import { checkConnection } from '../../../prisma/connection/connection-problem.ts';
import { ConnectionPool } from '../../../prisma/connection/connection.ts';
import {
  planPending,
  readStatus,
  type PlannedMigration,
  type PlannedStatement,
} from '../../../prisma/migrate/migration-status.ts';
import { poolTimeouts, replaceBrokenConnections } from '../../../prisma/connection/pool-options.ts';
import { readConfig } from '../../config/config.ts';
import { openDatabase } from '../../database/database.ts';
import { joinEmbeddedPostgres } from '../../database/postgres/embedded-postgres.ts';
import { RefusedError } from '../../identity/refused.ts';
import { asJson, type Json } from '../json-option.ts';
import { print, printError, printJson } from '../output.ts';

interface MigrateOptions extends Json {
  status?: true;
  dryRun?: true;
}

export function addMigrateCommand(program: Command): void {
  const migration = program
    .command('migrate')
    .description('apply the migrations to the database')
    .option('--status', 'print which are applied and pending, and how far backfills are')
    .addOption(
      new Option('--dry-run', 'print the pending statements with the locks that they take, estimated').conflicts(
        'status',
      ),
    );
  asJson(migration).action(migrateDatabase);
}

async function migrateDatabase({ status, dryRun, json }: MigrateOptions): Promise<void> {
  if (json && !status && !dryRun) throw new RefusedError('--json needs --status or --dry-run');
  if (status) return await withUnmigrated((pool) => showStatus(pool, json));
  if (dryRun) return await withUnmigrated((pool) => showPlan(pool, json));
  const database = await openDatabase(readConfig(process.env), { report: printError, migrating: true });
  await database.close();
  print('The database is up to date.');
}

/** Opens the database as it is: any other way to open the embedded one migrates it. */
async function withUnmigrated(work: (pool: Pool) => Promise<void>): Promise<void> {
  const { dataDir, databaseUrl, databaseDirectUrl } = readConfig(process.env);
  const embedded = databaseUrl === null ? await joinEmbeddedPostgres(dataDir, printError) : null;
  const url = embedded?.url ?? databaseDirectUrl ?? databaseUrl ?? '';
  if (!embedded)
    await checkConnection(
      [databaseDirectUrl === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL', url],
      false,
      printError,
    );
  const pool = new ConnectionPool({ connectionString: url, max: 1, ...poolTimeouts });
  replaceBrokenConnections(pool);
  try {
    await work(pool);
  } finally {
    await pool.end();
    await embedded?.leave();
  }
}

async function showStatus(pool: Pool, json: true | undefined): Promise<void> {
  const status = await readStatus(pool);
  if (json) return printJson(status);
  const { applied, pending, ofLaterVersion, backfills } = status;
  for (const { name, finishedAt } of applied) {
    const later = ofLaterVersion.includes(name) ? ' (of a later version)' : '';
    print(`applied   ${name}  ${finishedAt.toISOString()}${later}`);
  }
  for (const name of pending) print(`pending   ${name}`);
  for (const each of backfills) print(`backfill  ${each.name}  ${describeProgress(each)}`);
  if (pending.length === 0) print('No migration is pending.');
}

function describeProgress(progress: BackfillProgress): string {
  const { table, rows, estimatedRows, startedAt, finishedAt, error } = progress;
  if (startedAt === null) return `${table}: begins after its migration, when a worker runs`;
  if (finishedAt !== null) return `${table}: ${rows} rows, done ${finishedAt.toISOString()}`;
  const share = `${Math.floor(computeShare(progress) * 100)} %, ${rows} of about ${Math.max(rows, estimatedRows ?? 0)} rows`;
  return `${table}: ${share}${error === null ? '' : `, failed: ${error}`}`;
}

async function showPlan(pool: Pool, json: true | undefined): Promise<void> {
  const plan = await planPending(pool);
  if (json) return printJson(plan);
  for (const { name, statements } of plan) showMigration({ name, statements });
  if (plan.length === 0) print('No migration is pending.');
}

/** How much of a statement is shown. */
const shown = 160;

function showMigration({ name, statements }: PlannedMigration): void {
  print(name);
  if (statements.length === 0) print('  changes nothing');
  for (const each of statements) {
    print(`  ${each.statement.length > shown ? `${each.statement.slice(0, shown)}…` : each.statement}`);
    for (const line of describeEffects(each)) print(`    ${line}`);
  }
}

const describeEffects = ({ locks, rewrites, reads, advice }: PlannedStatement): string[] => [
  ...locks.map(
    ({ table, mode, rows }) => `lock: ${mode} on ${table} (${rows === null ? 'no statistics' : `about ${rows} rows`})`,
  ),
  ...(rewrites
    ? ['writes the table anew under this lock']
    : reads && locks.length > 0
      ? ['reads the whole table']
      : []),
  ...advice.map((each) => `better: ${each}`),
];
