import { createHash, randomBytes } from 'node:crypto';

/** A random secret for a cookie or a link, and its hash for the database. For 256 random bits, SHA-256 is sufficient. */
export interface Secret {
  value: string;
  hash: Uint8Array<ArrayBuffer>;
}

export function newSecret(): Secret {
  const value = randomBytes(32).toString('base64url');
  return { value, hash: secretHash(value) };
}

export const secretHash = (value: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(value).digest());
