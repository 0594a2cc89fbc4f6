import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import { connect, openBooks } from '../../prisma/client.ts';
import { currentTime } from '../../prisma/clock.ts';
import { ConnectionPool, createConnection } from '../../prisma/connection/connection.ts';
import { applySessionSettings, poolTimeouts, replaceBrokenConnections } from '../../prisma/connection/pool-options.ts';
import type { Webhooks } from '../../schema/graphql/context.ts';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { verifyBooks } from '../../schema/verification/verify-books.ts';
import { backUp } from '../backup/backup.ts';
import {
  clearUnproven,
  keepBackup,
  keepUntried,
  listBackups,
  listUntried,
  unprovenPath,
} from '../backup/backup-folder.ts';
import { atDatabase, tryRestore } from '../backup/trial.ts';
import type { BackupSetting } from '../config/config.ts';
import { createDomain } from '../domain.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import { findReason } from './queue/count-failures.ts';
import { getJobPrincipal } from './job-principal.ts';

/** How often the age of the newest backup is looked at; and the pause after one that failed, which may have filled a disk. */
const lookEveryMs = 60_000;
const pauseAfterFailureMs = 600_000;
/** How long books are verified after a trial: those of some tenants, in another order each time. */
const verifyMs = 600_000;
/** The room that a trial needs, in sizes of the database: its rows and indexes, and their way through the log. */
const trialSizes = 1.5;
/** An arbitrary number that nothing else in the database uses as an advisory lock. */
const backupLock = 0x6261636b; // "back"

export interface BackupsOptions {
  setting: BackupSetting;
  /** The embedded database's URLs: of its owner, of the role of the books, and of its superuser. */
  url: string;
  booksUrl: string;
  superuserUrl: string;
  /** DATA_DIR, which has the database's folder, or a link to it. */
  dataDir: string;
  /** Reads the secret that encrypts. @throws ConfigError while it is being replaced */
  readSecret: () => Promise<string>;
  webhooks: Webhooks;
  files: FileStorage;
  log: Logger;
  metrics?: Pick<Metrics, 'jobFailed'> | undefined;
  signal?: AbortSignal;
  now?: () => Date;
}

/** Backs the embedded database up by schedule, and tries each backup, until it is stopped, which breaks one off. */
export function startBackups(options: Omit<BackupsOptions, 'signal'>): { stop(): Promise<void> } {
  const { log, metrics } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const pauseMs = await backUpIfDue({ ...options, signal }).then(
        () => lookEveryMs,
        (err: unknown) => {
          if (signal.aborted) return 0;
          log.error({ err }, 'backup');
          metrics?.jobFailed('backup', findReason(err));
          return pauseAfterFailureMs;
        },
      );
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** A backup that can't be restored for a trial, because its database has no room beside the other. */
class NoRoomError extends Error {
  override name = 'NoRoomError';
  readonly code = 'NO_ROOM';
}

/**
 * Makes a backup if the newest is old enough, restores it for a trial, and deletes old ones. Of several processes, one does.
 * @returns the new backup's path; undefined if none was due
 * @throws NoRoomError when there is no room for the trial: the backup is then kept as untried, and no other is deleted for it
 */
export async function backUpIfDue(options: BackupsOptions): Promise<string | undefined> {
  const { setting, superuserUrl, now = currentTime } = options;
  await mkdir(setting.folder, { recursive: true, mode: 0o700 });
  const isDue = async (): Promise<boolean> => {
    const [newest] = await listBackups(setting.folder, now());
    return !newest || now().getTime() - newest.at.getTime() >= setting.everyMs;
  };
  if (!(await isDue())) return undefined;
  const holder = createConnection({ connectionString: superuserUrl, application_name: 'kontor backups' });
  holder.on('error', () => {}); // the query that was under way says it
  await holder.connect();
  try {
    const { rows } = await holder.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [backupLock]);
    if (!rows[0]?.taken || !(await isDue())) return undefined;
    return await makeAndTry(holder, options, now());
  } finally {
    await holder.end().catch(() => {});
  }
}

async function makeAndTry(holder: Client, options: BackupsOptions, at: Date): Promise<string> {
  const { setting, url, superuserUrl, dataDir, readSecret, files, log, signal } = options;
  const { folder, everyMs, passphrase, keep } = setting;
  const secret = await readSecret();
  await clearUnproven(folder);
  const [untried] = await listUntried(folder, at);
  // It is recent enough. Another one is only worth its writing if it can be tried.
  if (untried && at.getTime() - untried.at.getTime() < everyMs) await requireRoom(holder, dataDir);
  const unproven = unprovenPath(folder, at);
  const onMissing = (key: string): void => log.error({ key }, 'a file is missing in the storage, and in the backup');
  try {
    await backUp({ superuserUrl, secret, passphrase, file: unproven, files, onMissing, ...(signal && { signal }) });
    await requireRoom(holder, dataDir);
    await tryRestore(unproven, {
      url,
      superuserUrl,
      passphrase,
      secret,
      signal,
      inspect: (name) => verify(name, options),
    });
  } catch (error) {
    // The first error is thrown.
    await (error instanceof NoRoomError ? keepUntried(folder, at) : clearUnproven(folder)).catch(() => {});
    throw error;
  }
  const file = await keepBackup(folder, at, keep);
  log.info({ file }, 'backup');
  return file;
}

/** @throws NoRoomError unless the disk has room for a second database of this size, which a trial needs */
async function requireRoom(holder: Client, dataDir: string): Promise<void> {
  const { rows } = await holder.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  const { bavail, bsize } = await statfs(join(dataDir, 'postgres')); // which may be a link to another disk
  const missing = Math.ceil(Number(rows[0]?.bytes) * trialSizes) - bavail * bsize;
  if (missing > 0)
    throw new NoRoomError(
      `The newest backup is kept as .untried: to restore it for a trial, the disk of the database lacks ${missing} bytes`,
    );
}

/** Verifies restored books. A difference is a fault of the books, not of the backup, so it is only reported. */
async function verify(
  name: string,
  { url, booksUrl, webhooks, files, log, metrics, signal }: BackupsOptions,
): Promise<void> {
  const shared = { ...poolTimeouts, max: 2, onConnect: applySessionSettings, application_name: 'kontor restore trial' };
  const pool = new ConnectionPool({ ...shared, connectionString: atDatabase(url, name) });
  replaceBrokenConnections(pool);
  const client = connect(pool);
  const books = openBooks({ ...shared, connectionString: atDatabase(booksUrl, name) });
  try {
    const domain = createDomain({ client, books }, webhooks, { url: '' }, files);
    const tenants = await client.tenant.findMany({ where: { closedAt: null } });
    const until = performance.now() + verifyMs;
    for (const tenant of tenants.toSorted(() => Math.random() - 0.5)) {
      if (performance.now() > until) break;
      const context = domain.contextFor(getJobPrincipal(tenant), signal && { signal });
      const { differences } = await verifyBooks(context, { report: () => {} });
      if (differences === 0) continue;
      log.error(
        { tenantId: tenant.id, differences },
        'the books in the backup differ from their proofs: run kontor verify',
      );
      metrics?.jobFailed('verify_backup', 'DIFFERENCES');
    }
  } finally {
    await books.close();
    await client.$disconnect();
    await pool.end();
  }
}
