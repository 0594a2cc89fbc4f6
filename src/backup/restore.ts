import { createHash, timingSafeEqual } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished, pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { createConnection } from '../../prisma/connection/connection.ts';
import { from as copyFrom } from 'pg-copy-streams';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { z } from 'zod';
import {
  fileEntry,
  isUnauthenticated,
  macEntry,
  manifestEntry,
  manifestSchema,
  maxManifestBytes,
  tableEntry,
  type Manifest,
} from './manifest.ts';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { attachmentKey } from '../../schema/resources/attachment/files.ts';
import { openSecret } from './passphrase.ts';
import { copySource, listTables } from './tables.ts';

/** A backup that can't be restored. The message is one line, fit to be shown as it is. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** A backup's file, open. */
export interface Backup {
  /** Anybody can have written it, until the passphrase has authenticated it. */
  manifest: Manifest;
  /** @returns undefined if the passphrase is wrong, or the manifest was changed */
  authenticate(passphrase: string): Promise<AuthenticBackup | undefined>;
  close(): void;
}

/** A backup that was made with the passphrase, and wasn't changed since. */
export interface AuthenticBackup {
  /** KONTOR_SECRET. */
  secret: string;
  /**
   * Replaces all rows of a database with those of the backup, in one transaction. The database must have the same migrations.
   * @param superuserUrl of that database: only a superuser can disable triggers and foreign keys for the copied rows
   * @throws BackupError when the file is damaged or was changed; the database is then as it was
   */
  load(superuserUrl: string, signal?: AbortSignal): Promise<void>;
  /**
   * Stores the files of the rows that load() has written. The backup's own hashes are in these rows. Files of exports aren't in a
   * backup: these expire.
   * @returns the keys of those that were missing when the backup was made
   * @throws BackupError when a file is damaged or was changed
   */
  storeFiles(superuserUrl: string, files: Pick<FileStorage, 'write'>, signal?: AbortSignal): Promise<string[]>;
}

/** @throws BackupError if the file is no backup, is damaged, or has a format that this version doesn't know */
export async function openBackup(file: string): Promise<Backup> {
  const archive = await openPromise(file, { autoClose: false }).catch((error: Error) => {
    throw new BackupError(`${file} is no backup, or not a whole one: ${error.message}`, { cause: error });
  });
  try {
    const entries = new Map<string, Entry>();
    for await (const entry of archive.eachEntry()) entries.set(entry.fileName, entry);
    const written = await readSmall(file, archive, entries.get(manifestEntry), manifestEntry);
    const manifest = parseManifest(file, written);
    const mac = await readSmall(file, archive, entries.get(macEntry), macEntry);
    return {
      manifest,
      authenticate: async (passphrase) => {
        const opened = await openSecret(manifest.secret, passphrase);
        const expected = opened?.mac(written);
        const found = Buffer.from(mac.toString('latin1'), 'hex');
        if (!opened || found.length !== expected?.length || !timingSafeEqual(found, expected)) return undefined;
        const openRows = async (table: ManifestTable): Promise<Readable> => {
          const entry = entries.get(tableEntry(table.name));
          if (!entry) throw new BackupError(`${file} is damaged: it has no rows of ${table.name}`);
          return checked(await archive.openReadStreamPromise(entry), entry, table);
        };
        return {
          secret: opened.secret,
          load: async (superuserUrl, signal) => {
            // Checks the whole file first: PostgreSQL may report a damaged row before the end of the file is reached.
            for (const table of manifest.tables) await finished((await openRows(table)).resume(), { signal });
            await load(superuserUrl, manifest, openRows);
          },
          storeFiles: (superuserUrl, files, signal) =>
            storeFiles(superuserUrl, files, async (key) => {
              signal?.throwIfAborted();
              const entry = entries.get(fileEntry(key));
              return entry && entry.uncompressedSize > 0 ? archive.openReadStreamPromise(entry) : undefined;
            }),
        };
      },
      close: () => archive.close(),
    };
  } catch (error) {
    archive.close();
    throw error;
  }
}

/** Reads a part of the file that fits into memory. */
async function readSmall(file: string, archive: ZipFile, entry: Entry | undefined, name: string): Promise<Buffer> {
  if (!entry) {
    if (name === macEntry) throw new BackupError(`${file} is damaged: it has no ${macEntry}`);
    throw new BackupError(`${file} is no backup: it has no ${name}`);
  }
  // yauzl reads no more than this number says.
  if (entry.uncompressedSize > maxManifestBytes)
    throw new BackupError(`${file} is no backup: its ${name} has ${entry.uncompressedSize} bytes`);
  return buffer(await archive.openReadStreamPromise(entry)).catch((error: Error) => {
    throw new BackupError(`${file} is damaged, at ${name}: ${error.message}`, { cause: error });
  });
}

function parseManifest(file: string, written: Buffer): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(written.toString());
  } catch {
    throw new BackupError(`${file} is damaged, at ${manifestEntry}`);
  }
  if (isUnauthenticated(json))
    throw new BackupError(
      `${file} was made by an earlier version, and nothing proves that its rows are the same. Restore it with that version, and make a new backup`,
    );
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new BackupError(`${file} can't be restored by this version: ${z.prettifyError(parsed.error).split('\n')[0]}`);
}

type ManifestTable = Manifest['tables'][number];

/** Checks the rows by the manifest's hash. @returns the same bytes; at their end an error if it differs */
function checked(stream: Readable, { uncompressedSize, fileName }: Entry, { bytes, sha256 }: ManifestTable): Readable {
  const hash = createHash('sha256');
  const damaged = (): BackupError => new BackupError(`The backup is damaged, at ${fileName}`);
  const check = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      done(null, chunk);
    },
    flush: (done) => done(hash.digest('hex') === sha256 ? null : damaged()),
  });
  if (uncompressedSize !== bytes) check.destroy(damaged()); // it may be far longer
  stream.once('error', (error) => {
    check.destroy(new BackupError(`The backup is damaged, at ${fileName}: ${error.message}`, { cause: error }));
  });
  return stream.pipe(check);
}

async function storeFiles(
  superuserUrl: string,
  files: Pick<FileStorage, 'write'>,
  open: (key: string) => Promise<Readable | undefined>,
): Promise<string[]> {
  const client = createConnection({ connectionString: superuserUrl, application_name: 'kontor restore' });
  await client.connect();
  const missing: string[] = [];
  try {
    const { rows } = await client.query<Record<'tenant_id' | 'id', string> & { length: number; sha256: Buffer }>(
      'select tenant_id, id, length, sha256 from attachments order by tenant_id, id',
    );
    await client.query('update exports set expires_at = now() where expires_at > now()');
    for (const { tenant_id: tenantId, id, length, sha256 } of rows) {
      const key = attachmentKey(tenantId, id);
      const content = await open(key);
      if (!content) {
        missing.push(key);
        continue;
      }
      const stored = await files.write(key, content as AsyncIterable<Uint8Array>, length).catch((error: unknown) => {
        if (error instanceof StorageUnavailableError) throw error;
        return undefined; // it is longer, or can't be read
      });
      if (stored?.length !== length || !stored.sha256.equals(sha256))
        throw new BackupError(`The backup is damaged, at ${fileEntry(key)}`);
    }
  } finally {
    await client.end();
  }
  return missing;
}

async function load(
  superuserUrl: string,
  { tables, sequences }: Manifest,
  rowsOf: (table: ManifestTable) => Promise<Readable>,
): Promise<void> {
  const client = createConnection({ connectionString: superuserUrl, application_name: 'kontor restore' });
  client.on('error', () => {}); // the query that was under way says it
  await client.connect();
  try {
    const known = new Set((await listTables(client)).map(({ name }) => name));
    const unknown = tables.find(({ name }) => !known.has(name));
    if (unknown) throw new BackupError(`The backup has a table that this version doesn't know: ${unknown.name}`);
    await client.query(`set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set session_replication_role = 'replica'`);
    await client.query('begin');
    await client.query(`truncate ${[...known].join(', ')}`); // migrations may have written rows
    const addChecks = await dropChecks(client);
    for (const table of tables) {
      const into = client.query(copyFrom(`copy ${copySource(table)} from stdin`));
      await pipeline(await rowsOf(table), into);
      if (into.rowCount !== table.rows)
        throw new BackupError(`The backup is damaged: ${into.rowCount} rows of ${table.name} instead of ${table.rows}`);
    }
    for (const { name, lastValue } of sequences)
      if (lastValue !== null) await client.query('select setval($1::regclass, $2)', [name, lastValue]);
    // Cursors from before are refused: consumers may have seen changes that the backup doesn't have.
    await client.query('select start_change_epoch()');
    await addChecks();
    await client.query('commit');
    await client.query('analyze');
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Drops the CHECK constraints: a backup may have rows from before one, which violate it.
 * @returns adds them again, those that rows violate as `not valid`
 */
async function dropChecks(client: Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ drop: string; add: string; isValid: boolean }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add,
      convalidated as "isValid"
    from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`);
  for (const { drop } of rows) await client.query(drop);
  return async () => {
    for (const { add, isValid } of rows)
      await client.query(
        isValid ? `do $do$ begin ${add}; exception when check_violation then ${add} not valid; end $do$` : add,
      );
  };
}
