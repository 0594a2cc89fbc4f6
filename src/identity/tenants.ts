import { z } from 'zod';
import { Prisma, type Tenant, type UnscopedClient } from '../../prisma/client.ts';
import { currentTime } from '../../prisma/clock.ts';
import { country, currency, requiredText } from '../../schema/graphql/input/validators.ts';
import { checked, checkedId, RefusedError } from './refused.ts';

/**
 * A new tenant, without users. By default in Germany, with EUR and UTC.
 *
 * @throws RefusedError
 */
export async function createTenant(
  client: Pick<UnscopedClient, 'tenant'>,
  input: { name: string; country?: string; currency?: string; timezone?: string },
): Promise<Tenant> {
  return client.tenant.create({
    data: {
      name: checked('name', requiredText(255), input.name),
      country: checked('country', country, input.country ?? 'DE'),
      defaultCurrency: checked('currency', currency, input.currency ?? 'EUR'),
      timezone: checked('time zone', timezone, input.timezone ?? 'UTC'),
    },
  });
}

/** All tenants, including closed ones, oldest first. */
export function listTenants(client: UnscopedClient): Promise<Tenant[]> {
  return client.tenant.findMany({ orderBy: { id: 'asc' } });
}

/**
 * Closes a tenant until it is reopened, and its test tenants with it. Its books, members, and tokens stay. Requests with its
 * tokens are answered 403, and its members' sessions can't use it.
 *
 * @throws RefusedError if it is unknown or closed already
 */
export async function closeTenant(client: UnscopedClient, id: string): Promise<void> {
  await client.$transaction(async (db) => {
    await openTenant(db, id, 'no key update');
    const which: Prisma.TenantWhereInput = { OR: [{ id }, { testOf: id, closedAt: null }] };
    await db.tenant.updateMany({ where: which, data: { closedAt: currentTime() } });
  });
}

/**
 * Reopens a closed tenant, and the test tenants that were closed with it: their tokens and members have access again.
 *
 * @throws RefusedError if it is unknown or open, or a test tenant of a closed tenant
 */
export async function reopenTenant(client: UnscopedClient, id: string): Promise<void> {
  await client.$transaction(async (db) => {
    const tenant = await lockTenant(db, id, 'no key update');
    if (!tenant) refuseUnknown(id);
    if (!tenant.closedAt) throw new RefusedError(`Tenant ${id} is open`);
    if (tenant.deletionStartedAt) throw new RefusedError(`Tenant ${id} is being deleted: it can't be reopened`);
    if (tenant.testOf !== null) await openTenant(db, tenant.testOf);
    const { closedAt } = tenant;
    await db.tenant.updateMany({ where: { OR: [{ id }, { testOf: id, closedAt }] }, data: { closedAt: null } });
  });
}

/** @throws RefusedError if the tenant is unknown */
export async function findTenant(client: UnscopedClient, id: string): Promise<Tenant> {
  const tenant = await client.tenant.findUnique({ where: { id: checkedId('tenant', id) } });
  return tenant ?? refuseUnknown(id);
}

/**
 * Requires a tenant that is open, and keeps it open until the transaction ends.
 *
 * @throws RefusedError if it is unknown or closed
 */
export async function openTenant(
  db: Prisma.TransactionClient,
  id: string,
  lock: 'share' | 'no key update' = 'share',
): Promise<void> {
  const tenant = await lockTenant(db, id, lock);
  if (!tenant) refuseUnknown(id);
  if (tenant.closedAt) throw new RefusedError(`Tenant ${id} is closed`);
}

type LockedTenant = Pick<Tenant, 'closedAt' | 'deletionStartedAt' | 'testOf'>;

/**
 * Locks a tenant's row until the transaction ends. `no key update` is for changes of its members and invitations, which
 * have to see each other.
 *
 * @returns undefined if the tenant is unknown
 */
export async function lockTenant(
  db: Prisma.TransactionClient,
  id: string,
  lock: 'share' | 'no key update',
): Promise<LockedTenant | undefined> {
  checkedId('tenant', id);
  const [tenant] = await db.$queryRaw<LockedTenant[]>`
    select closed_at as "closedAt", deletion_started_at as "deletionStartedAt", test_of as "testOf" from tenants where id = ${id}::uuid for ${Prisma.raw(lock)}`;
  return tenant;
}

function refuseUnknown(id: string): never {
  throw new RefusedError(`Unknown tenant "${id}"`);
}

const timezone = z.string().transform((name, issues) => {
  try {
    // "+02:00" would be accepted as well, but has no daylight saving time: a time zone must have a name.
    if (!/^[+-]/.test(name)) return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch {
    // not a time zone
  }
  issues.addIssue('Must be the name of an IANA time zone, like Europe/Berlin.');
  return z.NEVER;
});
