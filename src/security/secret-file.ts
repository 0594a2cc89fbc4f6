import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/config.ts';
import { isStrongSecret } from '../config/secret-strength.ts';

/**
 * The secret that is stored beside the embedded database, if the environment has none: 32 random bytes in base64, generated
 * at first use. Processes that start at the same time get the same secret.
 *
 * @throws ConfigError if the file is damaged: a new secret could not decrypt existing data
 */
export async function readOrCreateSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'secret');
  const secret = (await readSecret(file)) ?? (await writeSecretFile(dataDir, randomBytes(32).toString('base64')));
  if (!isStrongSecret(secret))
    throw new ConfigError(`${file} is damaged: put the secret back that was there, or set KONTOR_SECRET`);
  return secret;
}

/** @returns undefined if there is none */
export const readSecretFile = (dataDir: string): Promise<string | undefined> => readSecret(join(dataDir, 'secret'));

async function readSecret(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (getCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Stores a secret beside the embedded database, unless one is stored there already.
 * @returns the secret that is stored from now on
 */
export async function writeSecretFile(dataDir: string, secret: string): Promise<string> {
  const file = join(dataDir, 'secret');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${secret}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Linking is atomic, and fails if the file exists: the first process wins, the others read its secret.
    await link(draft, file).catch((error: unknown) => {
      if (getCode(error) !== 'EEXIST') throw error;
    });
    await syncFolder(dataDir); // before anything is encrypted with it
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const getCode = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;
