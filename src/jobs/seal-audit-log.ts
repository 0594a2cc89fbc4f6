import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { Workers } from '../../prisma/distribute/workers.ts';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import type { Domain } from '../domain.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { getJobPrincipal } from './job-principal.ts';
import { startPace } from './pace.ts';

/** Seals what was added to the tenants' audit logs. A tenant with very many new entries gets its turn again a minute later. */
export const sealAuditLog =
  (client: UnscopedClient, { contextFor }: Domain, workers?: Workers): Task =>
  async (_payload, { abortSignal }) => {
    const pause = startPace(abortSignal);
    await forEachTenant(await client.tenant.findMany(), workers, pause, async (tenant) => {
      const context = contextFor(getJobPrincipal(tenant));
      for (let left = 20; left > 0 && (await sealNext(context)); left -= 1) await pause();
    });
  };
