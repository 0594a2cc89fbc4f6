import { Prisma, violatedConstraint } from '../../prisma/client.ts';
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

/** Requests may add rows meanwhile. More rounds than this mean that they don't end. */
const maxRounds = 20;

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
  // So that Citus' servers get what SET LOCAL sets.
  await db.$executeRaw`select set_config('citus.propagate_set_commands', 'local', true)`;
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
  const tables = await db.$queryRawUnsafe<FoundTable[]>(tenantTablesSql);
  const names = sortForDeletion(tables)
    .map(({ name }) => name)
    .filter((name) => !kept.has(name));
  // First those that others refer to: a request that has locked an invoice, say, wants its sequence next, which must still be there.
  const referred = new Set(tables.filter((table) => !table.isWrittenByTriggers).flatMap(({ refersTo }) => refersTo));
  for (const name of names.filter((each) => referred.has(each)))
    await db.$executeRawUnsafe(`select from ${name} where tenant_id = $1::uuid for update`, tenantId);
  // A request that is under way may add a row that refers to one of a later table. Then those that went stay locked, and the rest
  // goes in another round.
  const deleteAll = async (): Promise<void> => {
    for (let round = 1; ; round++) {
      let isDone = true;
      for (const name of names) isDone = (await deleteUnreferred(db, tenantId, name, round === maxRounds)) && isDone;
      if (isDone) return;
    }
  };
  await deleteAll();
  await db.$executeRaw`
    select run_deferred_triggers() from (select count(*) from changes where tenant_id = ${tenantId}::uuid and resource = '') as server`;
  await db.$executeRaw`set constraints all immediate`;
  await deleteAll();
  await db.$executeRaw`
    select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where flags ? ${tenantId}))`;
}

/**
 * Deletes the tenant's rows of a table, all of them or none.
 * @returns false where another row refers to one of them
 * @throws that error if it `isLast`
 */
async function deleteUnreferred(
  db: Prisma.TransactionClient,
  tenantId: string,
  name: string,
  isLast: boolean,
): Promise<boolean> {
  await db.$executeRawUnsafe('savepoint of_table');
  try {
    await db.$executeRawUnsafe(`delete from ${name} where tenant_id = $1::uuid`, tenantId);
  } catch (error) {
    if (isLast || violatedConstraint(error)?.endsWith('_fkey') !== true) throw error;
    await db.$executeRawUnsafe('rollback to savepoint of_table');
    return false;
  }
  await db.$executeRawUnsafe('release savepoint of_table');
  return true;
}
