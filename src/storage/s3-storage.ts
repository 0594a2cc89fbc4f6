import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import { isFileKey, type FileStorage } from '../../schema/graphql/file-storage.ts';
import { makeTemporaryFolder } from '../../schema/graphql/input/temporary-folder.ts';
import { writeFile } from './write-file.ts';

/** A bucket of S3, or of another service with its API. */
export interface S3Settings {
  bucket: string;
  /** The beginning of all keys: empty, or a path without a slash at its ends. */
  prefix: string;
  /** The URL of a service other than AWS's. */
  endpoint: string | null;
  region: string;
  /** Null: as AWS's own programs find them. */
  credentials: { keyId: string; secretKey: string } | null;
}

const connectMs = 5000;
/** How long a connection may be silent. */
const silentMs = 30_000;
/**
 * As many connections as files are read and written at once, which the clients' own connections limit. With the usual 50, as many
 * clients that read slowly would keep everybody else from the bucket.
 */
const agent = { maxSockets: Infinity };

/**
 * Keeps files as objects of a bucket. A file is written to disk first: so its length and its hash, which S3 checks, are known
 * before the request, and nothing is in the bucket of one that breaks off. An object has at most 5 GB.
 */
export function createS3Storage(
  { bucket, prefix, endpoint, region, credentials }: S3Settings,
  quota = Infinity,
): FileStorage {
  const client = new S3Client({
    region,
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials: { accessKeyId: credentials.keyId, secretAccessKey: credentials.secretKey } }),
    // Other services than AWS's don't all know the checksums that are the default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: silentMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  const locate = (key: string): { Bucket: string; Key: string } => {
    if (!isFileKey(key)) throw new Error(`${JSON.stringify(key)} is no key of a file`);
    return { Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` };
  };
  return {
    quota,
    write: async (key, content, maxLength) => {
      const place = locate(key);
      const folder = await makeTemporaryFolder().catch(blameBucket);
      try {
        const path = join(folder.path, 'file');
        const identity = await writeFile(path, content, maxLength);
        const { length, sha256 } = identity;
        const whole = {
          Body: createReadStream(path),
          ContentLength: length,
          ChecksumSHA256: sha256.toString('base64'),
        };
        await client.send(new PutObjectCommand({ ...place, ...whole })).catch(blameBucket);
        return identity;
      } finally {
        await folder.discard();
      }
    },

    read: async (key) => {
      const found = await client.send(new GetObjectCommand(locate(key))).catch((error: unknown) => {
        if (error instanceof NoSuchKey) return undefined;
        return blameBucket(error);
      });
      if (!(found?.Body instanceof Readable) || found.ContentLength === undefined) return undefined;
      return { length: found.ContentLength, content: found.Body };
    },

    delete: async (key) => {
      await client.send(new DeleteObjectCommand(locate(key))).catch(blameBucket);
    },
  };
}

function blameBucket(cause: unknown): never {
  throw new StorageUnavailableError('The bucket of files', cause);
}
