import type { Task } from 'graphile-worker';
import type { Pool } from 'pg';
import { forTenant, type TenantClient } from '../../prisma/client.ts';
import { currentTime } from '../../prisma/clock.ts';
import type { Database } from '../database/database.ts';
import { createEncryption, type Encryption } from '../security/encryption.ts';
import { keyIdBytes, type Keyring } from '../security/keyring.ts';
import { findSecretProblem } from '../security/secret-check.ts';
import { startPace } from './pace.ts';

/** The number of values that are encrypted at a time. */
const batchSize = 100;

/** How many values were encrypted anew, and how many no secret could decrypt. */
interface Counts {
  values: number;
  unreadable: number;
}

/**
 * Encrypts with the new secret of the installation whatever a former one has encrypted, tenant by tenant. If it is broken off, the
 * next run continues after the last tenant that is done.
 */
export const rotateSecret =
  ({ client, books, pool }: Pick<Database, 'client' | 'books' | 'pool'>, keyring: Keyring): Task =>
  async (_payload, { abortSignal }) => {
    const problem = await findSecretProblem(pool, keyring);
    if (problem !== undefined) throw new Error(problem);
    const { rows } = await pool.query<{ through: string | null }>(
      'select rotated_through as through from secret_checks where previous_sealed is not null',
    );
    const [rotation] = rows;
    if (!rotation) return;
    const { key } = keyring.encrypting;
    const pause = startPace(abortSignal);
    const where = rotation.through === null ? {} : { id: { gt: rotation.through } };
    for (const { id } of await client.tenant.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } })) {
      const db = forTenant(books, id);
      const webhooks = await encryptWebhooks(db, createEncryption(keyring, 'webhook secrets'), key.id);
      await pause();
      const responses = await encryptResponses(db, createEncryption(keyring, 'stored answers'), key.id, pause);
      await note(pool, key.id, id, {
        values: webhooks.values + responses.values,
        unreadable: webhooks.unreadable + responses.unreadable,
      });
      await pause();
    }
    await pool.query(
      'update secret_checks set previous_sealed = null, rotation_finished_at = clock_timestamp() where key_id = $1',
      [key.id],
    );
  };

const note = (pool: Pool, keyId: Uint8Array, tenantId: string, { values, unreadable }: Counts): Promise<unknown> =>
  pool.query(
    `update secret_checks set rotated_through = $1, rotated_values = rotated_values + $2,
       unreadable_values = unreadable_values + $3
     where key_id = $4`,
    [tenantId, values, unreadable, keyId],
  );

/** Begins with another id, or with none: substring() counts from 1. */
const isOfOther = (column: string): string => `substring(${column} from 1 for ${keyIdBytes}) <> $2`;

interface SealedWebhook {
  secret: Uint8Array;
  previousSecret: Uint8Array | null;
  earlierSecret: Uint8Array | null;
}

const ofOther = ['secret', 'previous_secret', 'earlier_secret'].map(isOfOther).join(' or ');

/** A tenant has few webhooks; also deleted ones count. */
async function encryptWebhooks(db: TenantClient, encryption: Encryption, keyId: Uint8Array): Promise<Counts> {
  const counts = { values: 0, unreadable: 0 };
  const rows = await db.$rows<{ id: string }>(`select id from webhooks where tenant_id = $1 and (${ofOther})`, [keyId]);
  for (const { id } of rows) {
    const { values, unreadable } = await encryptWebhook(db, encryption, keyId, id);
    counts.values += values;
    counts.unreadable += unreadable;
  }
  return counts;
}

async function encryptWebhook(
  db: TenantClient,
  encryption: Encryption,
  keyId: Uint8Array,
  id: string,
): Promise<Counts> {
  for (;;) {
    const counts = { values: 0, unreadable: 0 };
    const [row] = await db.$rows<SealedWebhook>(
      `select secret, previous_secret as "previousSecret", earlier_secret as "earlierSecret" from webhooks
       where tenant_id = $1 and id = $3 and (${ofOther})`,
      [keyId, id],
    );
    if (!row) return counts;
    const before = [row.secret, row.previousSecret, row.earlierSecret];
    const after = before.map((sealed) => sealed && reseal(sealed, encryption, counts));
    const written = await db.$rows(
      `update webhooks set secret = $3, previous_secret = $4, earlier_secret = $5, reencrypted_at = $9
       where tenant_id = $1 and id = $2 and secret = $6 and previous_secret is not distinct from $7
         and earlier_secret is not distinct from $8
       returning id`,
      [id, ...after, ...before, currentTime()],
    );
    if (written.length > 0) return counts;
    // Somebody has made a new secret meanwhile: the row still has the one before, in another column.
  }
}

async function encryptResponses(
  db: TenantClient,
  encryption: Encryption,
  keyId: Uint8Array,
  pause: () => Promise<void>,
): Promise<Counts> {
  const counts = { values: 0, unreadable: 0 };
  for (let last: Uint8Array = new Uint8Array(); ;) {
    const rows = await db.$rows<{ request: Uint8Array; response: Uint8Array }>(
      `select request, response from stored_responses
       where tenant_id = $1 and ${isOfOther('response')} and request > $3 order by request limit ${batchSize}`,
      [keyId, last],
    );
    for (const { request, response } of rows) {
      const after = reseal(response, encryption, counts);
      await db.$rows(
        'update stored_responses set response = $3 where tenant_id = $1 and request = $2 and response = $4',
        [request, after, response],
      );
      last = request;
    }
    await pause();
    if (rows.length < batchSize) return counts;
  }
}

/** Encrypts a value anew. A value that can't be decrypted stays as it is, and is counted. */
function reseal(sealed: Uint8Array, { open, seal }: Encryption, counts: Counts): Uint8Array {
  let text: string;
  try {
    text = open(sealed);
  } catch {
    counts.unreadable++;
    return sealed;
  }
  counts.values++;
  return seal(text);
}
