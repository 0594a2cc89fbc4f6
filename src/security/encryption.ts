import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts secrets that must be read again, so that a dump of the database doesn't reveal them. */
export interface Encryption {
  seal: (text: string) => Uint8Array<ArrayBuffer>;
  /** @throws Error if it was encrypted with another KONTOR_SECRET, or has been altered */
  open: (sealed: Uint8Array) => string;
}

const nonceLength = 12;
const tagLength = 16;

/**
 * AES-256-GCM: nonce, tag, ciphertext; the key derived from KONTOR_SECRET by HKDF (RFC 5869).
 * @param what the purpose: data that was encrypted for one purpose can't be decrypted for another
 */
export function createEncryption(
  secret: string,
  what: 'webhook secrets' | 'stored answers' | 'backups' | 'secret check',
): Encryption {
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
