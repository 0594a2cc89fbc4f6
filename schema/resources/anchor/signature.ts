import { createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto';

// Ed25519 (RFC 8032). Keys are given as their 32 bytes: the DER encodings begin with the same bytes for all keys (RFC 8410).

const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** The length of a private and of a public key, in bytes. */
export const keyBytes = 32;

/** The key that signs anchors. */
export interface AnchorKey {
  publicKey: Buffer<ArrayBuffer>;
  sign: (content: string) => Buffer<ArrayBuffer>;
}

/** @param seed the private key: 32 random bytes */
export function createAnchorKey(seed: Uint8Array): AnchorKey {
  if (seed.length !== keyBytes) throw new RangeError(`A key has ${keyBytes} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
  const encoded = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: Buffer.from(encoded.subarray(publicPrefix.length)),
    sign: (content) => Buffer.from(sign(null, Buffer.from(content), key)),
  };
}

/** Whether an anchor was signed by the private key of this public key. */
export function isSigned({
  content,
  publicKey,
  signature,
}: {
  content: string;
  publicKey: Uint8Array;
  signature: Uint8Array;
}): boolean {
  if (publicKey.length !== keyBytes) return false;
  const key = createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(content), key, signature);
}

/** A short name of a key: the first 16 hexadecimal digits of the SHA-256 of its public key. */
export const getKeyId = (publicKey: Uint8Array): string => hash('sha256', publicKey, 'hex').slice(0, 16);
