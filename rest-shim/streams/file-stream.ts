import { create } from 'content-disposition';
import { readAttachment } from '../../schema/resources/attachment/files.ts';
import { entityTag, matchesTag } from '../entity-tag.ts';
import { runOperation } from '../operation.ts';
import type { Respond } from '../rest-request.ts';
import { toStream, whileAuthorized } from './stream-body.ts';

/** A row of the attachments. */
interface StoredFile {
  id: string;
  filename: string;
  contentType: string;
  length: number;
  sha256: Uint8Array;
}

/**
 * 200 with the bytes of a file that a user has uploaded. A browser saves it, whatever it is: it is shown nowhere under the
 * address of the service.
 */
export const respondStream: Respond = async ({ operation, variables, caller, ifNoneMatch }) => {
  const file = (await runOperation(operation, variables, caller.context)) as StoredFile;
  const tag = entityTag(undefined, file.sha256);
  if (ifNoneMatch !== null && matchesTag(ifNoneMatch, tag)) return { status: 304, headers: { ETag: tag }, body: null };
  const { content, length } = await readAttachment(caller.context, file);
  if (length !== file.length) {
    content.destroy();
    throw new Error(`The stored file of attachment ${file.id} has ${length} bytes instead of ${file.length}`);
  }
  const headers = {
    'Content-Type': file.contentType,
    'Content-Length': String(file.length),
    'Content-Disposition': create(file.filename),
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    ETag: tag,
  };
  const body = toStream(whileAuthorized(content as AsyncIterable<Uint8Array>, caller), caller, {
    release: () => content.destroy(),
  });
  return { status: 200, headers, body };
};
