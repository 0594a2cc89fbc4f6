import type { Pool, PoolClient } from 'pg';

// Deletes all that a tenant has: the rows of every table with a column tenant_id, which the catalog names, its files, and its jobs.
// In batches, each a transaction, so that others don't wait; if it is broken off, the next call goes on.

/** The number of rows that are deleted at a time. */
const batchSize = 500;

/** Of tables whose rows have files, which are deleted first. */
const fileBatchSize = 50;

/** A running process may still write a row. More rounds than this mean that it doesn't end. */
const maxRounds = 20;

/** The numbers of rows and files that a batch has deleted. */
export interface DeletedBatch {
  table: string;
  rows: number;
  files: number;
}

export interface TenantDeletionOptions {
  /** Deletes a file of the storage; there need be none. */
  deleteFile: (key: string) => Promise<void>;
  /** The keys of files in the storage, by the table whose rows have them. */
  fileKeys: Record<string, (row: Record<string, unknown>) => string>;
  /** Is called after each batch. */
  pause?: () => Promise<void>;
  /** Is called in the transaction of each batch, and of the tenant's row, which is the last. */
  onDeleted?: (client: PoolClient, batch: DeletedBatch) => Promise<void>;
}

/** A table with a tenant's rows. */
interface TenantTable {
  name: string;
  /** The columns that identify one of the tenant's rows. */
  key: string[];
  keyTypes: string[];
  /** The columns that refer to another row of the table, by its id. */
  ofSame: string[];
}

/**
 * Deletes a tenant that nobody uses any more. Whoever calls this has made sure that it is closed, and stays so. Accounts that it
 * has invited are identity's: see src/identity/tenant-deletion.ts.
 *
 * @param pool of the owner of the tables
 */
export async function deleteTenant(pool: Pool, tenantId: string, options: TenantDeletionOptions): Promise<void> {
  const tables = await findTenantTables(pool);
  for (let round = 1; ; round++) {
    let deleted = 0;
    for (const table of tables) deleted += await deleteRows(pool, tenantId, table, options);
    if (deleted === 0) break;
    if (round === maxRounds) throw new Error(`Something goes on writing for the tenant ${tenantId}`);
  }
  await deleteJobs(pool, tenantId, options);
  await asOwner(pool, tenantId, async (client) => {
    const { rowCount } = await client.query('delete from tenants where id = $1', [tenantId]);
    await options.onDeleted?.(client, { table: 'tenants', rows: rowCount ?? 0, files: 0 });
  });
}

const keyColumns = (what: string): string => `
  select ${what} from pg_attribute, pg_index
  where attrelid = c.oid and indrelid = c.oid and indisprimary and attnum = any (indkey) and attname <> 'tenant_id'
  order by attnum`;

/** A table as the catalog has it. */
export interface FoundTable extends TenantTable {
  refersTo: string[];
  isWrittenByTriggers: boolean;
  /** Whether row-level security would hide the rows from this role, so that none would be deleted. */
  isHidden: boolean;
}

/** Finds all tables with a column tenant_id. See sortForDeletion(). */
export const tenantTablesSql = `
  select c.relname as name,
    array(${keyColumns('attname::text')}) as key,
    array(${keyColumns('format_type(atttypid, null)')}) as "keyTypes",
    array(
      select attname::text from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any (conkey)
      where conrelid = c.oid and confrelid = c.oid and contype = 'f' and attname <> 'tenant_id' order by attname
    ) as "ofSame",
    coalesce((
      select array_agg(distinct confrelid::regclass::text) from pg_constraint
      where conrelid = c.oid and confrelid <> c.oid and contype = 'f'
    ), '{}') as "refersTo",
    c.relname = any ('{changes,row_counts,unused_files,unproven_documents,unproven_receipts,audit_seals,audit_entries,outbox}')
      as "isWrittenByTriggers",
    row_security_active(c.oid) and not exists (
      select from pg_policy where polrelid = c.oid and polname in ('deletion', 'operator')
        and (0 = any (polroles) or exists (select from unnest(polroles) as role where pg_has_role(role, 'usage')))
    ) as "isHidden"
  from pg_class c
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
    and exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant_id' and not attisdropped)
  order by "isWrittenByTriggers", c.relname`;

/**
 * Tables that refer to others come first; at last those that triggers write to.
 * @throws Error where rows would be hidden: a deletion that sees none must not say that all are gone
 */
export function sortForDeletion(found: FoundTable[]): TenantTable[] {
  const hidden = found.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  if (hidden.length > 0)
    throw new Error(
      `Row-level security hides rows of ${hidden.join(', ')}: connect as the role that owned the tables when they were migrated`,
    );
  const sorted: TenantTable[] = [];
  const left = [...found];
  while (left.length > 0) {
    const next = left.findIndex(({ name }) => !left.some(({ refersTo }) => refersTo.includes(name)));
    const [table] = left.splice(Math.max(next, 0), 1);
    if (next === -1 || !table) throw new Error('The foreign keys of the tables form a circle');
    sorted.push(table);
  }
  return sorted;
}

export const findTenantTables = async (pool: Pool): Promise<TenantTable[]> =>
  sortForDeletion((await pool.query<FoundTable>(tenantTablesSql)).rows);

async function deleteRows(
  pool: Pool,
  tenantId: string,
  { name, key, keyTypes, ofSame }: TenantTable,
  { deleteFile, fileKeys, pause = async () => {}, onDeleted }: TenantDeletionOptions,
): Promise<number> {
  const getKey = fileKeys[name];
  const limit = getKey ? fileBatchSize : batchSize;
  const columns = key.map((column) => `"${column}"`).join(', ');
  // A batch has only rows that no other row of the table refers to: else a foreign key refuses it.
  const isFree = ofSame.map(
    (column) =>
      `and not exists (select from ${name} as other where other.tenant_id = $1 and other."${column}" = ${name}.id)`,
  );
  let deleted = 0;
  for (;;) {
    const rows = await asOwner(pool, tenantId, async (client) => {
      const chosen = await client.query<Record<string, unknown>>(
        `select ${getKey ? '*' : columns} from ${name} where tenant_id = $1 ${isFree.join(' ')} limit ${limit}`,
        [tenantId],
      );
      if (chosen.rows.length === 0) return 0;
      if (getKey) for (const row of chosen.rows) await deleteFile(getKey(row));
      const values = key.map((column) => chosen.rows.map((row) => row[column]));
      const given = keyTypes.map((type, index) => `$${index + 2}::${type}[]`).join(', ');
      const { rowCount } = await client.query(
        `delete from ${name} where tenant_id = $1 and (${columns}) in (select * from unnest(${given}))`,
        [tenantId, ...values],
      );
      const count = rowCount ?? 0;
      await onDeleted?.(client, { table: name, rows: count, files: getKey ? chosen.rows.length : 0 });
      return count;
    });
    deleted += rows;
    if (rows === 0) return deleted;
    await pause();
  }
}

/** The jobs that wait. One that runs finds no tenant. */
async function deleteJobs(pool: Pool, tenantId: string, { onDeleted }: TenantDeletionOptions): Promise<void> {
  await asOwner(pool, tenantId, async (client) => {
    const { rows } = await client.query<{ jobs: number }>(
      `select count(*)::int as jobs from graphile_worker.complete_jobs(array(
         select id from graphile_worker.jobs where flags ? $1 or key like '% ' || $1
       ))`,
      [tenantId],
    );
    await onDeleted?.(client, { table: 'jobs', rows: rows[0]?.jobs ?? 0, files: 0 });
  });
}

/** A transaction of the owner that may delete the tenant's rows. */
async function asOwner<Result>(
  pool: Pool,
  tenantId: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    // So that workers of Citus get it, too.
    await client.query(`select set_config('citus.propagate_set_commands', 'local', true)`);
    await client.query(allowDeletion(tenantId));
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true); // the transaction ends with its connection
    throw error;
  }
}

/** The statement that lets the owner delete the tenant's rows until the transaction ends. */
export const allowDeletion = (tenantId: string): string => setForTransaction('kontor.deleted_tenant', tenantId);

/** The statement that sets a setting to a tenant's id until the transaction ends. SET takes no parameters. */
export function setForTransaction(setting: string, tenantId: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(tenantId)) throw new Error('A tenant has a UUID');
  return `set local ${setting} = '${tenantId}'`;
}
