import type { Readable } from 'node:stream';

/** The length and hash by which a stored file is recognized. */
export interface FileIdentity {
  /** In bytes. */
  length: number;
  sha256: Buffer<ArrayBuffer>;
}

/**
 * Keeps files under keys: a folder, or a bucket of S3 (`src/storage/`). A key is a path of names in lower case, as
 * isFileKey() says; each file has a new one, and is never changed.
 *
 * Every method throws StorageUnavailableError where the storage can't be written to or read.
 */
export interface FileStorage {
  /** How much the files of one tenant may have in all, in bytes. Whoever stores files for a client holds it. */
  readonly quota: number;
  /**
   * Stores a file. It is durable once this answers. If it fails, nothing is stored, but what a killed process leaves is
   * deleted only by delete(). The content is never in memory as a whole.
   * @param maxLength in bytes
   * @throws FileTooLongError if it is longer; and what `content` throws
   */
  write: (key: string, content: AsyncIterable<Uint8Array>, maxLength: number) => Promise<FileIdentity>;
  /**
   * A file's content, which the caller reads to its end or destroys; undefined if there is no such file. An error while it is
   * read is the stream's.
   */
  read: (key: string) => Promise<{ length: number; content: Readable } | undefined>;
  /** Deletes a file, and what is left of an attempt to store it. There need be none. */
  delete: (key: string) => Promise<void>;
}

/** Names of letters, digits, hyphens, and inner dots, separated by slashes: no such key leaves a folder. */
export const isFileKey = (key: string): boolean =>
  key.length <= 500 && /^[a-z0-9-]+(\.[a-z0-9-]+)*(\/[a-z0-9-]+(\.[a-z0-9-]+)*)*$/.test(key);

export class FileTooLongError extends Error {
  constructor(maxLength: number) {
    super(`The file is longer than ${maxLength} bytes`);
  }
}
