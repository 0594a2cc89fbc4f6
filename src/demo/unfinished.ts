import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createConnection } from '../../prisma/connection/connection.ts';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import type { Database } from '../database/database.ts';
import { deleteAbandonedTenant } from '../identity/index.ts';
import { demoEmail } from './tenants.ts';

// A file of the data folder names the demo tenants from before they are made until their books are filled. Where a start finds it,
// the one before was interrupted.

const lockKey = 0x64656d6f; // "demo"

const markIn = (dataDir: string): string => join(dataDir, 'demo-unfinished');

/**
 * Lets one process at a time make, fill, or delete the demo tenants. A process that is killed loses the lock with its connection.
 * @returns a function that releases it, any number of times; undefined while another process has it
 */
export async function lockDemo(url: string): Promise<(() => Promise<void>) | undefined> {
  const holder = createConnection({ connectionString: url });
  holder.on('error', () => {});
  await holder.connect();
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => (released ??= holder.end());
  const { rows } = await holder.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockKey]);
  if (rows[0]?.taken) return release;
  await release();
  return undefined;
}

/** Notes tenants whose creation isn't committed yet. */
export const markUnfinished = (dataDir: string, tenantIds: string[]): Promise<void> =>
  writeFile(markIn(dataDir), JSON.stringify(tenantIds), { mode: 0o600, flush: true });

export const markFinished = (dataDir: string): Promise<void> => rm(markIn(dataDir), { force: true });

/** The tenants of a start that was interrupted. */
export async function findUnfinished(dataDir: string): Promise<string[]> {
  const text = await readFile(markIn(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  try {
    return z.array(z.uuid()).parse(JSON.parse(text));
  } catch {
    return []; // The computer stopped while it was written: then nothing was committed yet.
  }
}

/**
 * Deletes tenants of a start that was interrupted, and their user, whose password nobody was told. They stay if somebody has come
 * to use them nevertheless, as an operator can let users and programs in.
 */
export async function deleteUnfinished(
  { client, pool }: Pick<Database, 'client' | 'pool'>,
  storage: Pick<FileStorage, 'delete'>,
  tenantIds: string[],
): Promise<void> {
  if (!(await deleteUser(client, tenantIds))) return;
  for (const id of tenantIds) await deleteAbandonedTenant(pool, storage, id);
}

/**
 * Deletes the demo's user, with memberships and token, so that nobody can use the tenants from here on.
 * @returns false, and deletes nothing, where it isn't as the start made it
 */
const deleteUser = (client: UnscopedClient, tenantIds: string[]): Promise<boolean> =>
  client.$transaction(async (db) => {
    // Locked, so that nobody becomes a member meanwhile.
    await db.$queryRaw`select from tenants where id = any (${tenantIds}::uuid[]) order by id for update`;
    const user = await db.user.findUnique({
      where: { email: demoEmail },
      include: { memberships: true, tokens: true, sessions: true },
    });
    const ofTenants = { tenantId: { in: tenantIds }, ...(user && { userId: { not: user.id } }) };
    const others =
      (await db.membership.count({ where: ofTenants })) +
      (await db.apiToken.count({ where: ofTenants })) +
      (await db.invitation.count({ where: { tenantId: ofTenants.tenantId } })) +
      (await db.tenant.count({ where: { testOf: ofTenants.tenantId } }));
    if (others > 0) return false;
    // Deleted before, or not made yet.
    if (!user || user.memberships.length === 0) return true;
    const isAsMade =
      user.memberships.every(({ tenantId }) => tenantIds.includes(tenantId)) &&
      user.sessions.length === 0 &&
      user.tokens.length <= 1;
    if (isAsMade) await db.user.delete({ where: { id: user.id } });
    return isAsMade;
  });
