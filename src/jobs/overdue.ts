import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import { emitOverdue } from '../../schema/resources/invoice/overdue.ts';
import type { Domain } from '../domain.ts';
import { nobody } from './nobody.ts';
import { startPace } from './pace.ts';

/** Emits invoice.overdue, tenant by tenant, each by its own calendar day. */
export const overdue =
  (client: UnscopedClient, { contextFor }: Domain): Task =>
  async (_payload, { logger, abortSignal }) => {
    const pause = startPace(abortSignal);
    for (const tenant of await client.tenant.findMany({ where: { closedAt: null } })) {
      const emitted = await emitOverdue(contextFor({ user: nobody, tenant, token: null }), pause);
      if (emitted > 0) logger.info(`${emitted} invoices of ${tenant.id} are overdue`);
      await pause();
    }
  };
