import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { createEncryption, type Encryption } from '../encryption.ts';

/** A secret encrypted by a passphrase: scrypt (RFC 7914) makes the key, see encryption.ts for the cipher. Base64. */
export interface SealedSecret {
  salt: string;
  sealed: string;
}

/** The shortest passphrase: a shorter one could be guessed, despite the cost of scrypt. */
export const minPassphraseLength = 12;

/** OWASP's parameters for scrypt: 128 MiB and about half a second a guess. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

async function encryptionOf(passphrase: string, salt: Buffer): Promise<Encryption> {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
  const key = await derive(passphrase.normalize('NFC'), salt, 32, cost);
  return createEncryption(key.toString('base64'), 'backups');
}

export async function sealSecret(secret: string, passphrase: string): Promise<SealedSecret> {
  const salt = randomBytes(16);
  const sealed = (await encryptionOf(passphrase, salt)).seal(secret);
  return { salt: salt.toString('base64'), sealed: Buffer.from(sealed).toString('base64') };
}

/** @returns undefined if the passphrase is wrong, or the file was changed */
export async function openSecret({ salt, sealed }: SealedSecret, passphrase: string): Promise<string | undefined> {
  const encryption = await encryptionOf(passphrase, Buffer.from(salt, 'base64'));
  try {
    return encryption.open(Buffer.from(sealed, 'base64'));
  } catch {
    return undefined;
  }
}
