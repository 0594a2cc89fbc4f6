// Users, tenants, memberships and tokens: the tables that stand outside the books.

export { createIdentity } from './identity.ts';
export { hashPassword, verifyPassword } from './password.ts';
export { authenticate, type Authentication, type Identities } from './principal.ts';
export {
  acceptInvitation,
  createInvitation,
  findInvitation,
  forgetInvitations,
  invitationLink,
  signInAs,
  type InvitationSummary,
} from './invitations.ts';
export { RefusedError } from './refused.ts';
export {
  authenticateSession,
  endSessions,
  findSession,
  forgetSessions,
  lifetimeMs,
  startSession,
  type Started,
  type SessionAuthentication,
} from './sessions.ts';
export { changePassword, createTryPassword, openSession, type TryPassword } from './sign-in.ts';
export { closeTenant, createTenant, listTenants } from './tenants.ts';
export { createToken, listTokens, revokeToken, type TokenSummary } from './tokens.ts';
export { createUser, removeUser, setPassword, type UserSummary } from './users.ts';
