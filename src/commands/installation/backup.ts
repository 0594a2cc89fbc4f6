import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { ConnectionPool } from '../../../prisma/connection/connection.ts';
import { commitBeforeBaseline, isBeforeBaseline, underBaseline } from '../../../prisma/migrate/before-baseline.ts';
import { migrate, migrations } from '../../../prisma/migrate/migrate.ts';
import { backUp } from '../../backup/backup.ts';
import { BackupError, openBackup, type AuthenticBackup, type Backup } from '../../backup/restore.ts';
import { readConfig, type Config } from '../../config/config.ts';
import { minPassphraseLength } from '../../config/setting-types.ts';
import { readSecretSetting } from '../../config/secret-settings.ts';
import { openStorage } from '../../storage/storage.ts';
import { RefusedError } from '../../identity/index.ts';
import { readPresentSecret } from '../../security/rotation.ts';
import { readKeyring } from '../../security/secret-check.ts';
import { writeSecretFile } from '../../security/secret-file.ts';
import { print, printJson, printError } from '../output.ts';
import { untilStopped } from '../until-stopped.ts';
import { removeWhenInterrupted } from '../when-interrupted.ts';
import { joinEmbeddedPostgres } from '../../database/postgres/embedded-postgres.ts';
import { asJson, type Json } from '../json-option.ts';

interface Options extends Json {
  passphraseStdin?: true;
}

export function addBackupCommands(program: Command): void {
  const withPassphrase = (command: Command): Command =>
    asJson(command)
      .argument('<file>')
      .option('--passphrase-stdin', 'read the passphrase from standard input')
      .addHelpText(
        'after',
        '\nThe command asks for the passphrase on a terminal, or reads it from KONTOR_BACKUP_PASSPHRASE.',
      );

  withPassphrase(
    program
      .command('backup')
      .description('copy the embedded database to a file while it runs, with its secret encrypted by a passphrase'),
  ).action(async (file: string, options: Options) => {
    const config = embeddedConfig();
    const passphrase = await readPassphrase(options, { isNew: true });
    const { superuserUrl, leave } = await openMigrated(config.dataDir);
    try {
      const secret = await readSecret(config, superuserUrl);
      const { createdAt, tables } = await backUp({
        superuserUrl,
        secret,
        passphrase,
        file,
        files: await openStorage(config),
        onDraft: removeWhenInterrupted,
        onMissing: (key) => printError(`${key} is missing in the storage of files, and in the backup`),
      });
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      if (options.json) printJson({ file, createdAt, rows });
      else print(`${rows} rows of ${tables.length} tables, as of ${createdAt}, were written to ${file}`);
    } finally {
      await leave();
    }
  });

  withPassphrase(
    program.command('restore').description('create an embedded database from a backup, in an empty DATA_DIR'),
  ).action(async (file: string, options: Options) => {
    const config = embeddedConfig();
    await requireEmpty(config.dataDir);
    const backup = await openBackup(file);
    try {
      const last = await lastMigration(backup);
      const authentic = await backup.authenticate(await readPassphrase(options, { isNew: false }));
      if (!authentic) throw new RefusedError('The passphrase is wrong, or the backup is damaged or was changed');
      if (config.secret !== null && config.secret !== authentic.secret)
        throw new RefusedError(
          'KONTOR_SECRET is not the secret of the backup: unset it, and the secret of the backup is used',
        );
      await restore(config, authentic, last);
    } finally {
      backup.close();
    }
    const { createdAt, tables } = backup.manifest;
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    if (options.json) printJson({ dataDir: config.dataDir, createdAt, rows });
    else print(`Restored ${rows} rows, as of ${createdAt}, into ${config.dataDir}`);
  });
}

/** @throws ConfigError while it is being replaced */
async function readSecret(config: Config, connectionString: string): Promise<string> {
  const pool = new ConnectionPool({ connectionString, max: 1 });
  try {
    return await readPresentSecret(pool, await readKeyring(config, { pool }));
  } finally {
    await pool.end();
  }
}

/** @throws RefusedError where the database is the operator's own */
function embeddedConfig(): Config {
  const config = readConfig(process.env);
  if (config.databaseUrl !== null)
    throw new RefusedError(
      'This command is for the embedded database. For your own PostgreSQL see OPERATING.md, Backup',
    );
  return config;
}

async function openMigrated(dataDir: string): Promise<Awaited<ReturnType<typeof joinEmbeddedPostgres>>> {
  const postgres = await joinEmbeddedPostgres(dataDir, printError);
  try {
    await migrate(postgres.url, printError, { superuserUrl: postgres.superuserUrl });
  } catch (error) {
    await postgres.leave();
    throw error;
  }
  return postgres;
}

async function requireEmpty(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length > 0) throw new RefusedError(`${dataDir} is not empty: set DATA_DIR to another folder`);
}

/** @throws BackupError when a later version made the backup, or one from long before 1.0.0 */
async function lastMigration({ manifest }: Backup): Promise<string | undefined> {
  const known = new Set((await migrations()).map(({ name }) => name));
  const made = underBaseline(manifest.migrations);
  const unknown = made.find((name) => !known.has(name));
  if (unknown && isBeforeBaseline(unknown))
    throw new BackupError(
      `A version from before 1.0.0 made this backup. Restore it with Kontor's commit ${commitBeforeBaseline}, start this version on that folder, and make a new backup`,
    );
  if (unknown)
    throw new BackupError(
      `A later version of Kontor made this backup: this version doesn't have the migration ${unknown}`,
    );
  return made.at(-1);
}

/** Removes everything that it created if it fails, or is interrupted. */
async function restore(
  config: Config,
  { secret, load, storeFiles }: AuthenticBackup,
  last: string | undefined,
): Promise<void> {
  const { dataDir } = config;
  const { signal } = untilStopped();
  const empty = async (): Promise<void> => {
    for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true, force: true });
  };
  const joined = joinEmbeddedPostgres(dataDir, printError);
  const { url, superuserUrl, location, leave } = await joined.catch(async (error: unknown) => {
    await empty();
    // Ctrl-C may also end a program of PostgreSQL that has just been started.
    throw signal.aborted ? interrupted() : error;
  });
  const fill = async (): Promise<void> => {
    await migrate(url, printError, { superuserUrl, last });
    await load(superuserUrl, signal);
    await migrate(url, printError, { superuserUrl });
    for (const key of await storeFiles(superuserUrl, await openStorage(config), signal))
      printError(`${key} is missing: it was when the backup was made`);
    signal.throwIfAborted();
    await writeSecretFile(dataDir, secret);
  };
  const filled = fill();
  try {
    await Promise.race([filled, untilAborted(signal)]);
    await leave();
  } catch (error) {
    await leave().catch(() => {});
    await filled.catch(() => {}); // it ends with the database
    if (location !== dataDir) await rm(location, { recursive: true, force: true });
    await empty();
    throw error;
  }
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw interrupted();
}

const interrupted = (): RefusedError => new RefusedError('Interrupted: nothing is restored');

async function readPassphrase({ passphraseStdin }: Options, { isNew }: { isNew: boolean }): Promise<string> {
  const passphrase = passphraseStdin
    ? (await text(process.stdin)).replace(/\r?\n$/, '')
    : (readSecretSetting(process.env, 'KONTOR_BACKUP_PASSPHRASE')?.text ?? (await askForPassphrase(isNew)));
  if (isNew && passphrase.length < minPassphraseLength)
    throw new RefusedError(`The passphrase must have at least ${minPassphraseLength} characters`);
  return passphrase;
}

async function askForPassphrase(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new RefusedError('Pass the passphrase by --passphrase-stdin or KONTOR_BACKUP_PASSPHRASE');
  const { default: ask } = await import('@inquirer/password');
  const output = { output: process.stderr }; // standard output is for the result
  const passphrase = await ask({ message: 'Passphrase of the backup' }, output);
  if (isNew && (await ask({ message: 'Repeat the passphrase' }, output)) !== passphrase)
    throw new RefusedError('The two passphrases differ');
  return passphrase;
}
