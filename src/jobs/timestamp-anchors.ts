import type { AddJobFunction, Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import { getTimestamps } from '../../schema/resources/anchor/timestamp-anchors.ts';
import type { Domain } from '../domain.ts';
import { askAuthority } from './ask-authority.ts';
import { getJobPrincipal } from './job-principal.ts';
import type { TenantPayload } from './queue/tenant-queue.ts';

/** The jobs of a named queue run one after another, whichever worker runs them: an authority may refuse many requests at once. */
const queueName = 'timestamp_anchors';

/** Has a tenant's anchors time-stamped. The queue retries the job, and make_anchors adds it again each hour. */
export const timestampSoon = async (addJob: AddJobFunction, tenantId: string): Promise<void> =>
  void (await addJob('timestamp_anchors', { tenantId }, { queueName, jobKey: `timestamp_anchors ${tenantId}` }));

/**
 * Gets time-stamps for a tenant's anchors.
 * @param url the authority's; null: there is none any more
 */
export const timestampAnchors =
  (client: UnscopedClient, { contextFor }: Domain, url: string | null, timeoutMs?: number): Task =>
  async (payload, { abortSignal }) => {
    const { tenantId } = payload as TenantPayload;
    const tenant = await client.tenant.findFirst({ where: { id: tenantId, closedAt: null } });
    if (!tenant || url === null) return;
    const context = contextFor(getJobPrincipal(tenant));
    await getTimestamps(context, (request) => askAuthority(url, request, abortSignal, timeoutMs));
  };
