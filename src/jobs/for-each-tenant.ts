import type { Workers } from '../../prisma/distribute/workers.ts';

/**
 * Does a job's work for one tenant after the other. While a worker of Citus doesn't answer, its tenants are left out, and the job
 * fails at the end: the queue tries it again.
 * @param workers undefined where all tenants are on one server
 * @param pause is called after each tenant (pace.ts)
 */
export async function forEachTenant<Tenant extends { id: string }>(
  tenants: readonly Tenant[],
  workers: Workers | undefined,
  pause: () => Promise<void>,
  work: (tenant: Tenant) => Promise<void>,
): Promise<void> {
  let failure: unknown;
  for (const tenant of tenants) {
    try {
      await work(tenant);
    } catch (error) {
      const worker = await workers?.find(tenant.id).catch(() => undefined);
      if (worker === undefined || (await workers?.ask(worker)) !== false) throw error;
      failure ??= error;
    }
    await pause();
  }
  if (failure !== undefined) throw failure;
}
