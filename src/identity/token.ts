import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

// A token's value, as GitHub's tokens: prefix, 40 random base62 characters, and their checksum. A mistyped token is detected
// without the database, and secret scanners have few false positives.
const prefix = 'kontor_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const randomLength = 40;
export const checksumLength = 6; // 62^6 is more than the values of a CRC-32

const form = new RegExp(`^${prefix}([${alphabet}]{${randomLength}})([${alphabet}]{${checksumLength}})$`);

export interface MintedToken {
  /** Shown to the user once. */
  value: string;
  hash: Uint8Array<ArrayBuffer>;
  lastFour: string;
}

export function mintToken(): MintedToken {
  const random = randomText(randomLength);
  const value = `${prefix}${random}${checksum(random)}`;
  return { value, hash: sha256(value), lastFour: value.slice(-4) };
}

/** SHA-256 of a token's value, by which the database finds it; null for text that is no token. */
export function tokenHash(value: string): Uint8Array<ArrayBuffer> | null {
  const [, random, check] = form.exec(value) ?? [];
  return random !== undefined && check === checksum(random) ? sha256(value) : null;
}

// The value has 238 random bits, so a fast hash such as SHA-256 is safe.
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
      // 248 is the largest multiple of 62: higher bytes would make the first letters of the alphabet more likely.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}
