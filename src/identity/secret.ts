import { createHash, randomBytes } from 'node:crypto';

/** Chance for a cookie or a link, and what the database knows it by: 256 bits need nothing slower than SHA-256. */
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
