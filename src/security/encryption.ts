import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Keyring, keyIdBytes } from './keyring.ts';

/** Encrypts secrets that must be read again, so that a dump of the database doesn't reveal them. */
export interface Encryption {
  seal: (text: string) => Uint8Array<ArrayBuffer>;
  /** @throws Error if it was encrypted with a secret that isn't known, or has been altered */
  open: (sealed: Uint8Array) => string;
}

const nonceLength = 12;
const tagLength = 16;

/** The purpose of encrypted data. Data that was encrypted for one purpose can't be decrypted for another. */
type Purpose = 'webhook secrets' | 'stored answers' | 'backups' | 'secret check' | 'former anchor keys';

/**
 * AES-256-GCM: the id of the secret unless it is the database's first, nonce, tag, ciphertext. The key is derived from the secret
 * by HKDF (RFC 5869).
 * @param secrets one that is never replaced, or a keyring
 */
export function createEncryption(secrets: string | Keyring, what: Purpose): Encryption {
  const keyring = typeof secrets === 'string' ? Keyring.of(secrets) : secrets;
  const derived = new Map<string, Buffer>();
  const derive = (secret: string): Buffer => {
    const key = derived.get(secret) ?? Buffer.from(hkdfSync('sha256', secret, '', `kontor ${what}`, 32));
    derived.set(secret, key);
    return key;
  };
  const decrypt = (secret: string, sealed: Uint8Array): string => {
    const decipher = createDecipheriv('aes-256-gcm', derive(secret), sealed.subarray(0, nonceLength));
    decipher.setAuthTag(sealed.subarray(nonceLength, nonceLength + tagLength));
    const text = Buffer.concat([decipher.update(sealed.subarray(nonceLength + tagLength)), decipher.final()]);
    return text.toString('utf8');
  };
  return {
    seal: (text) => {
      const { key, named } = keyring.encrypting;
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', derive(key.secret), nonce);
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return new Uint8Array(Buffer.concat([...(named ? [key.id] : []), nonce, cipher.getAuthTag(), ciphertext]));
    },
    open: (sealed) => {
      const named = keyring.keys.find(({ id }) => id.equals(sealed.subarray(0, keyIdBytes)));
      let problem: unknown;
      // A nonce can begin like an id, so whatever the id says, all are tried. Only the right one passes the tag.
      const attempts = [
        ...(named ? [() => decrypt(named.secret, sealed.subarray(keyIdBytes))] : []),
        ...keyring.secrets.map((secret) => () => decrypt(secret, sealed)),
      ];
      for (const attempt of attempts) {
        try {
          return attempt();
        } catch (error) {
          problem ??= error;
        }
      }
      throw problem;
    },
  };
}
