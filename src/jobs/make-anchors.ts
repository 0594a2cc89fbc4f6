import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import type { AnchorKey } from '../../schema/resources/anchor/signature.ts';
import type { Domain } from '../domain.ts';
import { nobody } from './nobody.ts';
import { startPace } from './pace.ts';

/** Signs the heads of each tenant's chains: once a day, in whichever hour the service runs. */
export const makeAnchors =
  (client: UnscopedClient, { contextFor }: Domain, key: () => AnchorKey): Task =>
  async (_payload, { abortSignal }) => {
    const pause = startPace(abortSignal);
    for (const tenant of await client.tenant.findMany({ where: { closedAt: null } })) {
      await makeAnchor(contextFor({ user: nobody, tenant, token: null }), key());
      await pause();
    }
  };
