import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { Workers } from '../../prisma/distribute/workers.ts';
import { emitOverdue } from '../../schema/resources/invoice/overdue.ts';
import type { Domain } from '../domain.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { getJobPrincipal } from './job-principal.ts';
import { startPace } from './pace.ts';

/** Emits invoice.overdue, tenant by tenant, each by its own calendar day. With a tenant in its payload, for that one. */
export const overdue =
  (client: UnscopedClient, { contextFor }: Domain, workers?: Workers): Task =>
  async (payload, { logger, abortSignal }) => {
    const { tenantId: id } = payload as { tenantId?: string };
    const pause = startPace(abortSignal);
    const tenants = await client.tenant.findMany({ where: { id, closedAt: null } });
    await forEachTenant(tenants, workers, pause, async (tenant) => {
      const emitted = await emitOverdue(contextFor(getJobPrincipal(tenant)), pause);
      if (emitted > 0) logger.info(`${emitted} invoices of ${tenant.id} are overdue`);
    });
  };
