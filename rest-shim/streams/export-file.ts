import { create } from 'content-disposition';
import type { Context } from '../../schema/graphql/context.ts';
import { openFile, type StoredExport } from '../../schema/resources/export/file.ts';
import { entityTag, matchesTag } from '../entity-tag.ts';
import type { Respond } from '../rest-request.ts';
import { toStream, whileAuthorized } from './stream-body.ts';

/** 200 with the bytes of an export's file as they are read, whatever the request accepts, and with a name to save it by. */
export const respondDownload: Respond = async ({ variables, caller, ifNoneMatch }) => {
  const { context } = caller;
  const file = await openFile(context, String(variables['id']));
  const tag = entityTag(undefined, file.sha256);
  if (ifNoneMatch !== null && matchesTag(ifNoneMatch, tag)) {
    file.content.destroy();
    return { status: 304, headers: { ETag: tag }, body: null };
  }
  const chunks = whileAuthorized(readChunks(context, file), caller);
  const first = await chunks.next(); // before the status is sent: the storage may not answer
  const headers = {
    'Content-Type': file.mediaType,
    'Content-Length': String(file.length),
    'Content-Disposition': create(file.fileName),
    ETag: tag,
  };
  return { status: 200, headers, body: toStream(chunks, caller, { first, release: () => file.content.destroy() }) };
};

async function* readChunks({ responseSize }: Context, { content }: StoredExport): AsyncGenerator<Uint8Array> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    responseSize?.restart(); // a part is read only once the one before is sent
    responseSize?.write(chunk.length);
    yield chunk;
  }
}
