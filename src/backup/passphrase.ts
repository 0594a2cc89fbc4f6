import { createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { createEncryption, type Encryption } from '../security/encryption.ts';

/** A secret encrypted by a passphrase: scrypt (RFC 7914) makes the key, see encryption.ts for the cipher. Base64. */
export interface SealedSecret {
  salt: string;
  sealed: string;
}

/** OWASP's parameters for scrypt: 128 MiB and about half a second a guess. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

/** The values that a passphrase protects: the secret, and everything else by a MAC. */
interface Protection {
  encryption: Encryption;
  mac: (manifest: string | Buffer) => Buffer;
}

async function deriveProtection(passphrase: string, salt: Buffer): Promise<Protection> {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
  const key = await derive(passphrase.normalize('NFC'), salt, 32, cost);
  const macKey = Buffer.from(hkdfSync('sha256', key, '', 'kontor authentication of backups', 32));
  return {
    encryption: createEncryption(key.toString('base64'), 'backups'),
    mac: (manifest) => createHmac('sha256', macKey).update(manifest).digest(),
  };
}

export async function sealSecret(
  secret: string,
  passphrase: string,
): Promise<{ sealed: SealedSecret; mac: Protection['mac'] }> {
  const salt = randomBytes(16);
  const { encryption, mac } = await deriveProtection(passphrase, salt);
  const sealed = Buffer.from(encryption.seal(secret)).toString('base64');
  return { sealed: { salt: salt.toString('base64'), sealed }, mac };
}

/** @returns undefined if the passphrase is wrong, or the file was changed */
export async function openSecret(
  { salt, sealed }: SealedSecret,
  passphrase: string,
): Promise<{ secret: string; mac: Protection['mac'] } | undefined> {
  const { encryption, mac } = await deriveProtection(passphrase, Buffer.from(salt, 'base64'));
  try {
    return { secret: encryption.open(Buffer.from(sealed, 'base64')), mac };
  } catch {
    return undefined;
  }
}
