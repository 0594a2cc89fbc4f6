import { create } from 'content-disposition';
import type { DocumentFile } from '../schema/documents/document-file.ts';
import { entityTag, matchesTag } from './entity-tag.ts';
import { runOperation } from './operation.ts';
import type { Respond } from './rest-request.ts';

/** 200 with the bytes of a file, whatever the request accepts, and with a name to save it by. */
export const respondFile: Respond = async ({ operation, variables, caller: { context }, ifNoneMatch }) => {
  const { bytes, mediaType, fileName } = (await runOperation(operation, variables, context)) as DocumentFile;
  context.responseSize?.write(bytes.length);
  const tag = entityTag(undefined, bytes);
  if (ifNoneMatch !== null && matchesTag(ifNoneMatch, tag)) return { status: 304, headers: { ETag: tag }, body: null };
  const headers = {
    'Content-Type': mediaType,
    'Content-Length': String(bytes.length),
    'Content-Disposition': create(fileName),
    ETag: tag,
  };
  return { status: 200, headers, body: Buffer.from(bytes) };
};
