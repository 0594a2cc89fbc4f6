import type { Task } from 'graphile-worker';
import { forTenant } from '../../prisma/client.ts';
import type { Database } from '../database.ts';
import { deleteEndedTokens, deleteExpiredInvitations, deleteExpiredSessions } from '../identity/index.ts';
import { deleteExpiredHits } from '../rate-limit.ts';
import { deleteExpiredAnswers } from '../idempotency/stored-answers.ts';

/** How long the audit log is kept (DECISIONS.md#d35-audit-log). */
export const retentionDays = 90;

/** The number of rows that are deleted at a time, so that no statement takes long. */
const batchSize = 5000;

async function inBatches(deleteSome: (limit: number) => Promise<{ count: number }>): Promise<void> {
  while ((await deleteSome(batchSize)).count === batchSize);
}

/** Deletes the audit log after 90 days, and expired rows. */
export const cleanUp =
  ({ client, books, pool }: Pick<Database, 'client' | 'books' | 'pool'>): Task =>
  async () => {
    await deleteExpiredHits(pool);
    const now = new Date();
    await deleteExpiredSessions(client, now);
    await deleteExpiredInvitations(client, now);
    const before = new Date(now.getTime() - retentionDays * 86_400_000);
    await deleteEndedTokens(client, before);
    for (const { id } of await client.tenant.findMany({ select: { id: true } })) {
      const db = forTenant(books, id);
      const ended = { createdAt: { lt: before }, state: { not: 'WAITING' } } as const;
      await inBatches((limit) => db.delivery.deleteMany({ where: ended, limit }));
      await inBatches((limit) =>
        db.event.deleteMany({ where: { createdAt: { lt: before }, deliveries: { none: {} } }, limit }),
      );
    }
  };

/** Deletes stored answers after a day. */
export const cleanUpAnswers =
  ({ client, books }: Pick<Database, 'client' | 'books'>): Task =>
  async () => {
    const now = new Date();
    for (const { id } of await client.tenant.findMany({ select: { id: true } })) {
      await deleteExpiredAnswers(forTenant(books, id), now);
    }
  };
