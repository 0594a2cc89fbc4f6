import type { Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { Workers } from '../../prisma/distribute/workers.ts';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import type { AnchorKey } from '../../schema/resources/anchor/signature.ts';
import { lackTimestamps } from '../../schema/resources/anchor/timestamp-anchors.ts';
import type { Domain } from '../domain.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { getJobPrincipal } from './job-principal.ts';
import { startPace } from './pace.ts';
import { timestampSoon } from './timestamp-anchors.ts';

/**
 * Signs the heads of each tenant's chains: once a day, in whichever hour the service runs.
 * @param withTimestamps whether to have the anchors time-stamped, those of test tenants excepted
 */
export const makeAnchors =
  (
    client: UnscopedClient,
    { contextFor }: Domain,
    key: () => AnchorKey,
    workers?: Workers,
    withTimestamps = false,
  ): Task =>
  async (_payload, { addJob, abortSignal }) => {
    const pause = startPace(abortSignal);
    const tenants = await client.tenant.findMany({ where: { closedAt: null } });
    await forEachTenant(tenants, workers, pause, async (tenant) => {
      const context = contextFor(getJobPrincipal(tenant));
      await makeAnchor(context, key());
      if (withTimestamps && !tenant.test && (await lackTimestamps(context))) await timestampSoon(addJob, tenant.id);
    });
  };
