// Users, tenants, memberships and tokens: the tables that stand outside the books.

export { createIdentity } from './identity.ts';
export { hashPassword, verifyPassword } from './password.ts';
export { authenticate, type Authentication } from './principal.ts';
export { RefusedError } from './refused.ts';
export {
  authenticateSession,
  endSessions,
  findSession,
  forgetSessions,
  lifetimeMs,
  sessionHash,
  startSession,
  type SessionAuthentication,
} from './sessions.ts';
export { createTryPassword, type TryPassword } from './sign-in.ts';
export { closeTenant, createTenant, listTenants } from './tenants.ts';
export { createToken, listTokens, revokeToken, type TokenSummary } from './tokens.ts';
export { createUser, removeUser, type UserSummary } from './users.ts';
