import type { Pool } from 'pg';
import { ConfigError, type Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { createEncryption } from './encryption.ts';
import { Keyring } from './keyring.ts';
import { readOrCreateSecret } from './secret-file.ts';

const sample = 'kontor';
const purpose = 'secret check';

/** Which secret isn't among those that are configured. */
type Missing = 'present' | 'previous';

const problems: Record<Missing, string> = {
  present:
    'KONTOR_SECRET is not the one that this database was used with: its webhook secrets could not be read. Set the former one.',
  previous:
    'A rotation of KONTOR_SECRET is under way: set KONTOR_SECRET_PREVIOUS to the former one until `kontor secret status` says that it is done.',
};

/**
 * The configured secrets, or the one that is stored beside the embedded database.
 * @throws ConfigError if the database was used with another one
 */
export async function readKeyring(config: Config, { pool }: Pick<Database, 'pool'>): Promise<Keyring> {
  const keyring = new Keyring(config.secret ?? (await readOrCreateSecret(config.dataDir)), config.previousSecret);
  // A database that doesn't answer, or isn't migrated, can't tell yet: readiness asks again.
  const problem = await findSecretProblem(pool, keyring).catch(() => undefined);
  if (problem !== undefined) throw new ConfigError(problem);
  return keyring;
}

/** The database's record of its secrets: texts that were encrypted with them. */
interface SecretState {
  sealed: Uint8Array;
  /** The id of the secret that encrypts; null for the first one. */
  keyId: Uint8Array | null;
  /** The text that the former secret encrypted; null unless that secret is being replaced. */
  previousSealed: Uint8Array | null;
}

/** The sample as a secret encrypts it. @param named false for the first secret of a database */
export function sealSample(secret: string, { named }: { named: boolean }): Uint8Array<ArrayBuffer> {
  const keyring = Keyring.of(secret);
  keyring.encryptWith(secret, { named });
  return createEncryption(keyring, purpose).seal(sample);
}

/** The secret that encrypted a sample; undefined if it isn't among these. */
export const findSealer = (sealed: Uint8Array, secrets: readonly string[]): string | undefined =>
  secrets.find((secret) => {
    try {
      return createEncryption(secret, purpose).open(sealed) === sample;
    } catch {
      return false;
    }
  });

/** Reads the database's record of its secrets; undefined if the database was not used with one yet. */
export const readSecretState = async (pool: Pool): Promise<SecretState | undefined> =>
  (
    await pool.query<SecretState>(
      'select sealed, key_id as "keyId", previous_sealed as "previousSealed" from secret_checks',
    )
  ).rows[0];

/** Which secret of this database isn't among these; undefined if none is missing. */
export function findMissing({ sealed, previousSealed }: SecretState, secrets: readonly string[]): Missing | undefined {
  if (findSealer(sealed, secrets) === undefined) return 'present';
  return previousSealed !== null && findSealer(previousSealed, secrets) === undefined ? 'previous' : undefined;
}

/**
 * Finds the secrets that this database needs among those of the keyring, and has the keyring encrypt with the same as all processes.
 * The first process of a new database decides which that is.
 * @returns undefined if none is missing
 * @throws Error if the database doesn't answer, or isn't migrated
 */
export async function findSecretProblem(pool: Pool, keyring: Keyring): Promise<string | undefined> {
  const { secrets } = keyring;
  let state = await readSecretState(pool);
  if (state === undefined) {
    await pool.query('insert into secret_checks (sealed) values ($1) on conflict do nothing', [
      sealSample(secrets[0] ?? '', { named: false }),
    ]);
    state = await readSecretState(pool); // another process may have been first
  }
  if (state === undefined) throw new Error('The sample of the secret was deleted');
  const missing = findMissing(state, secrets);
  if (missing !== undefined) return problems[missing];
  const secret = findSealer(state.sealed, secrets);
  if (secret !== undefined) keyring.encryptWith(secret, { named: state.keyId !== null });
  return undefined;
}
