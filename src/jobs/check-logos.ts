import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import { checkLogos as checkLogosOfTenant } from '../../schema/documents/check-logos.ts';
import type { Domain } from '../domain.ts';
import { nobody } from './nobody.ts';
import { startPace } from './pace.ts';

/** Deletes the stored logos that can't be decoded, and says so in the log. */
export const checkLogos =
  (client: UnscopedClient, { contextFor }: Domain): Task =>
  async (_payload, { logger, abortSignal }) => {
    const pause = startPace(abortSignal);
    for (const tenant of await client.tenant.findMany()) {
      for (const id of await checkLogosOfTenant(contextFor({ user: nobody, tenant, token: null }), pause))
        logger.warn(`Logo ${id} of tenant ${tenant.id} is deleted: it can't be decoded. Have it uploaded again.`);
      await pause();
    }
  };
