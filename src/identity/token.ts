import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

// A token's value, as GitHub's tokens: prefix, 40 random base62 characters, and their checksum. A mistyped token is detected
// without the database, and secret scanners have few false positives.
const prefix = 'kontor_';
/** Stands behind the prefix of a test tenant's tokens, so that people and scanners see which these are. */
const testMark = 'test_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const randomLength = 40;
export const checksumLength = 6; // 62^6 is more than the values of a CRC-32

const form = new RegExp(`^${prefix}(${testMark})?([${alphabet}]{${randomLength}})([${alphabet}]{${checksumLength}})$`);

export interface MintedToken {
  /** Shown to the user once. */
  value: string;
  hash: Uint8Array<ArrayBuffer>;
  lastFour: string;
}

/** @param test whether it is a test tenant's */
export function mintToken(test = false): MintedToken {
  const random = randomText(randomLength);
  const value = `${prefix}${test ? testMark : ''}${random}${checksum(random)}`;
  return { value, hash: sha256(value), lastFour: value.slice(-4) };
}

/** A token's value, as far as it says something by itself. */
export interface ParsedToken {
  /** SHA-256, by which the database finds it. */
  hash: Uint8Array<ArrayBuffer>;
  /** Whether it says that it is a test tenant's. */
  test: boolean;
}

/** @returns null for text that is no token */
export function parseToken(value: string): ParsedToken | null {
  const [, mark, random, check] = form.exec(value) ?? [];
  if (random === undefined || check !== checksum(random)) return null;
  return { hash: sha256(value), test: mark !== undefined };
}

// The value has 238 random bits, so a fast hash such as SHA-256 is safe.
const sha256 = (value: string): Uint8Array<ArrayBuffer> => new Uint8Array(hash('sha256', value, 'buffer'));

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
