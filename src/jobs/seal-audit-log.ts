import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import type { Domain } from '../domain.ts';
import { nobody } from './nobody.ts';
import { startPace } from './pace.ts';

/** Seals what was added to the tenants' audit logs. A tenant with very many new entries gets its turn again a minute later. */
export const sealAuditLog =
  (client: UnscopedClient, { contextFor }: Domain): Task =>
  async (_payload, { abortSignal }) => {
    const pause = startPace(abortSignal);
    for (const tenant of await client.tenant.findMany()) {
      const context = contextFor({ user: nobody, tenant, token: null });
      for (let left = 20; left > 0 && (await sealNext(context)); left -= 1) await pause();
      await pause();
    }
  };
