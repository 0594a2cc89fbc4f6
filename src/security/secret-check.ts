import type { Pool } from 'pg';
import { ConfigError, type Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { createEncryption } from './encryption.ts';
import { readOrCreateSecret } from './secret-file.ts';

const sample = 'kontor';
const purpose = 'secret check';

const wrongSecret =
  'KONTOR_SECRET is not the one that this database was used with: its webhook secrets could not be read. Set the former one.';

/**
 * The configured secret, or the one that is stored beside the embedded database.
 * @throws ConfigError if the database was used with another one
 */
export async function readSecret(config: Config, { pool }: Pick<Database, 'pool'>): Promise<string> {
  const secret = config.secret ?? (await readOrCreateSecret(config.dataDir));
  // A database that doesn't answer, or isn't migrated, can't tell yet: readiness asks again.
  const problem = await findSecretProblem(pool, secret).catch(() => undefined);
  if (problem !== undefined) throw new ConfigError(problem);
  return secret;
}

/**
 * Compares the secret with the one that this database was first used with, by a text that was encrypted then.
 * @returns undefined if it is the same, or the first one
 * @throws Error if the database doesn't answer, or isn't migrated
 */
export async function findSecretProblem(pool: Pool, secret: string): Promise<string | undefined> {
  let sealed = await findSample(pool);
  if (sealed === undefined) {
    await pool.query('insert into secret_checks (sealed) values ($1) on conflict do nothing', [
      createEncryption(secret, purpose).seal(sample),
    ]);
    sealed = await findSample(pool); // another process may have been first
  }
  if (sealed === undefined) throw new Error('The sample of the secret was deleted');
  return compareSecret(sealed, secret);
}

/** The text that was encrypted with the secret; undefined for a database that was never used. */
export const findSample = async (pool: Pool): Promise<Uint8Array | undefined> =>
  (await pool.query<{ sealed: Uint8Array }>('select sealed from secret_checks')).rows[0]?.sealed;

/** @returns undefined if the sample was encrypted with this secret */
export function compareSecret(sealed: Uint8Array, secret: string): string | undefined {
  try {
    return createEncryption(secret, purpose).open(sealed) === sample ? undefined : wrongSecret;
  } catch {
    return wrongSecret;
  }
}

/** A check for readiness, which asks the database until the secret was found to be right. */
export function createSecretCheck(pool: Pool, secret: string): () => Promise<string | undefined> {
  let isRight = false;
  return async () => {
    if (isRight) return undefined;
    const problem = await findSecretProblem(pool, secret);
    isRight = problem === undefined;
    return problem;
  };
}
