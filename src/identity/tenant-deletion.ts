import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import {
  deleteTenant as deleteAll,
  type DeletedBatch,
  type TenantDeletionOptions,
} from '../../prisma/delete-tenant.ts';
import type { UnscopedClient } from '../../prisma/client.ts';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { formatTime } from '../../schema/graphql/scalars/days.ts';
import { fileKey } from '../../schema/resources/export/file.ts';
import { checkedId, RefusedError } from './refused.ts';
import { lockTenant } from './tenants.ts';

/** How long a closed tenant can be reopened for certain, in days. */
export const closedDays = 30;

const dayMs = 86_400_000;

/**
 * The certificate of a tenant's deletion, with the numbers of deleted rows, files, and jobs. `hash` is the SHA-256 of
 * the JSON of the fields before it, without spaces.
 */
export interface DeletionCertificate {
  tenant_id: string;
  closed_at: string;
  started_at: string;
  started_by: string;
  finished_at: string;
  rows: Record<string, number>;
  files: number;
  jobs: number;
  kept: string[];
  hash: string;
}

/** Data that a deletion can't reach. */
const kept = [
  'This certificate.',
  'Backups that were made before.',
  'What the business itself has exported: the law has it keep its books for years.',
];

/**
 * Deletes a tenant that was closed 30 days ago for good, with all that it has and with its test tenants. If it is broken off,
 * the next call goes on. For a tenant that was deleted before, only gives its certificate.
 *
 * @param by who deletes it
 * @param pause is called after each batch of rows
 * @throws RefusedError if the tenant is unknown, open, or not closed for long enough
 */
export async function deleteTenant(
  { client, pool }: { client: UnscopedClient; pool: Pool },
  storage: Pick<FileStorage, 'delete'>,
  { id: text, by, now, pause }: { id: string; by: string; now: () => Date; pause?: () => Promise<void> },
): Promise<DeletionCertificate> {
  const id = checkedId('tenant', text).toLowerCase();
  return asOnlyOne(pool, id, async () => {
    const before = await client.tenantDeletion.findUnique({ where: { id } });
    if (before?.certificate) return JSON.parse(before.certificate) as DeletionCertificate;
    await begin(client, id, by, now());
    const tests = await client.tenant.findMany({ where: { testOf: id }, select: { id: true } });
    for (const each of [...tests.map((test) => test.id), id])
      await deleteAll(pool, each, {
        ...filesOf(each, storage),
        onDeleted: async (connection, batch) => {
          await note(connection, id, batch);
          if (batch.table !== 'tenants') return; // the last row: with it the certificate is written
          await connection.query('update users set invited_to = null where invited_to = $1', [each]);
          if (each === id) await certify(connection, id, now());
        },
        ...(pause && { pause }),
      });
    const { certificate } = await client.tenantDeletion.findUniqueOrThrow({ where: { id } });
    return JSON.parse(certificate ?? '') as DeletionCertificate;
  });
}

/**
 * Deletes a tenant that nobody has ever used, and which nobody can use, with all that it has: without a closing before, and without a
 * certificate. If it is broken off, the next call goes on.
 */
export const deleteAbandonedTenant = (pool: Pool, storage: Pick<FileStorage, 'delete'>, id: string): Promise<void> =>
  deleteAll(pool, id, filesOf(id, storage));

const filesOf = (
  tenantId: string,
  storage: Pick<FileStorage, 'delete'>,
): Pick<TenantDeletionOptions, 'deleteFile' | 'fileKeys'> => ({
  deleteFile: storage.delete,
  fileKeys: {
    unused_files: ({ key }) => String(key),
    exports: ({ id }) => fileKey(tenantId, String(id)),
  },
});

/** @throws RefusedError while another process does it. One that is killed loses its lock with its connection. */
async function asOnlyOne<Result>(pool: Pool, id: string, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let taken = false;
  try {
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(hashtextextended($1 || ' deletion', 0)) as taken`,
      [id],
    );
    taken = rows[0]?.taken === true;
    if (!taken) throw new RefusedError(`Another process deletes the tenant ${id} already`);
    return await work();
  } finally {
    const unlock = `select pg_advisory_unlock(hashtextextended($1 || ' deletion', 0))`;
    if (taken) await client.query(unlock, [id]).catch(() => {}); // then it ends with the connection
    client.release(true);
  }
}

/** From here on the tenant can't be reopened. */
async function begin(client: UnscopedClient, id: string, startedBy: string, now: Date): Promise<void> {
  await client.$transaction(async (db) => {
    const tenant = await lockTenant(db, id, 'no key update');
    if (!tenant) throw new RefusedError(`Unknown tenant "${id}"`);
    const { closedAt, deletionStartedAt } = tenant;
    if (deletionStartedAt) return;
    if (!closedAt)
      throw new RefusedError(`Tenant ${id} is open: close it first, which can be taken back for ${closedDays} days`);
    const from = new Date(closedAt.getTime() + closedDays * dayMs);
    if (now < from)
      throw new RefusedError(
        `Tenant ${id} was closed ${formatTime(closedAt)}: it can be deleted from ${formatTime(from)}`,
      );
    await db.tenant.update({ where: { id }, data: { deletionStartedAt: now } });
    await db.tenantDeletion.create({ data: { id, closedAt, startedAt: now, startedBy } });
  });
}

/** Counts what a batch has deleted. */
async function note(client: PoolClient, id: string, { table, rows, files }: DeletedBatch): Promise<void> {
  if (table === 'jobs') {
    await client.query('update tenant_deletions set jobs = jobs + $2 where id = $1', [id, rows]);
    return;
  }
  await client.query(
    `update tenant_deletions set files = files + $4,
       rows = jsonb_set(rows, array[$2], to_jsonb(coalesce((rows ->> $2)::int, 0) + $3::int)) where id = $1`,
    [id, table, rows, files],
  );
}

async function certify(client: PoolClient, id: string, finishedAt: Date): Promise<void> {
  const { rows } = await client.query<{
    closedAt: Date;
    startedAt: Date;
    startedBy: string;
    rows: Record<string, number>;
    files: number;
    jobs: number;
  }>(
    `select closed_at as "closedAt", started_at as "startedAt", started_by as "startedBy", rows, files, jobs
     from tenant_deletions where id = $1`,
    [id],
  );
  const [deletion] = rows;
  if (!deletion) throw new Error(`The deletion of tenant ${id} was not begun`);
  const content = {
    tenant_id: id,
    closed_at: formatTime(deletion.closedAt),
    started_at: formatTime(deletion.startedAt),
    started_by: deletion.startedBy,
    finished_at: formatTime(finishedAt),
    rows: Object.fromEntries(Object.entries(deletion.rows).toSorted(([one], [other]) => (one < other ? -1 : 1))),
    files: deletion.files,
    jobs: deletion.jobs,
    kept,
  };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const certificate: DeletionCertificate = { ...content, hash };
  await client.query('update tenant_deletions set finished_at = $2, certificate = $3 where id = $1', [
    id,
    finishedAt,
    JSON.stringify(certificate),
  ]);
}
