import { isConnectionLost, isUnwritable } from '../../prisma/client.ts';
import type { Workers } from '../../prisma/distribute/workers.ts';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import { InterruptedError } from './pace.ts';

/**
 * Does a job's work for one tenant after the other. A tenant whose work fails is left out, so that it keeps nobody else from
 * theirs; the job fails at the end, with the first error, and the queue tries it again. Where the database or the storage is
 * away, the job fails at once; but not for a worker of Citus, which has only some of the tenants.
 * @param workers undefined where all tenants are on one server
 * @param pause is called after each tenant (pace.ts)
 */
export async function forEachTenant<Tenant extends { id: string }>(
  tenants: readonly Tenant[],
  workers: Workers | undefined,
  pause: () => Promise<void>,
  work: (tenant: Tenant) => Promise<void>,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const tenant of tenants) {
    try {
      await work(tenant);
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      if (isOfAllTenants(error) && !(await isWorkerAway(tenant.id, workers))) throw error;
      failure ??= { error };
    }
    await pause();
  }
  if (failure) throw failure.error;
}

const isOfAllTenants = (error: unknown): boolean =>
  isConnectionLost(error) || isUnwritable(error) || error instanceof StorageUnavailableError;

async function isWorkerAway(tenantId: string, workers: Workers | undefined): Promise<boolean> {
  const worker = await workers?.find(tenantId).catch(() => undefined);
  return worker !== undefined && (await workers?.ask(worker)) === false;
}
