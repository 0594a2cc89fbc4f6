import type { Identity } from '../../../schema/graphql/identity.ts';

const isWrite: Record<keyof Identity, boolean> = {
  requestLimits: false,
  tenants: false,
  apiTokens: false,
  createApiToken: true,
  updateApiToken: true,
  revokeApiToken: true,
  followApiToken: false,
  testTenants: false,
  createTestTenant: true,
  resetTestTenant: true,
  deleteTestTenant: true,
  setTestClock: true,
  members: false,
  userNames: false,
  tokenNames: false,
  removeMember: true,
  invitations: false,
  inviteMember: true,
  revokeInvitation: true,
  sessions: false,
  revokeSession: true,
  revokeOtherSessions: true,
};

type Method = (caller: unknown, ...args: unknown[]) => unknown;

/**
 * Remembers identity's writes for a request whose transaction is retried as a whole. They are committed separately, so that a
 * retry must not repeat them: the same call, numbered among equal calls, gets the result of the first try.
 * @returns a function that gives the identity for one try
 */
export function rememberIdentityWrites(identity: Identity): () => Identity {
  const results = new Map<string, unknown>();
  return () => {
    const counts = new Map<string, number>();
    const remembered =
      (name: string, write: Method): Method =>
      (caller, ...args) => {
        const call = JSON.stringify([name, args]); // one request has one caller
        const count = (counts.get(call) ?? 0) + 1;
        counts.set(call, count);
        const key = `${count} ${call}`;
        if (!results.has(key)) results.set(key, write(caller, ...args));
        return results.get(key);
      };
    const methods = Object.entries(isWrite).map(([name, writes]) => {
      const method = identity[name as keyof Identity].bind(identity) as Method;
      return [name, writes ? remembered(name, method) : method];
    });
    return Object.fromEntries(methods) as Identity;
  };
}
