import type { Identity } from '../../schema/identity/identity.ts';

const isWrite: Record<keyof Identity, boolean> = {
  tenants: false,
  apiTokens: false,
  createApiToken: true,
  revokeApiToken: true,
  members: false,
  removeMember: true,
  invitations: false,
  inviteMember: true,
  revokeInvitation: true,
  sessions: false,
  revokeSession: true,
  revokeOtherSessions: true,
};

/**
 * For a request whose transaction is tried again as a whole. Identity's writes are committed by themselves, so the next
 * try must not repeat them: the same call, counted among equal ones, is answered as it was in the first try.
 * @returns the identity for one try
 */
export function rememberIdentityWrites(identity: Identity): () => Identity {
  const answers = new Map<string, unknown>();
  return () => {
    const counts = new Map<string, number>();
    const remembered =
      (name: string, write: (...args: unknown[]) => unknown) =>
      (...args: unknown[]): unknown => {
        const call = JSON.stringify([name, args]);
        const count = (counts.get(call) ?? 0) + 1;
        counts.set(call, count);
        const key = `${count} ${call}`;
        if (!answers.has(key)) answers.set(key, write(...args));
        return answers.get(key);
      };
    const methods = Object.entries(identity).map(([name, method]) => [
      name,
      isWrite[name as keyof Identity] ? remembered(name, method as (...args: unknown[]) => unknown) : method,
    ]);
    return Object.fromEntries(methods) as Identity;
  };
}
