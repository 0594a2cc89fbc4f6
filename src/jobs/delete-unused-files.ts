import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import { deleteUnusedFiles as deleteOfTenant } from '../../schema/resources/attachment/files.ts';
import type { Domain } from '../domain.ts';
import { nobody } from './nobody.ts';
import { startPace } from './pace.ts';

/** Deletes the files that uploads which broke off, and removed attachments, have left in the storage a day ago. */
export const deleteUnusedFiles =
  (client: UnscopedClient, { contextFor }: Domain): Task =>
  async (_payload, { abortSignal }) => {
    const pause = startPace(abortSignal);
    for (const tenant of await client.tenant.findMany()) {
      await deleteOfTenant(contextFor({ user: nobody, tenant, token: null }), pause);
      await pause();
    }
  };
