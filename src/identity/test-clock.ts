import type { UnscopedClient } from '../../prisma/client.ts';
import { allowAccess } from './test-books.ts';

/**
 * Sets the clock of a test tenant forward. A trigger adds the job that looks for overdue invoices. Deliveries are planned by the
 * service's time, so those that wait for a retry come earlier by as much.
 * @returns null where the clock is as late already, and for what is no test tenant
 */
export function setTestClock(
  client: UnscopedClient,
  { id, time, now }: { id: string; time: Date; now: Date },
): Promise<{ clockAheadMs: number } | null> {
  return client.$transaction(async (db) => {
    const [tenant] = await db.$queryRaw<{ before: number }[]>`
      select clock_ahead_ms as before from tenants where id = ${id}::uuid and test for update`;
    const clockAheadMs = time.getTime() - now.getTime();
    if (!tenant || clockAheadMs <= tenant.before) return null;
    await db.tenant.update({ where: { id, test: true }, data: { clockAheadMs } });
    await allowAccess(db, id);
    const bySeconds = (clockAheadMs - tenant.before) / 1000;
    // In UTC, as Citus refuses to change a row by what depends on the session's time zone.
    await db.$executeRaw`
      update deliveries
      set next_attempt_at = greatest(${now},
        (next_attempt_at at time zone 'UTC' - make_interval(secs => ${bySeconds}::float8)) at time zone 'UTC')
      where tenant_id = ${id}::uuid and state = 'waiting' and next_attempt_at > ${now}`;
    return { clockAheadMs };
  });
}
