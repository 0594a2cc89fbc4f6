import type { Actor, Holder, Row } from '../../prisma/client.ts';

// Users, tenants, tokens, sessions, and the domain's interface to `src/identity/`, which stores them. Their tables are not
// tenant tables: resolvers can't read them directly.

/** A person. */
export interface User {
  id: string;
  name: string;
  email: string;
}

/** A business that keeps its books here. */
export interface Tenant {
  id: string;
  name: string;
  country: string;
  defaultCurrency: string;
  timezone: string;
  /** Whether it is a test tenant. */
  test: boolean;
  /** By how many milliseconds the clock of a test tenant is ahead; 0 for others. */
  clockAheadMs: number;
}

/** The tenant of a request or a job. */
export interface CurrentTenant extends Tenant {
  /** Who holds its share of what all tenants use. */
  holder: Holder;
}

/** A test tenant, as the tenant that it belongs to sees it. */
export interface TestTenant {
  id: string;
  name: string;
  createdAt: Date;
  clockAheadMs: number;
}

export interface NewTestTenant {
  name: string;
  /** The company profile that it gets a copy of. */
  profile: { company: Row<'Company'>; logo: Row<'CompanyLogo'> | null } | null;
}

/** A personal access token, without its value. */
export interface ApiToken {
  id: string;
  name: string;
  abilities: string[];
  /** Whether its GraphQL requests may only name trusted documents. */
  trustedDocuments: boolean;
  /** The requests that it may make in any 60 seconds; null: as many as tokens may by default. */
  requestsPerMinute: number | null;
  lastFour: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
}

/** How many requests tokens may make in any 60 seconds. */
export interface RequestLimits {
  /** Null: there is no limit, not even for tokens with one of their own. */
  usual: number | null;
  /** The highest limit of a token's own. */
  max: number;
}

export interface Session {
  id: string;
  userAgent: string | null;
  createdAt: Date;
  lastSeenAt: Date;
}

export interface Member {
  user: User;
  joinedAt: Date;
  /** Null while the address is not proven to be the user's. */
  emailVerifiedAt: Date | null;
}

export interface Invitation {
  id: string;
  email: string;
  createdAt: Date;
  expiresAt: Date;
  /** The member who made it; null if it was made on the command line. */
  invitedBy: User | null;
}

/** Who calls, and the clock of the call: each context is one. */
export interface Caller {
  user: User;
  tenant: CurrentTenant;
  session?: { id: string };
  /** The caller, as the audit log names them. */
  actor: Actor | undefined;
  now: () => Date;
}

/**
 * Operations on behalf of a caller: the user and the tenant are the caller's own. For an id that belongs to others, the result
 * is null, as for an unknown id.
 */
export interface Identity {
  requestLimits: () => RequestLimits;
  /** The user's open tenants, by name; for an API token, its own. */
  tenants: (caller: Caller) => Promise<Tenant[]>;
  /** The user's tokens for the tenant, newest first, without revoked ones. */
  apiTokens: (caller: Caller) => Promise<ApiToken[]>;
  createApiToken: (
    caller: Caller,
    input: {
      name: string;
      abilities?: string[];
      trustedDocuments?: boolean;
      requestsPerMinute?: number | null;
      expiresAt?: Date;
    },
  ) => Promise<{ apiToken: ApiToken; value: string }>;
  updateApiToken: (
    caller: Caller,
    id: string,
    input: { requestsPerMinute?: number | null },
  ) => Promise<ApiToken | null>;
  revokeApiToken: (caller: Caller, id: string) => Promise<ApiToken | null>;
  /** Has the requests of one of the user's valid tokens for the tenant announced for a while. @returns whether it is one */
  followApiToken: (caller: Caller, id: string, until: Date) => Promise<boolean>;
  /** The tenant's test tenants, oldest first. */
  testTenants: (caller: Caller) => Promise<TestTenant[]>;
  /** @throws ValidationError where there are as many as there may be */
  createTestTenant: (caller: Caller, input: NewTestTenant) => Promise<{ testTenant: TestTenant; value: string }>;
  /** Deletes the books of one of the tenant's test tenants, or of the tenant itself, if it is one. */
  resetTestTenant: (caller: Caller, id: string) => Promise<TestTenant | null>;
  /** Deletes one of the tenant's test tenants, with everything that belongs to it. */
  deleteTestTenant: (caller: Caller, id: string) => Promise<TestTenant | null>;
  /** Sets the clock of the tenant, a test tenant, forward. Null where it is as late already, and for other tenants. */
  setTestClock: (caller: Caller, time: Date) => Promise<{ clockAheadMs: number } | null>;
  /** The tenant's members, in the order in which they joined. */
  members: (caller: Caller) => Promise<Member[]>;
  /** The names of users, by their ids, also of former members: nobody can guess an id. */
  userNames: (caller: Caller, ids: readonly string[]) => Promise<Map<string, string>>;
  /** The names of the tenant's tokens, revoked ones included, by their ids. */
  tokenNames: (caller: Caller, ids: readonly string[]) => Promise<Map<string, string>>;
  /** @throws ValidationError for the last member */
  removeMember: (caller: Caller, userId: string) => Promise<Member | null>;
  /** The tenant's open invitations, newest first. */
  invitations: (caller: Caller) => Promise<Invitation[]>;
  /** @throws ValidationError for a member's address */
  inviteMember: (caller: Caller, email: string) => Promise<{ invitation: Invitation; link: string }>;
  revokeInvitation: (caller: Caller, id: string) => Promise<Invitation | null>;
  /** The user's sessions, newest first. */
  sessions: (caller: Caller) => Promise<Session[]>;
  revokeSession: (caller: Caller, id: string) => Promise<Session | null>;
  /** Ends all sessions of the user except the caller's. @returns how many there were */
  revokeOtherSessions: (caller: Caller) => Promise<number>;
}
