// Users, tenants, memberships and tokens: the tables that don't belong to a tenant's books.

export {
  AccountExistsError,
  findAccount,
  describeOrigin as originOf,
  showAccount,
  findWarning as warningOf,
  type Account,
} from './accounts.ts';
export { deleteAbandonedTenants } from './abandoned-tenants.ts';
export { StoredIdentity } from './identity.ts';
export { hashPassword, verifyPassword } from './password.ts';
export { eraseUser, exportUser } from './personal-data.ts';
export { createAuthenticate, findPrincipal, type Authentication } from './principal.ts';
export {
  acceptInvitation,
  createInvitation,
  createInvitedAccount,
  findInvitation,
  deleteExpiredInvitations,
  invitationLink,
  signInAs,
  type InvitationSummary,
} from './invitations.ts';
export { checkedId, RefusedError } from './refused.ts';
export {
  authenticateSession,
  endSessions,
  findSession,
  deleteExpiredSessions,
  lifetimeMs,
  startSession,
  type Started,
} from './sessions.ts';
export {
  changePassword,
  createCountInvited,
  createTryPassword,
  openSession,
  type CountInvited,
  type TryPassword,
} from './sign-in.ts';
export { closedDays, deleteTenant, type DeletionCertificate } from './tenant-deletion.ts';
export { closeTenant, createTenant, findTenant, listTenants, reopenTenant } from './tenants.ts';
export { createDocsToken } from './docs-token.ts';
export { recallTenants, sweepTestBooks } from './test-tenants.ts';
export { createToken, deleteEndedTokens, limitToken, listTokens, revokeToken } from './tokens.ts';
export { addExistingUser, createUser, removeUser, setPassword, type UserSummary } from './users.ts';
