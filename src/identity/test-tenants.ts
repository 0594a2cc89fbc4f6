import {
  forTenant,
  withHolder,
  type Books,
  type Holder,
  type Prisma,
  type UnscopedClient,
} from '../../prisma/client.ts';
import { currentTime } from '../../prisma/clock.ts';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import type { CurrentTenant, NewTestTenant, TestTenant } from '../../schema/graphql/identity.ts';
import { CodedError } from '../../schema/errors/errors.ts';
import { fileKey } from '../../schema/resources/export/file.ts';
import { RefusedError } from './refused.ts';
import { openTenant } from './tenants.ts';
import { deleteBooks, keptTables, allowAccess } from './test-books.ts';
import { mintToken } from './token.ts';

// Test tenants (DECISIONS.md#d160-test-tenants). They belong to a tenant, whose members make, reset, and delete them.

/** The most test tenants of a tenant. */
export const maxTestTenants = 5;
const tooMany = `A tenant can have ${maxTestTenants} test tenants: delete one that is no longer in use`;

/** So long may the transaction take that deletes the books of a test tenant. */
const deletionLimits = { timeout: 60_000 };

/** So many are emptied at once by a process, and one of each holder: each takes a connection that sign-ins need, for seconds. */
const mostAtOnce = 2;
const emptying = new Set<Holder>();
const retryAfter = 5;

/** @throws CodedError RATE_LIMITED where too many are being emptied */
async function inTurn<Result>(holder: Holder, work: () => Promise<Result>): Promise<Result> {
  if (emptying.has(holder) || emptying.size >= mostAtOnce)
    throw new CodedError('RATE_LIMITED', 'Another test tenant is being emptied. Try again in some seconds.', {
      retryAfter,
    });
  emptying.add(holder);
  try {
    return await work();
  } finally {
    emptying.delete(holder);
  }
}

/** So long after a deletion, its job deletes what requests have written that were under way: longer than any takes. */
const sweepAfter = '15 minutes';

export interface TestTenantStore {
  client: UnscopedClient;
  books: Books;
  fileStorage: FileStorage;
}

const shown = { id: true, name: true, createdAt: true, clockAheadMs: true } satisfies Prisma.TenantSelect;

export const listTestTenants = (client: UnscopedClient, testOf: string): Promise<TestTenant[]> =>
  client.tenant.findMany({ where: { test: true, testOf }, orderBy: { id: 'asc' }, select: shown });

/** So many tenants are remembered. */
const maxRecalled = 10_000;

/** Facts about a tenant that never change. */
interface RecalledTenant {
  isTest: boolean;
  holder: Holder;
}

/** A function that finds whether a tenant is a test tenant, and its holder: it asks the database once for each. */
export function recallTenants(client: UnscopedClient): (id: string) => Promise<RecalledTenant> {
  const recalled = new Map<string, RecalledTenant>();
  return async (id) => {
    const known = recalled.get(id);
    if (known !== undefined) return known;
    const tenant = await client.tenant.findUnique({ where: { id }, select: { test: true, testOf: true } });
    const found = { isTest: tenant?.test === true, holder: withHolder({ id, testOf: tenant?.testOf ?? null }).holder };
    if (recalled.size >= maxRecalled) recalled.clear();
    recalled.set(id, found);
    return found;
  };
}

/**
 * Makes a test tenant with the user as its member, a copy of the company profile, and a token with all abilities.
 * @throws RefusedError where there are as many as there may be, for a test tenant of a test tenant or of a closed one, and for a
 *   user who was removed meanwhile
 */
export function createTestTenant(
  client: UnscopedClient,
  { testOf, userId, name, profile }: NewTestTenant & { testOf: string; userId: string },
): Promise<{ testTenant: TestTenant; value: string }> {
  return client.$transaction(async (db) => {
    await openTenant(db, testOf, 'no key update'); // serialized: each request counts those before it
    const { country, defaultCurrency, timezone, test } = await db.tenant.findUniqueOrThrow({ where: { id: testOf } });
    if (test) throw new RefusedError('A test tenant has no test tenants');
    if (!(await db.membership.count({ where: { tenantId: testOf, userId } })))
      throw new RefusedError('Only members make test tenants');
    if ((await db.tenant.count({ where: { testOf } })) >= maxTestTenants)
      throw new RefusedError(tooMany, (text) => ['limit_reached', text, { max: maxTestTenants }]);
    const data = { name, country, defaultCurrency, timezone, test: true, testOf };
    const testTenant = await db.tenant.create({ data, select: shown });
    const tenantId = testTenant.id;
    await db.membership.create({ data: { tenantId, userId } });
    const { value, hash, lastFour } = mintToken(true);
    await db.apiToken.create({ data: { tenantId, userId, name: 'Test token', abilities: ['*'], hash, lastFour } });
    if (profile) {
      await allowAccess(db, tenantId);
      if (profile.logo) await db.companyLogo.create({ data: { ...profile.logo, tenantId, isOnDocuments: false } });
      const { id: _id, version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...company } = profile.company;
      await db.company.create({ data: { ...company, tenantId } });
    }
    return { testTenant, value };
  });
}

/** A test tenant, and who empties it: the tenant that it belongs to, or itself. */
interface TestTenantRef {
  id: string;
  by: Pick<CurrentTenant, 'id' | 'holder'>;
}

/** An unknown test tenant is answered as such, however many are being emptied. */
async function emptyInTurn(store: TestTenantStore, which: TestTenantRef, isGone: boolean): Promise<TestTenant | null> {
  if (!(await findTestTenant(store.client, which, isGone))) return null;
  return inTurn(which.by.holder, () => emptyTestTenant(store, which, isGone));
}

function findTestTenant(
  db: Prisma.TransactionClient,
  { id, by }: TestTenantRef,
  isGone: boolean,
): Promise<TestTenant | null> {
  const own = isGone ? { testOf: by.id } : { OR: [{ testOf: by.id }, { id: by.id }] };
  return db.tenant.findFirst({ where: { id, test: true, ...own }, select: shown });
}

/**
 * Deletes the books of a test tenant, and with `isGone` the tenant itself, its tokens and its memberships.
 * @returns null where there is no such test tenant
 */
async function emptyTestTenant(
  { client, books, fileStorage }: TestTenantStore,
  which: TestTenantRef,
  isGone: boolean,
): Promise<TestTenant | null> {
  const { id } = which;
  const found = await client.$transaction(async (db) => {
    const testTenant = await findTestTenant(db, which, isGone);
    if (!testTenant) return null;
    await db.$executeRaw`select from tenants where id = ${id}::uuid and test for update`;
    await noteFilesOfExports(db, id);
    if (isGone) {
      await db.tenant.update({ where: { id }, data: { closedAt: currentTime() } }); // who watches is told
      await db.$executeRaw`delete from rate_limits where identity in (select 'token:' || id from api_tokens where tenant_id = ${id}::uuid)`;
      await db.apiToken.deleteMany({ where: { tenantId: id } });
      await db.tenant.delete({ where: { id } });
      await db.$executeRaw`
        select queue_jobs('delete_test_books', array[json_build_object('id', ${id}::uuid)], array[now() + ${sweepAfter}::interval])`;
    } else {
      await db.tenant.update({ where: { id }, data: { clockAheadMs: 0 } });
    }
    await deleteBooks(db, id, isGone ? [] : keptTables);
    return { ...testTenant, ...(!isGone && { clockAheadMs: 0 }) };
  }, deletionLimits);
  if (found) await deleteFiles({ books, fileStorage }, id);
  return found;
}

export const resetTestTenant = (store: TestTenantStore, which: TestTenantRef) => emptyInTurn(store, which, false);

export const deleteTestTenant = (store: TestTenantStore, which: TestTenantRef) => emptyInTurn(store, which, true);

/** Deletes what requests have written into the books of a test tenant after its deletion. */
export async function sweepTestBooks({ client, books, fileStorage }: TestTenantStore, id: string): Promise<void> {
  await client.$transaction(async (db) => {
    if (await db.tenant.findUnique({ where: { id } })) throw new Error(`The tenant ${id} is there`);
    await noteFilesOfExports(db, id);
    await deleteBooks(db, id, []);
  }, deletionLimits);
  await deleteFiles({ books, fileStorage }, id);
}

/** Has the files of exports deleted with those of attachments, which a trigger notes. */
async function noteFilesOfExports(db: Prisma.TransactionClient, tenantId: string): Promise<void> {
  await allowAccess(db, tenantId);
  const exports = await db.export.findMany({ where: { tenantId }, select: { id: true } });
  const data = exports.map(({ id }) => ({ tenantId, id, key: fileKey(tenantId, id) }));
  if (data.length > 0) await db.unusedFile.createMany({ data, skipDuplicates: true });
}

/** After the transaction: files can't be taken back. Whatever fails here is deleted by the jobs that delete unused files. */
async function deleteFiles({ books, fileStorage }: Omit<TestTenantStore, 'client'>, tenantId: string): Promise<void> {
  const db = forTenant(books, tenantId);
  for (const { id, key } of await db.unusedFile.findMany({ select: { id: true, key: true } })) {
    await fileStorage.delete(key);
    await db.unusedFile.deleteMany({ where: { id } });
  }
}
