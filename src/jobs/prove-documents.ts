import type { AddJobFunction, Task } from 'graphile-worker';
import type { UnscopedClient } from '../../prisma/client.ts';
import { proveAll } from '../../schema/documents/proofs.ts';
import type { Domain } from '../domain.ts';
import { nobody } from './nobody.ts';

/** How long after an invoice is issued its files are made, so that a job makes those of many. In milliseconds. */
const delayMs = 10_000;

/** The job's payload: the tenant; none for all tenants. */
interface Payload {
  tenantId?: string;
}

/** Has the files of a tenant's issued invoices made. There is one such job for a tenant at a time. */
export const proveSoon =
  (addJob: AddJobFunction) =>
  async (tenantId: string): Promise<void> => {
    const runAt = new Date(Date.now() + delayMs);
    const jobKey = `prove_documents ${tenantId}`;
    await addJob('prove_documents', { tenantId }, { jobKey, jobKeyMode: 'preserve_run_at', runAt });
  };

/** Makes and proves the files of issued invoices; every night of all tenants, in case a job was lost. */
export const proveDocuments =
  (client: UnscopedClient, { contextFor }: Domain): Task =>
  async (payload, { logger }) => {
    const { tenantId } = payload as Payload;
    const where = { closedAt: null, ...(tenantId !== undefined && { id: tenantId }) };
    for (const tenant of await client.tenant.findMany({ where })) {
      const proven = await proveAll(contextFor({ user: nobody, tenant, token: null }));
      if (proven > 0) logger.info(`the files of ${proven} invoices of ${tenant.id} are proven`);
    }
  };
