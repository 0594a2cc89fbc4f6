import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Holder } from '../../../prisma/client.ts';
import { tooLong, TransportError } from '../../../rest-shim/request-body.ts';
import type { ReceivedUpload } from '../../../rest-shim/upload.ts';
import { CodedError } from '../../../schema/errors/errors.ts';
import { makeTemporaryFolder } from '../../../schema/graphql/input/temporary-folder.ts';
import { UploadedFile } from '../../../schema/graphql/input/uploaded-file.ts';

/** How many bodies of a tenant are received at the same time. Each may take as much of the disk as one may have. */
export const maxAtOnce = 3;

/** Seconds after which a client should retry an upload that was refused. */
const retryAfter = 5;

/**
 * Receives a long body on disk, into a folder that only this process's user can enter. Nothing is left of one that breaks off.
 * @throws TransportError when it is longer than a body may be, or breaks off; CodedError RATE_LIMITED if too many of the
 *   tenant's are on their way
 */
export type ReceiveUpload = (
  holder: Holder,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
) => Promise<ReceivedUpload>;

export function createUploads(): ReceiveUpload {
  const current = new Map<Holder, number>();
  return async (holder, body, maxBytes) => {
    const before = current.get(holder) ?? 0;
    if (before >= maxAtOnce)
      throw new CodedError(
        'RATE_LIMITED',
        `This tenant uploads ${maxAtOnce} files at the moment. Wait for one to end.`,
        {
          retryAfter,
        },
      );
    current.set(holder, before + 1);
    const end = (): void => {
      const left = (current.get(holder) ?? 1) - 1;
      if (left > 0) current.set(holder, left);
      else current.delete(holder);
    };
    const folder = await makeTemporaryFolder().catch((error: unknown) => {
      end();
      throw error;
    });
    const discard = async (): Promise<void> => {
      end();
      await folder.discard();
    };
    try {
      const file = new UploadedFile(join(folder.path, 'file'));
      const hash = createHash('sha256');
      await pipeline(limit(body, hash, maxBytes), createWriteStream(file.path, { flags: 'wx', mode: 0o600 }));
      file.problem = undefined;
      return { file, hash: new Uint8Array(hash.digest()), discard };
    } catch (error) {
      await discard();
      throw error;
    }
  };
}

async function* limit(
  body: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await pieces.next().catch(() => {
        throw new TransportError(400, 'The body broke off.');
      });
      if (next.done) return;
      length += next.value.length;
      if (length > maxBytes) throw tooLong(maxBytes);
      hash.update(next.value);
      yield next.value;
    }
  } finally {
    await pieces.return?.().catch(() => {});
  }
}
