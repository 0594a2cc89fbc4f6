import type { Readable } from 'node:stream';
import { found, NotFoundError, refuse, requireAbilities } from '../../errors/errors.ts';
import { key, type Context } from '../../graphql/context.ts';
import { mustReadAllEntries } from '../audit-log/readable.ts';
import { abilitiesToExport, hasAuditEntries } from './kinds.ts';
import type { ExportRow } from './transitions.ts';

/** Where the file of an export is stored. */
export const fileKey = (tenantId: string, id: string): string => `${tenantId}/exports/${id}`;

/** The types of files, by the endings of their names. */
export const mediaTypes: Record<string, string> = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};

/** With the encoding of a text: DATEV's files are in Windows-1252. */
export const getMediaType = ({ type, fileName }: Pick<ExportRow, 'type' | 'fileName'>): string => {
  const mediaType = mediaTypes[fileName?.split('.').at(-1) ?? ''] ?? '';
  if (!mediaType.startsWith('text/')) return mediaType;
  return `${mediaType}; charset=${type === 'DATEV' ? 'windows-1252' : 'utf-8'}`;
};

export interface StoredExport {
  fileName: string;
  mediaType: string;
  length: number;
  sha256: Uint8Array;
  /** To be read to its end, or destroyed. */
  content: Readable;
}

/**
 * The file of a completed export.
 * @throws NotFoundError, also once it has expired; ForbiddenError for who may not read what it has; ValidationError as long as
 *   there is none
 */
export async function openFile(context: Context, id: string): Promise<StoredExport> {
  const row = await found(context.db.export.findFirst({ where: key(context, id).tenantId_id }));
  requireAbilities(context, abilitiesToExport(row));
  // Its entries are those that its starter might read. A token's abilities never change; a session has all.
  const isStarter = row.tokenId !== null && row.tokenId === context.token?.id;
  if (hasAuditEntries(row) && !isStarter) mustReadAllEntries(context);
  const { fileName, length, sha256, expiresAt } = row;
  if (fileName === null || length === null || sha256 === null || expiresAt === null)
    return refuse('status', 'wrong_state', 'Has no file: only a completed export has one.');
  if (expiresAt <= context.now()) throw new NotFoundError();
  const file = await context.fileStorage.read(fileKey(context.tenant.id, row.id)); // the request may have it in capitals
  if (!file) throw new NotFoundError();
  return { fileName, mediaType: getMediaType(row), length, sha256, content: file.content };
}
