import { hkdfSync } from 'node:crypto';

/** The length of a key's id, in bytes. */
export const keyIdBytes = 8;

/** A secret of the installation: KONTOR_SECRET, or the one that it replaces. */
interface Key {
  secret: string;
  /** Derived from the secret, from which nobody can derive the secret. */
  id: Buffer;
}

/** A name of a secret that says nothing about it. */
export const getSecretId = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'kontor key id', keyIdBytes));

/**
 * The secrets that this process knows, and which of them encrypts. That is the same for all processes: the database says it
 * (secret-check.ts), so that no process encrypts what another can't read.
 *
 * Data that the first secret of a database encrypts has no key id: earlier versions wrote it so, and may still read it.
 */
export class Keyring {
  #keys: Key[] = [];
  /** Null until the database was asked. */
  #encrypting: { key: Key; named: boolean } | null = null;

  /** @param secrets the configured one first; empty ones are left out */
  constructor(...secrets: (string | null)[]) {
    this.know(...secrets);
  }

  /** A keyring of a secret that was never replaced. */
  static of(secret: string): Keyring {
    const keyring = new Keyring(secret);
    keyring.encryptWith(secret, { named: false });
    return keyring;
  }

  /** Replaces the secrets that are known. */
  know(...secrets: (string | null)[]): void {
    const distinct = new Set(secrets.filter((secret) => secret !== null));
    this.#keys = Array.from(distinct, (secret) => ({ secret, id: getSecretId(secret) }));
  }

  get secrets(): string[] {
    return this.#keys.map(({ secret }) => secret);
  }

  get keys(): readonly Key[] {
    return this.#keys;
  }

  /** @param named whether ciphertexts have the id of the secret */
  encryptWith(secret: string, { named }: { named: boolean }): void {
    this.#encrypting = { key: { secret, id: getSecretId(secret) }, named };
  }

  /** Until the database has said which secret encrypts, the id says it. */
  get encrypting(): { key: Key; named: boolean } {
    const [first] = this.#keys;
    if (this.#encrypting) return this.#encrypting;
    if (!first) throw new Error('There is no secret');
    return { key: first, named: true };
  }
}
