import type { Principal } from '../../schema/graphql/context.ts';

/** The channel on which triggers announce that a caller's access has ended (announce_access_ending() in the migrations). */
export const accessChannel = 'access';

/** The keys of the rows on which a principal's access depends, as the triggers write them. */
export function accessKeys({ user, tenant, token, session }: Principal): string[] {
  return [
    ...(token ? [`token ${token.id}`] : []),
    ...(session ? [`session ${session.id}`] : []),
    `member ${tenant.id} ${user.id}`,
    `tenant ${tenant.id}`,
  ];
}

/** Listeners of this process for the end of a caller's access. */
export class AccessEndings {
  readonly #listeners = new Map<string, Set<() => void>>();

  /**
   * @param onEnd is called when one of the keys is announced
   * @returns a function that removes the listener
   */
  listen(keys: string[], onEnd: () => void): () => void {
    for (const key of keys) {
      const listeners = this.#listeners.get(key) ?? new Set();
      this.#listeners.set(key, listeners.add(onEnd));
    }
    return () => {
      for (const key of keys) {
        const listeners = this.#listeners.get(key);
        listeners?.delete(onEnd);
        if (listeners?.size === 0) this.#listeners.delete(key);
      }
    };
  }

  announce(key: string): void {
    for (const onEnd of this.#listeners.get(key) ?? []) onEnd();
  }
}
