import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import { FileTooLongError, type FileIdentity } from '../../schema/graphql/file-storage.ts';

/**
 * Writes a stream into a new file that only this process's user can read, and syncs it.
 * @throws StorageUnavailableError for the disk's errors; FileTooLongError; and what `content` throws
 */
export async function writeFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  maxLength: number,
): Promise<FileIdentity> {
  const hash = createHash('sha256');
  const file = await blamingDisk(open(path, 'w', 0o600));
  try {
    let length = 0;
    for await (const piece of content) {
      length += piece.length;
      if (length > maxLength) throw new FileTooLongError(maxLength);
      hash.update(piece);
      await blamingDisk(file.writeFile(piece));
    }
    await blamingDisk(file.sync());
    return { length, sha256: hash.digest() as Buffer<ArrayBuffer> };
  } finally {
    await blamingDisk(file.close());
  }
}

/** @throws StorageUnavailableError for any error, so that it isn't taken for one of the content */
export const blamingDisk = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new StorageUnavailableError('The folder of files', cause);
  });
