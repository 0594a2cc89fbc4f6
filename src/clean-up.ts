import type { Task } from 'graphile-worker';
import type { Database } from './database.ts';
import { forgetInvitations, forgetSessions } from './identity/index.ts';
import { forget } from './rate-limit.ts';
import { forgetAnswers } from './stored-answers.ts';

/** How long the audit log is kept (decisions, 6). */
const keptDays = 90;

/** Deletes what nobody looks up any more: the audit log after 90 days, and what has expired. */
export const cleanUp =
  ({ client, pool }: Pick<Database, 'client' | 'pool'>): Task =>
  async () => {
    await forget(pool);
    const now = new Date();
    await forgetSessions(client, now);
    await forgetInvitations(client, now);
    const before = new Date(now.getTime() - keptDays * 86_400_000);
    await client.delivery.deleteMany({ where: { createdAt: { lt: before }, state: { not: 'WAITING' } } });
    await client.event.deleteMany({ where: { createdAt: { lt: before }, deliveries: { none: {} } } });
  };

/** Deletes what is kept for a day: the answers to requests with an Idempotency-Key. */
export const cleanUpAnswers =
  ({ client }: Pick<Database, 'client'>): Task =>
  () =>
    forgetAnswers(client, new Date());
