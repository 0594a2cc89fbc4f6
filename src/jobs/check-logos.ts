import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { Workers } from '../../prisma/distribute/workers.ts';
import { checkLogos as checkLogosOfTenant } from '../../schema/documents/check-logos.ts';
import type { Domain } from '../domain.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { getJobPrincipal } from './job-principal.ts';
import { startPace } from './pace.ts';

/** Deletes the stored logos that can't be decoded, and says so in the log. */
export const checkLogos =
  (client: UnscopedClient, { contextFor }: Domain, workers?: Workers): Task =>
  async (_payload, { logger, abortSignal }) => {
    const pause = startPace(abortSignal);
    await forEachTenant(await client.tenant.findMany(), workers, pause, async (tenant) => {
      for (const id of await checkLogosOfTenant(contextFor(getJobPrincipal(tenant)), pause))
        logger.warn(`Logo ${id} of tenant ${tenant.id} is deleted: it can't be decoded. Have it uploaded again.`);
    });
  };
