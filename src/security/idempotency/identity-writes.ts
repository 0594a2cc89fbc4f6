import type { Identity } from '../../../schema/graphql/identity.ts';

const isWrite: Record<keyof Identity, boolean> = {
  tenants: false,
  apiTokens: false,
  createApiToken: true,
  revokeApiToken: true,
  followApiToken: false,
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
 * Remembers identity's writes for a request whose transaction is retried as a whole. They are committed separately, so that a
 * retry must not repeat them: the same call, numbered among equal calls, gets the result of the first try.
 * @returns a function that gives the identity for one try
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
