import { create } from 'content-disposition';
import type { DocumentFile } from '../schema/documents/document-file.ts';
import { entityTag, matchesTag } from './entity-tag.ts';
import type { Respond } from './rest-request.ts';

/** 200 with the bytes of a file, whatever the request accepts, and with a name to save it by. */
export const respondFile: Respond = async ({ run, context, ifNoneMatch }) => {
  const { bytes, mediaType, fileName } = (await run()) as DocumentFile;
  context.answer?.write(bytes.length);
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
};
