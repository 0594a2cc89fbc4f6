import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { createConnection } from '../../prisma/connection/connection.ts';
import { to as copyTo } from 'pg-copy-streams';
import { ZipFile } from 'yazl';
import { keepMigrationsAway } from '../../prisma/migrate/migrate.ts';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { attachmentKey } from '../../schema/resources/attachment/files.ts';
import { fileEntry, macEntry, manifestEntry, tableEntry, type Manifest } from './manifest.ts';
import { sealSecret } from './passphrase.ts';
import { makeWholeFile } from './whole-file.ts';
import { copySource, listSequences, listTables } from './tables.ts';

/** The input of a backup. */
export interface BackupOptions {
  /** The database's URL for a superuser: row-level security hides rows from other roles. */
  superuserUrl: string;
  /** KONTOR_SECRET, which encrypts webhook secrets. */
  secret: string;
  /** The passphrase that encrypts the secret in the backup, and authenticates everything. */
  passphrase: string;
  /** Where attachments are. */
  files: Pick<FileStorage, 'read'>;
  /** Is called with the key of an attachment whose file the storage has lost. */
  onMissing: (key: string) => void;
  /** The file to write; there must be none. */
  file: string;
  /** Breaks it off: nothing is left of it. */
  signal?: AbortSignal;
  /** Is called with PostgreSQL's name of the snapshot, while it exists. */
  onSnapshot?: (snapshot: string) => Promise<void>;
  /** As that of makeWholeFile(). */
  onDraft?: (draft: string) => () => void;
}

/**
 * Writes a consistent copy of the database to a file, while the service runs: all rows as of one moment.
 * The file is a zip archive; it appears under its name once it is complete and on disk. Only its owner may read it.
 * @throws Error of one line when the file is there already, can't be written, or the database can't be read
 */
export async function backUp({
  superuserUrl,
  secret,
  passphrase,
  file,
  onSnapshot,
  onDraft,
  signal,
  ...storage
}: BackupOptions): Promise<Manifest> {
  const write = async (draft: string): Promise<Manifest> => {
    const protection = await sealSecret(secret, passphrase);
    return inSnapshot(superuserUrl, signal, async (client) => {
      await onSnapshot?.(await exportSnapshot(client));
      return writeArchive(client, draft, protection, storage);
    });
  };
  return makeWholeFile(file, write, onDraft);
}

/** Runs `read` in a transaction that sees the database as it was when it began. Migrations wait until its end. */
async function inSnapshot<T>(
  url: string,
  signal: AbortSignal | undefined,
  read: (client: Client) => Promise<T>,
): Promise<T> {
  const client = createConnection({ connectionString: url, application_name: 'kontor backup' });
  client.on('error', () => {}); // the query that was under way says it
  await client.connect();
  const breakOff = (): void => void client.end().catch(() => {});
  signal?.addEventListener('abort', breakOff);
  try {
    signal?.throwIfAborted();
    await client.query(`set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set extra_float_digits = 1`);
    await keepMigrationsAway(client);
    await client.query('begin transaction isolation level repeatable read, read only');
    return await read(client);
  } finally {
    signal?.removeEventListener('abort', breakOff);
    await client.end().catch(() => {});
  }
}

async function exportSnapshot(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select pg_export_snapshot() as name');
  return rows[0]?.name ?? '';
}

async function writeArchive(
  client: Client,
  draft: string,
  { sealed: secret, mac }: Awaited<ReturnType<typeof sealSecret>>,
  { files, onMissing }: Pick<BackupOptions, 'files' | 'onMissing'>,
): Promise<Manifest> {
  const { rows } = await client.query<{ name: string; now: Date }>(
    'select migration_name as name, now() from _prisma_migrations where finished_at is not null order by 1',
  );
  const manifest: Manifest = {
    format: 3,
    createdAt: (rows[0]?.now ?? new Date()).toISOString(),
    migrations: rows.map(({ name }) => name),
    secret,
    tables: [],
    sequences: await listSequences(client),
  };
  const archive = new ZipFile();
  // yazl doesn't listen to the streams of its entries.
  const guarded = <T extends Readable>(entry: T): T => entry.on('error', (error) => archive.emit('error', error));
  // The next entry begins when the one before is written: a connection copies one table at a time.
  for (const table of await listTables(client)) {
    archive.addReadStreamLazy(tableEntry(table.name), (begin) => {
      const rowsOut = client.query(copyTo(`copy ${copySource(table)} to stdout`));
      const counted = hashed((sum) => manifest.tables.push({ ...table, rows: rowsOut.rowCount, ...sum }));
      rowsOut.on('error', (error) => counted.destroy(error));
      begin(null, rowsOut.pipe(guarded(counted)));
    });
  }
  for (const key of await listFiles(client)) {
    archive.addReadStreamLazy(fileEntry(key), { compress: false }, (begin) => {
      void openFile(files, key, onMissing).then(
        (content) => begin(null, guarded(content)),
        (error: Error) => begin(error, Readable.from([])),
      );
    });
  }
  const text = (): string => JSON.stringify(manifest, null, 2);
  archive.addReadStreamLazy(manifestEntry, (begin) => {
    begin(null, Readable.from([text()]));
  });
  archive.addReadStreamLazy(macEntry, (begin) => {
    begin(null, Readable.from([mac(text()).toString('hex')]));
  });
  const written = pipeline(archive.outputStream, createWriteStream(draft, { flags: 'r+', flush: true }));
  // There may be several: a full disk is followed by the end of the connection.
  const failed = new Promise<never>((_, reject) => archive.on('error', reject));
  archive.end();
  await Promise.race([written, failed]);
  return manifest;
}

/** A file of the storage: empty if it is lost, which no attachment is. */
async function openFile(
  files: BackupOptions['files'],
  key: string,
  onMissing: BackupOptions['onMissing'],
): Promise<Readable> {
  const stored = await files.read(key);
  if (!stored) onMissing(key);
  return stored?.content ?? Readable.from([]);
}

/** The keys of the files that the rows of the snapshot have. A file that is deleted meanwhile stays for a day. */
async function listFiles(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ tenant_id: string; id: string }>(
    'select tenant_id, id from attachments order by tenant_id, id',
  );
  return rows.map((row) => attachmentKey(row.tenant_id, row.id));
}

/** Passes bytes on. @param report gets their number and hash at their end */
function hashed(report: (sum: { bytes: number; sha256: string }) => void): Transform {
  const hash = createHash('sha256');
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
    flush: (done) => {
      report({ bytes, sha256: hash.digest('hex') });
      done();
    },
  });
}
