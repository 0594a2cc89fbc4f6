import type { Pool, PoolClient } from 'pg';
import { ConfigError } from '../config/config.ts';
import { deriveAnchorKey } from './anchor-key.ts';
import { createEncryption } from './encryption.ts';
import { getSecretId, Keyring } from './keyring.ts';
import { findSealer, sealSample } from './secret-check.ts';
import { settledMs } from './watch-secrets.ts';

// A rotation replaces the secret of the installation while it runs. First all processes know both. Then the database says that the
// new one encrypts, and a job encrypts with it whatever the former one has (src/jobs/rotate-secret.ts). At last only the new one is
// needed.

/** The state of the last rotation, for the operator. */
export interface Rotation {
  state: 'none' | 'under_way' | 'done';
  /** The id of the secret that encrypts. */
  key: string;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** How many tenants have no value of the former secret any more, of how many. */
  tenantsDone: number;
  tenants: number;
  values: number;
  unreadable: number;
}

interface Row {
  sealed: Buffer;
  previousSealed: Buffer | null;
  formerAnchorKeys: Buffer | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  rotatedThrough: string | null;
  values: number;
  unreadable: number;
}

const select = `
  select sealed, previous_sealed as "previousSealed", former_anchor_keys as "formerAnchorKeys",
    rotation_started_at as "startedAt", rotation_finished_at as "finishedAt", rotated_through as "rotatedThrough",
    rotated_values as values, unreadable_values as unreadable
  from secret_checks`;

async function readRow(client: Pool | PoolClient, lock = ''): Promise<Row> {
  const [row] = (await client.query<Row>(`${select} ${lock}`)).rows;
  if (!row) throw new ConfigError('This database was never used with a secret: start Kontor first');
  return row;
}

const setBoth =
  'set KONTOR_SECRET to a new secret and KONTOR_SECRET_PREVIOUS to the present one, for this command and all processes';

/**
 * Has the database encrypt with KONTOR_SECRET instead of KONTOR_SECRET_PREVIOUS, and adds the job. If that is under way, only adds
 * the job, which the queue has once.
 *
 * @throws ConfigError if these aren't a new secret and the present one
 */
export async function startRotation(
  pool: Pool,
  { secret, previousSecret }: { secret: string; previousSecret: string | null },
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const row = await readRow(client, 'for update');
    if (row.previousSealed !== null) {
      if (!findSealer(row.sealed, [secret]))
        throw new ConfigError('Another rotation is under way: wait until `kontor secret status` says that it is done');
    } else {
      if (findSealer(row.sealed, [secret]))
        throw new ConfigError(`KONTOR_SECRET encrypts already. To replace it, ${setBoth}`);
      if (previousSecret === null || !findSealer(row.sealed, [previousSecret]))
        throw new ConfigError(`KONTOR_SECRET_PREVIOUS is not the present secret: ${setBoth}`);
      const formerKeys = [
        ...openFormerKeys(row, new Keyring(previousSecret)),
        deriveAnchorKey(previousSecret).publicKey.toString('base64'),
      ];
      await client.query(
        `update secret_checks set sealed = $1, key_id = $2, previous_sealed = sealed, former_anchor_keys = $3,
           rotation_started_at = clock_timestamp(), rotation_finished_at = null, rotated_through = null,
           rotated_values = 0, unreadable_values = 0`,
        [sealSample(secret, { named: true }), getSecretId(secret), sealFormerKeys(secret, formerKeys)],
      );
    }
    // Not before all processes have noticed: what they write until then is among what the job finds.
    await client.query(
      `select graphile_worker.add_job('rotate_secret', run_at => now() + $1 * interval '1 ms', max_attempts => 1000,
         job_key => 'rotate_secret', job_key_mode => 'preserve_run_at')`,
      [settledMs],
    );
    await client.query('commit');
    client.release();
  } catch (error) {
    await client.query('rollback').catch(() => {});
    client.release();
    throw error;
  }
}

/**
 * The secret that encrypts, which is not KONTOR_SECRET before `secret rotate`: for backups, which have one secret only.
 * @throws ConfigError while it is being replaced
 */
export async function readPresentSecret(pool: Pool, keyring: Keyring): Promise<string> {
  if ((await readRotation(pool, keyring)).state === 'under_way')
    throw new ConfigError(
      'A rotation of KONTOR_SECRET is under way: wait until `kontor secret status` says that it is done',
    );
  return keyring.encrypting.key.secret;
}

/** The state of the last rotation. */
export async function readRotation(pool: Pool, keyring: Keyring): Promise<Rotation> {
  const row = await readRow(pool);
  const { rows } = await pool.query<{ tenants: number; done: number }>(
    'select count(*)::int as tenants, (count(*) filter (where id <= $1))::int as done from tenants',
    [row.rotatedThrough],
  );
  const { tenants = 0, done = 0 } = rows[0] ?? {};
  const state = row.startedAt === null ? 'none' : row.previousSealed === null ? 'done' : 'under_way';
  return {
    state,
    key: keyring.encrypting.key.id.toString('hex'),
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    tenantsDone: state === 'under_way' ? done : tenants,
    tenants,
    values: row.values,
    unreadable: row.unreadable,
  };
}

/**
 * The public keys that were derived from former secrets. Whoever writes into the database can't add another: they are encrypted
 * with the present secret.
 */
export const readFormerAnchorKeys = async (pool: Pool, keyring: Keyring): Promise<Buffer[]> =>
  openFormerKeys(await readRow(pool), keyring).map((key) => Buffer.from(key, 'base64'));

function openFormerKeys({ formerAnchorKeys }: Row, keyring: Keyring): string[] {
  if (formerAnchorKeys === null) return [];
  return JSON.parse(createEncryption(keyring, 'former anchor keys').open(formerAnchorKeys)) as string[];
}

const sealFormerKeys = (secret: string, keys: string[]): Uint8Array<ArrayBuffer> =>
  createEncryption(secret, 'former anchor keys').seal(JSON.stringify(keys));
