import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps secrets that have to be read again: encrypted in the database, so that a dump of it tells none. */
export interface Encryption {
  seal: (text: string) => Uint8Array<ArrayBuffer>;
  /** @throws Error when it was sealed with another KONTOR_SECRET, or changed since */
  open: (sealed: Uint8Array) => string;
}

const nonceLength = 12;
const tagLength = 16;

/**
 * AES-256-GCM: nonce, tag, ciphertext; the key derived from KONTOR_SECRET by HKDF (RFC 5869).
 * @param what it keeps: what one vault sealed, another can't open
 */
export function createEncryption(secret: string, what: 'webhook secrets' | 'stored answers' | 'backups'): Encryption {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `kontor ${what}`, 32));
  return {
    seal: (text) => {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]));
    },
    open: (sealed) => {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceLength));
      decipher.setAuthTag(sealed.subarray(nonceLength, nonceLength + tagLength));
      const text = Buffer.concat([decipher.update(sealed.subarray(nonceLength + tagLength)), decipher.final()]);
      return text.toString('utf8');
    },
  };
}
