import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { Workers } from '../../prisma/distribute/workers.ts';
import { deleteUnusedFiles as deleteOfTenant } from '../../schema/resources/attachment/files.ts';
import type { Domain } from '../domain.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { getJobPrincipal } from './job-principal.ts';
import { startPace } from './pace.ts';

/** Deletes the files that uploads which broke off, and removed attachments, have left in the storage a day ago. */
export const deleteUnusedFiles =
  (client: UnscopedClient, { contextFor }: Domain, workers?: Workers): Task =>
  async (_payload, { abortSignal }) => {
    const pause = startPace(abortSignal);
    await forEachTenant(await client.tenant.findMany(), workers, pause, async (tenant) =>
      deleteOfTenant(contextFor(getJobPrincipal(tenant)), pause),
    );
  };
