import { create } from 'content-disposition';
import type { DocumentFile } from '../schema/documents/document-file.ts';
import { entityTag, matchesTag } from './entity-tag.ts';

/** The answer with a file: its bytes as they are, whatever the request accepts, with a name to save it by. */
export function fileResponse({ bytes, mediaType, fileName }: DocumentFile, ifNoneMatch: string | null): Response {
  const tag = entityTag(undefined, bytes);
  if (matchesTag(ifNoneMatch, tag)) return new Response(null, { status: 304, headers: { ETag: tag } });
  return new Response(Buffer.from(bytes), {
    headers: {
      'Content-Type': mediaType,
      'Content-Length': String(bytes.length),
      'Content-Disposition': create(fileName),
      ETag: tag,
    },
  });
}
