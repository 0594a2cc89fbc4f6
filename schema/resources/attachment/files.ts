import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Row } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import type { FileIdentity } from '../../graphql/file-storage.ts';
import type { StoredUpload, UploadedFile } from '../../graphql/input/uploaded-file.ts';
import { NotFoundError, refuse } from '../../errors/errors.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { maxTestFileBytes } from '../../graphql/test-tenant-bounds.ts';
import { recognizeFile } from './recognize.ts';
import { maxAttachmentBytes } from './rules.ts';

// The bytes of attachments are in the storage of files, under the tenant's and the attachment's id. Before they are written, a row
// of `unused_files` names them. The transaction that adds the attachment deletes that row, by a trigger, and the one that deletes
// the attachment adds it again. So a job finds what is left of requests that broke off.

/** How long an unused file is kept: longer than any request takes. */
const keptMs = 24 * 60 * 60 * 1000;

/** How many unused files are deleted at a time. */
const batchSize = 100;

export const attachmentKey = (tenantId: string, id: string): string => `${tenantId}/attachments/${id}`;

/**
 * Checks an uploaded file, and stores it. Takes no connection while the storage writes, unless the caller is in a transaction.
 * @throws ValidationError at `path` if it can't be an attachment
 */
export async function storeUpload(context: Context, file: UploadedFile, path: string): Promise<StoredUpload> {
  if (file.problem !== undefined) refuse(path, ...file.problem);
  const { size } = await stat(file.path);
  if (size > maxAttachmentBytes) refuse(path, 'file_too_large', 'Must be at most 25 MiB.', { max: maxAttachmentBytes });
  await requireRoom(context, size, path);
  const contentType = await recognizeFile(file.path);
  if (!contentType) refuse(path, 'invalid_file', 'Must be a PDF, JPEG, PNG, WebP, or XML, by its content.');
  return { ...(await storeBytes(context, createReadStream(file.path), { length: size })), contentType };
}

/**
 * Refuses what is more than the files of a tenant may have. Those that nobody has any more count until they are deleted: else a
 * tenant could fill the disk with them.
 */
export async function requireRoom(
  { outside, fileStorage, tenant }: Context,
  bytes: number,
  path: string,
): Promise<void> {
  const [stored] = await outside.$rows<{ bytes: string }>(
    `select coalesce(sum(length), 0)::text as bytes from (
      select length from attachments where tenant_id = $1 union all select length from unused_files where tenant_id = $1
    ) as stored`,
    [],
  );
  const quota = tenant.test ? Math.min(fileStorage.quota, maxTestFileBytes) : fileStorage.quota;
  if (Number(stored?.bytes ?? 0) + bytes <= quota) return;
  const [whose, most] = tenant.test ? ['test tenant', `${quota / 2 ** 20} MiB`] : ['tenant', `${quota / 2 ** 30} GiB`];
  refuse(path, 'limit_reached', `The files of a ${whose} have at most ${most} in all.`, { max: quota });
}

/** Stores bytes under a new id, or the one given, until an attachment has them. @param length by default the most there may be */
export async function storeBytes(
  context: Context,
  bytes: AsyncIterable<Uint8Array>,
  { id, length = maxAttachmentBytes }: { id?: string; length?: number } = {},
): Promise<FileIdentity & { id: string }> {
  const { outside, fileStorage, tenant } = context;
  const row = outside.row('UnusedFile', { ...(id !== undefined && { id }), key: '', length });
  row.key = attachmentKey(tenant.id, row.id);
  // Committed first, whatever becomes of the current transaction. One that is there counts from now on.
  if (id !== undefined) await outside.unusedFile.deleteMany({ where: { id } });
  await outside.insert({ UnusedFile: [row] });
  return { id: row.id, ...(await fileStorage.write(row.key, bytes, maxAttachmentBytes)) };
}

/** @throws NotFoundError unless the receipt has such an attachment */
export async function findAttachment(
  context: Context,
  { receiptId, id }: { receiptId: string; id: string },
  query: object,
): Promise<Row<'Attachment'>> {
  const found = await findById(context, 'Attachment', id, query);
  if (found.receiptId !== receiptId) throw new NotFoundError();
  return found;
}

/** An attachment's bytes. @throws Error where the storage has lost them */
export async function readAttachment(
  { fileStorage, tenant }: Pick<Context, 'fileStorage' | 'tenant'>,
  { id }: Pick<Row<'Attachment'>, 'id'>,
): Promise<{ length: number; content: Readable }> {
  const key = attachmentKey(tenant.id, id);
  const file = await fileStorage.read(key);
  if (!file) throw new Error(`The storage of files has no ${key}`);
  return file;
}

/** Deletes a file that a request has stored for nothing. Only for one whose transaction is known to have failed. */
export async function discardStored({ outside, fileStorage, tenant }: Context, { id }: StoredUpload): Promise<void> {
  await fileStorage.delete(attachmentKey(tenant.id, id));
  await outside.unusedFile.deleteMany({ where: { id } });
}

/**
 * Deletes what no attachment has for a day.
 * @param pause is called after each
 */
export async function deleteUnusedFiles(context: Context, pause: () => Promise<void> = async () => {}): Promise<void> {
  const { db, fileStorage, now } = context;
  const before = new Date(now().getTime() - keptMs);
  for (;;) {
    const unused = await db.unusedFile.findMany({
      where: { createdAt: { lt: before } },
      orderBy: { id: 'asc' },
      take: batchSize,
    });
    for (const { id } of unused) {
      await context.transaction(async (inside) => {
        // An import may be storing a file under the same id again: it waits for the lock, or this finds a younger row.
        const row = await inside.db.lock('UnusedFile', id, 'update');
        if (!row || row.createdAt >= before) return;
        await fileStorage.delete(row.key);
        await inside.db.unusedFile.deleteMany({ where: { id } });
      });
      await pause();
    }
    if (unused.length < batchSize) return;
  }
}
