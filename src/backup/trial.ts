import { createHash } from 'node:crypto';
import { createConnection } from '../../prisma/connection/connection.ts';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { openBackup, BackupError } from './restore.ts';

/** The database that a backup is restored into, to see whether it can be. */
const trialName = 'kontor_restore_trial';

/** The URL of the same server's other database. */
export function atDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

export interface TrialOptions {
  /** The server's own URLs, of its owner and of a superuser. */
  url: string;
  superuserUrl: string;
  passphrase: string;
  /** The secret that the backup must have. */
  secret: string;
  /** Breaks it off, by dropping the database. */
  signal?: AbortSignal | undefined;
  /** Looks at the restored database, by the name that it has meanwhile. */
  inspect: (database: string) => Promise<void>;
}

/**
 * Restores a backup into a database beside the real one, which is dropped afterwards. Files are compared and not stored.
 * @throws BackupError when it can't be restored
 */
export async function tryRestore(
  file: string,
  { url, superuserUrl, passphrase, secret, signal, inspect }: TrialOptions,
): Promise<void> {
  const backup = await openBackup(file);
  try {
    const authentic = await backup.authenticate(passphrase);
    if (authentic?.secret !== secret) throw new BackupError(`${file} was not made with this passphrase and secret`);
    await inTrial(superuserUrl, signal, async () => {
      const own = atDatabase(superuserUrl, trialName);
      await migrate(atDatabase(url, trialName), undefined, { superuserUrl: own });
      await authentic.load(own);
      await authentic.storeFiles(own, { write: hashOnly });
      await inspect(trialName);
    });
  } finally {
    backup.close();
  }
}

/** Makes the database, and drops it in any case; also one that a killed process has left. */
async function inTrial(
  superuserUrl: string,
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const client = createConnection({ connectionString: superuserUrl, application_name: 'kontor restore trial' });
  client.on('error', () => {}); // the query that was under way says it
  await client.connect();
  const drop = async (): Promise<void> =>
    void (await client.query(`drop database if exists ${trialName} with (force)`));
  const breakOff = (): void => void drop().catch(() => {});
  signal?.addEventListener('abort', breakOff);
  try {
    signal?.throwIfAborted();
    await drop();
    await client.query(`create database ${trialName} owner kontor`);
    await work();
  } finally {
    signal?.removeEventListener('abort', breakOff);
    await drop().catch(() => {});
    await client.end().catch(() => {});
  }
}

/** As a storage would write it. */
async function hashOnly(
  _key: string,
  content: AsyncIterable<Uint8Array>,
): Promise<{ length: number; sha256: Buffer<ArrayBuffer> }> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const piece of content) {
    hash.update(piece);
    length += piece.length;
  }
  return { length, sha256: hash.digest() as Buffer<ArrayBuffer> };
}
