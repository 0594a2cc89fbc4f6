import type { AddJobFunction, Task } from 'graphile-worker';
import { currentTime } from '../../prisma/clock.ts';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { Workers } from '../../prisma/distribute/workers.ts';
import { hasUnproven, proveNext } from '../../schema/resources/document/proofs.ts';
import type { Domain } from '../domain.ts';
import { forEachTenant } from './for-each-tenant.ts';
import { getJobPrincipal } from './job-principal.ts';
import { startPace } from './pace.ts';

/** How long after an invoice is issued its files are made, so that a job makes those of many. In milliseconds. */
const delayMs = 10_000;

/**
 * The jobs of a named queue run one after another, whichever worker runs them: making files takes so much CPU time that several
 * at once would delay everybody.
 */
const queueName = 'prove_documents';
/** Lower than that of other jobs. Otherwise a worker may find only such jobs at first, of which it can take just one. */
const priority = 1;

/** The job's payload: the tenant; none for all tenants. */
interface Payload {
  tenantId?: string;
}

/** Has the files of a tenant's issued invoices made. Such a job that waits already stays as it is. */
export const proveSoon =
  (addJob: AddJobFunction, after = delayMs) =>
  async (tenantId: string): Promise<void> => {
    const runAt = new Date(currentTime().getTime() + after);
    const jobKey = `prove_documents ${tenantId}`;
    const spec = { queueName, priority, jobKey, jobKeyMode: 'preserve_run_at', runAt } as const;
    await addJob('prove_documents', { tenantId }, spec);
  };

/**
 * Makes and proves the files of some of a tenant's issued invoices, and adds a job for the rest, so that tenants take turns.
 * The job of all tenants, every night, only adds jobs, in case one was lost.
 */
export const proveDocuments =
  (client: UnscopedClient, { contextFor }: Domain, workers?: Workers): Task =>
  async (payload, { addJob, abortSignal }) => {
    const { tenantId } = payload as Payload;
    const pause = startPace(abortSignal);
    const where = { closedAt: null, ...(tenantId !== undefined && { id: tenantId }) };
    await forEachTenant(await client.tenant.findMany({ where }), workers, pause, async (tenant) => {
      const context = contextFor(getJobPrincipal(tenant));
      if (tenantId !== undefined) await proveNext(context, pause);
      if (await hasUnproven(context)) await proveSoon(addJob, 0)(tenant.id);
    });
  };
