import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

// A token's value: prefix, 40 random base62 characters, and a checksum of those, as GitHub's tokens have: a mistyped
// token is known for what it is without the database, and a secret scanner's find is hardly ever a false one.
const prefix = 'kontor_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const randomLength = 40;
export const checksumLength = 6; // 62^6 is more than a CRC-32 can be

const form = new RegExp(`^${prefix}([${alphabet}]{${randomLength}})([${alphabet}]{${checksumLength}})$`);

export interface MintedToken {
  /** For the user's eyes, once. */
  value: string;
  hash: Uint8Array<ArrayBuffer>;
  lastFour: string;
}

export function mintToken(): MintedToken {
  const random = randomText(randomLength);
  const value = `${prefix}${random}${checksum(random)}`;
  return { value, hash: sha256(value), lastFour: value.slice(-4) };
}

/** SHA-256 of a token's value, by which the database knows it; null for what can't be one. */
export function tokenHash(value: string): Uint8Array<ArrayBuffer> | null {
  const [, random, check] = form.exec(value) ?? [];
  return random !== undefined && check === checksum(random) ? sha256(value) : null;
}

// The value is 238 bits of chance: nothing slower than SHA-256 is needed to keep it from being guessed.
const sha256 = (value: string): Uint8Array<ArrayBuffer> => new Uint8Array(createHash('sha256').update(value).digest());

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  while (text.length < checksumLength) {
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the last multiple of 62: bytes beyond would make the alphabet's first letters likelier.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}
