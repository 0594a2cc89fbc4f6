import type { Task } from 'graphile-worker';
import { forTenant } from '../../prisma/client.ts';
import type { Database } from '../database.ts';
import { deleteEndedTokens, deleteExpiredInvitations, deleteExpiredSessions } from '../identity/index.ts';
import { deleteExpiredHits } from '../rate-limit.ts';
import { deleteExpiredAnswers } from '../idempotency/stored-answers.ts';

/** How long the audit log is kept (DECISIONS.md#d35-audit-log). */
export const retentionDays = 90;

/** So many rows are deleted at a time: no statement takes long. */
const slice = 5000;

async function bySlices(deleteSome: (limit: number) => Promise<{ count: number }>): Promise<void> {
  while ((await deleteSome(slice)).count === slice);
}

/** Deletes what nobody looks up any more: the audit log after 90 days, and what has expired. */
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
      await bySlices((limit) => db.delivery.deleteMany({ where: ended, limit }));
      await bySlices((limit) =>
        db.event.deleteMany({ where: { createdAt: { lt: before }, deliveries: { none: {} } }, limit }),
      );
    }
  };

/** Deletes what is kept for a day: the answers to requests with an Idempotency-Key. */
export const cleanUpAnswers =
  ({ client, books }: Pick<Database, 'client' | 'books'>): Task =>
  async () => {
    const now = new Date();
    for (const { id } of await client.tenant.findMany({ select: { id: true } })) {
      await deleteExpiredAnswers(forTenant(books, id), now);
    }
  };
