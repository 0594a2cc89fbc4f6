import type { Task } from 'graphile-worker';
import { currentTime } from '../../prisma/clock.ts';
import { forTenant, type UnscopedClient } from '../../prisma/client.ts';
import { cursorDays } from '../../schema/changes/change-cursor.ts';
import { defaultEventDays } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { deleteEndedTokens, deleteExpiredInvitations, deleteExpiredSessions } from '../identity/index.ts';
import { deleteExpiredHits } from '../security/rate-limit.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { startPace } from './pace.ts';
import { deleteExpiredResponses } from '../security/idempotency/stored-responses.ts';

/** How long tokens are kept that have ended. */
const endedTokenDays = 90;

/** How long the change feed keeps deletions: longer than a cursor is valid (schema/changes/change-cursor.ts). */
const deletionDays = cursorDays + 10;

/** How long bulk operations and their results are kept after their end. */
export const bulkDays = 30;

const daysBefore = (time: Date, days: number): Date => new Date(time.getTime() - days * 86_400_000);

/** The number of rows that are deleted at a time, so that no statement takes long. */
const batchSize = 200;

/** The same of rows that are short, and that no other rows but a few belong to. */
const largeBatchSize = 5000;

async function inBatches(
  deleteSome: (limit: number) => Promise<{ count: number }>,
  pause: () => Promise<void>,
  size = batchSize,
): Promise<void> {
  for (;;) {
    const { count } = await deleteSome(size);
    await pause();
    if (count < size) return;
  }
}

/**
 * Deletes events and the delivery log after `eventDays` (DECISIONS.md#d35-delivery-log), bulk operations after 30, the audit log after years, old deletions in the change
 * feed, and expired rows.
 */
export const cleanUp =
  (
    { client, books, pool, workers }: Pick<Database, 'client' | 'books' | 'pool' | 'workers'>,
    auditLogYears: number,
    eventDays: number = defaultEventDays,
  ): Task =>
  async (_payload, { abortSignal }) => {
    const pause = startPace(abortSignal);
    await inBatches((limit) => deleteExpiredHits(pool, limit), pause, largeBatchSize);
    const now = currentTime();
    await deleteExpiredSessions(client, now);
    await deleteExpiredInvitations(client, now);
    const before = daysBefore(now, eventDays);
    const deletedBefore = daysBefore(now, deletionDays);
    const auditedBefore = new Date(now);
    auditedBefore.setUTCFullYear(now.getUTCFullYear() - auditLogYears);
    await deleteEndedTokens(client, daysBefore(now, endedTokenDays));
    const tenants = await client.tenant.findMany({ select: { id: true } });
    await forEachTenant(tenants, workers, pause, async ({ id }) => {
      const db = forTenant(books, id);
      const ended = { createdAt: { lt: before }, state: { not: 'WAITING' } } as const;
      await inBatches((limit) => db.delivery.deleteMany({ where: ended, limit }), pause);
      await inBatches(
        (limit) => db.event.deleteMany({ where: { createdAt: { lt: before }, deliveries: { none: {} } }, limit }),
        pause,
      );
      const deletions = { deleted: true, changedAt: { lt: deletedBefore } };
      const oldBulk = { finishedAt: { lt: daysBefore(now, bulkDays) } };
      // First, because an operation may have thousands, which would be deleted with it.
      await inBatches((limit) => db.bulkChunk.deleteMany({ where: { operation: oldBulk }, limit }), pause);
      await inBatches((limit) => db.bulkOperation.deleteMany({ where: oldBulk, limit }), pause);
      await inBatches((limit) => db.change.deleteMany({ where: deletions, limit }), pause);
      // As the owner: the role of the books may not. A seal refers to its entry.
      const oldSeals = { tenantId: id, sealedAt: { lt: auditedBefore } };
      await inBatches((limit) => client.auditSeal.deleteMany({ where: oldSeals, limit }), pause);
      await inBatches((limit) => deleteAuditEntries(client, id, auditedBefore, limit), pause);
    });
  };

/**
 * Deletes entries of a tenant's audit log that have no seal any more. Each entry's seal is looked up by an index, hence `offset 0`:
 * PostgreSQL compared each entry with the seals of all tenants.
 */
async function deleteAuditEntries(
  client: UnscopedClient,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<{ count: number }> {
  const count = await client.$executeRaw`
    delete from audit_entries where tenant_id = ${tenantId}::uuid and id = any(array(
      select id from audit_entries as entry
      where tenant_id = ${tenantId}::uuid and at < ${before}::timestamptz
        and not exists (select from audit_seals where tenant_id = ${tenantId}::uuid and id = entry.id offset 0)
      limit ${limit}
    ))`;
  return { count };
}

/** Deletes stored responses after a day. */
export const cleanUpResponses =
  ({ client, books, workers }: Pick<Database, 'client' | 'books' | 'workers'>): Task =>
  async (_payload, { abortSignal }) => {
    const now = currentTime();
    const pause = startPace(abortSignal);
    const tenants = await client.tenant.findMany({ select: { id: true } });
    await forEachTenant(tenants, workers, pause, async ({ id }) => {
      const db = forTenant(books, id);
      await inBatches((limit) => deleteExpiredResponses(db, now, limit), pause);
    });
  };
