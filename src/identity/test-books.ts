import { Prisma } from '../../prisma/client.ts';
import {
  allowDeletion,
  setForTransaction,
  sortForDeletion,
  tenantTablesSql,
  type FoundTable,
} from '../../prisma/delete-tenant.ts';

// Deletes all of a test tenant's rows, whichever tables there are. As the owner, because the role of the books may not delete
// what is issued, booked, or logged.

/** Rows of the tenant that a reset keeps: those of access, of front ends, and the company profile. */
export const keptTables = [
  'api_tokens',
  'companies',
  'company_logos',
  'invitations',
  'memberships',
  'trusted_documents',
];

/** The table of the files that are to be deleted. */
const unusedFiles = 'unused_files';

/**
 * Lets the owner, in this transaction, see and write the rows of a tenant's books, as row-level security is forced on it.
 * @throws Error where the owner isn't allowed to
 */
export async function allowAccess(db: Prisma.TransactionClient, tenantId: string): Promise<void> {
  const [role] = await db.$queryRaw<{ may: boolean; owner: string }[]>`
    select pg_has_role('kontor_books', 'usage') as may, current_user::text as owner`;
  if (!role?.may) throw new Error(`Run as a superuser: grant kontor_books to "${role?.owner}" with inherit true`);
  // By SET LOCAL, which Citus passes on to the server of the tenant's tables.
  await db.$executeRawUnsafe(setForTransaction('kontor.tenant_id', tenantId));
}

/** Deletes the tenant's rows of all tables but those named, the jobs of the tenant, and what triggers write meanwhile. */
export async function deleteBooks(
  db: Prisma.TransactionClient,
  tenantId: string,
  except: readonly string[],
): Promise<void> {
  await allowAccess(db, tenantId);
  await db.$executeRawUnsafe(allowDeletion(tenantId));
  const kept = new Set([...except, unusedFiles]);
  const tables = sortForDeletion(await db.$queryRawUnsafe<FoundTable[]>(tenantTablesSql));
  const deleteAll = async (): Promise<void> => {
    for (const { name } of tables.filter((table) => !kept.has(table.name)))
      await db.$executeRawUnsafe(`delete from ${name} where tenant_id = $1::uuid`, tenantId);
  };
  await deleteAll();
  await db.$executeRaw`
    select run_deferred_triggers() from (select count(*) from changes where tenant_id = ${tenantId}::uuid and resource = '') as server`;
  await db.$executeRaw`set constraints all immediate`;
  await deleteAll();
  await db.$executeRaw`
    select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where flags ? ${tenantId}))`;
}
