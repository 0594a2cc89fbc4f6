import type { Pool } from 'pg';
import { backfillJob } from '../../prisma/migrate/backfills.ts';
import { connect, openBooks, type Books, type UnscopedClient } from '../../prisma/client.ts';
import { checkConnection, connectOnce } from '../../prisma/connection/connection-problem.ts';
import { ActingConnection } from '../../prisma/connection/sender.ts';
import { Workers } from '../../prisma/distribute/workers.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { migrate, pendingMigrations } from '../../prisma/migrate/migrate.ts';
import { findOwnSettingsProblem, findWorkersProblem } from '../../prisma/connection/node-settings.ts';
import { isWorker } from '../../prisma/distribute/distributed.ts';
import { poolTimeouts, replaceBrokenConnections, applySessionSettings } from '../../prisma/connection/pool-options.ts';
import { isPooled, poolerProblem, UnnamedStatements, type Pooled } from '../../prisma/connection/pooler.ts';
import type { Config } from '../config/config.ts';
import { versionedName } from './application-name.ts';
import { joinEmbeddedPostgres } from './postgres/embedded-postgres.ts';
import { createCheck, createReadiness } from './readiness.ts';

export interface Database {
  /** A direct URL of PostgreSQL, for features that need a session: LISTEN, locks that outlast a transaction. */
  url: string;
  embedded: boolean;
  /** Of the embedded database, for backups only: the URLs of its superuser and of the role of the books. */
  forBackups: { superuserUrl: string; booksUrl: string } | null;
  pool: Pool;
  client: UnscopedClient;
  books: Books;
  /** The workers of a Citus cluster; none on one server. */
  workers: Workers;
  /** Why the database isn't ready; undefined if it is. */
  unready(): Promise<string | undefined>;
  /** The problem of a worker of Citus; undefined without one. The tenants of other workers are served. */
  impaired(): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Opens the operator's PostgreSQL if DATABASE_URL names one, else the embedded one, which is started unless it runs. The
 * embedded one is always migrated; the operator's only if `migrating` is set.
 *
 * @param throughPooler whether connections may use the pooler in DATABASE_URL, if DATABASE_DIRECT_URL is also set
 * @param onStarting is called while an embedded PostgreSQL starts, if it has to
 * @throws Error of one line if the database can't be reached, started or migrated
 */
export async function openDatabase(
  config: Config,
  {
    report,
    migrating = false,
    throughPooler = false,
    onStarting,
  }: {
    report: (line: string) => void;
    migrating?: boolean;
    throughPooler?: boolean;
    onStarting?: () => void;
  },
): Promise<Database> {
  const embedded = config.databaseUrl === null ? await joinEmbeddedPostgres(config.dataDir, report, onStarting) : null;
  const url = embedded?.url ?? config.databaseDirectUrl ?? config.databaseUrl ?? '';
  // A migration needs the database now.
  const check = (variable: string, given: string): Promise<void> =>
    checkConnection([variable, given], !migrating, report);
  if (!embedded) await check(config.databaseDirectUrl === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL', url);
  let applied: string[] = [];
  try {
    if (embedded || migrating) applied = await migrate(url, report, { superuserUrl: embedded?.superuserUrl });
  } catch (error) {
    await embedded?.leave();
    throw error;
  }

  const pooled = throughPooler && config.databaseDirectUrl !== null ? 'transaction' : 'session';
  const connectionString = pooled === 'transaction' ? (config.databaseUrl ?? '') : url;
  if (pooled === 'transaction') await check('DATABASE_URL', connectionString);
  const [booksVariable, booksUrl] = chooseBooksUrl(config, pooled) ?? ['', embedded?.booksUrl ?? connectionString];
  if (booksVariable !== '') {
    await check(booksVariable, booksUrl);
    await refuseDetours(booksVariable, booksUrl, pooled);
  }
  const options = {
    connectionString,
    application_name: versionedName,
    ...poolTimeouts,
    ...(pooled === 'session' && { onConnect: applySessionSettings }),
  };
  const pool = new ConnectionPool({
    ...options,
    max: config.databaseConnections,
    Client: pooled === 'transaction' ? UnnamedStatements : ActingConnection,
  });
  replaceBrokenConnections(pool);
  if (applied.length > 0) await addUpgradeJobs(pool);
  const client = connect(pool);
  const workers = new Workers(pool);
  const books = openBooks(
    { ...options, connectionString: booksUrl, max: config.databaseBooksConnections },
    pooled,
    workers,
  );
  let migrated = false;
  // A pooler doesn't pass on why it can't connect.
  const explain = pooled === 'transaction' ? () => connectOnce(url) : undefined;
  return {
    url,
    embedded: embedded !== null,
    forBackups: embedded,
    pool,
    client,
    books,
    workers,
    unready: createReadiness(
      pool,
      async () => {
        if (migrated) return undefined;
        if (pooled === 'session' && (await isPooled(pool))) return poolerProblem;
        const problem = await findOwnSettingsProblem(pool);
        if (problem !== undefined) return problem;
        const pending = await pendingMigrations(pool);
        migrated = pending.length === 0;
        return migrated
          ? undefined
          : `Migrations are missing: ${pending.join(', ')}. Run: npm run -s kontor -- migrate`;
      },
      explain,
    ),
    impaired: createCheck(() => findWorkersProblem(pool)),
    close: async () => {
      await books.close();
      await client.$disconnect();
      await workers.close();
      await pool.end();
      await embedded?.leave();
    },
  };
}

/** The configured URL of the books, and its setting. Processes that need sessions have one without the pooler. */
function chooseBooksUrl(
  { databaseBooksUrl, databaseBooksDirectUrl }: Config,
  pooled: Pooled,
): [variable: string, url: string] | undefined {
  if (pooled === 'session' && databaseBooksDirectUrl !== null)
    return ['DATABASE_BOOKS_DIRECT_URL', databaseBooksDirectUrl];
  return databaseBooksUrl === null ? undefined : ['DATABASE_BOOKS_URL', databaseBooksUrl];
}

/**
 * @throws Error if connections to the books go through a pooler, where the process needs sessions of its own; or to a worker of
 *   Citus, because nobody would be served while that one is away
 */
async function refuseDetours(variable: string, booksUrl: string, pooled: Pooled): Promise<void> {
  const pool = new ConnectionPool({ connectionString: booksUrl, max: 1, ...poolTimeouts });
  try {
    // A database that doesn't answer yet is waited for.
    if (await isWorker(pool).catch(() => false))
      throw new Error(
        `${variable} names a worker of Citus: while it is away, no tenant would be served. Let it name the coordinator.`,
      );
    if (pooled === 'session' && (await isPooled(pool).catch(() => false)))
      throw new Error(
        'DATABASE_BOOKS_URL leads through a pooler: set DATABASE_BOOKS_DIRECT_URL, with the same login, to PostgreSQL itself.',
      );
  } finally {
    await pool.end();
  }
}

/**
 * Adds the jobs for what a migration leaves: the backfills, and the check of logos, because a migration knows no pictures. A worker
 * runs the first also every minute, the second also every night.
 */
async function addUpgradeJobs(pool: Pool): Promise<void> {
  await pool.query(`select graphile_worker.add_job('check_logos', job_key => 'check_logos')`);
  const { task, queue, key } = backfillJob;
  await pool.query('select graphile_worker.add_job($1, queue_name => $2, job_key => $3)', [task, queue, key]);
}
