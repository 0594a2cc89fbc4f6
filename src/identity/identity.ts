import { asActor, type ApiToken as ApiTokenRow, type Prisma, type UnscopedClient } from '../../prisma/client.ts';
import { ValidationError } from '../../schema/errors/errors.ts';
import type { ApiToken, Caller, Identity, RequestLimits } from '../../schema/graphql/identity.ts';
import { createInvitation, invitationLink, listInvitations, revokeInvitation } from './invitations.ts';
import { RefusedError } from './refused.ts';
import { endSessions, listSessions } from './sessions.ts';
import { createToken } from './tokens.ts';
import {
  createTestTenant,
  deleteTestTenant,
  listTestTenants,
  resetTestTenant,
  type TestTenantStore,
} from './test-tenants.ts';
import { setTestClock } from './test-clock.ts';
import { listMembers, removeMember } from './users.ts';
import type { PublicAddress } from '../../rest-shim/rest-request.ts';

/** All data here belongs to the caller or to the caller's tenant. Each statement names the user or the tenant. */
export class StoredIdentity implements Identity {
  readonly #client: UnscopedClient;
  readonly #testTenantStore: TestTenantStore;
  readonly #publicAddress: PublicAddress;
  readonly #requestLimits: RequestLimits;

  /** @param publicAddress for the links of invitations */
  constructor(store: TestTenantStore, publicAddress: PublicAddress, requestLimits: RequestLimits) {
    this.#client = store.client;
    this.#testTenantStore = store;
    this.#publicAddress = publicAddress;
    this.#requestLimits = requestLimits;
  }

  requestLimits() {
    return this.#requestLimits;
  }

  async tenants({ session, tenant, user }: Caller) {
    if (!session) return [tenant];
    const where: Prisma.TenantWhereInput = { closedAt: null, memberships: { some: { userId: user.id } } };
    return this.#client.tenant.findMany({ where, orderBy: [{ name: 'asc' }, { id: 'asc' }] });
  }

  apiTokens(caller: Caller) {
    const where = { ...ownedBy(caller), revokedAt: null };
    return this.#client.apiToken.findMany({ where, orderBy: { id: 'desc' }, ...shown });
  }

  async createApiToken(caller: Caller, input: Parameters<Identity['createApiToken']>[1]) {
    const { user, tenant, session } = caller;
    const by = { userEmail: user.email, ...(session && { sessionId: session.id }) };
    const created = asActor(caller.actor, () => createToken(this.#client, { tenantId: tenant.id, ...by, ...input }));
    const { token: value, ...apiToken } = await created.catch(asArgumentError('input'));
    return { apiToken, value };
  }

  async updateApiToken(caller: Caller, id: string, input: Parameters<Identity['updateApiToken']>[2]) {
    const where = { id, ...ownedBy(caller), revokedAt: null };
    await asActor(caller.actor, async () => await this.#client.apiToken.updateMany({ where, data: input }));
    return this.#client.apiToken.findFirst({ where, ...shown });
  }

  async revokeApiToken(caller: Caller, id: string) {
    const where = { id, ...ownedBy(caller) };
    const active = { ...where, revokedAt: null };
    const data = { revokedAt: caller.now() };
    await asActor(caller.actor, async () => await this.#client.apiToken.updateMany({ where: active, data }));
    return this.#client.apiToken.findFirst({ where, ...shown });
  }

  async followApiToken(caller: Caller, id: string, until: Date | null) {
    const where = { id, ...ownedBy(caller), revokedAt: null };
    const { count } = await this.#client.apiToken.updateMany({ where, data: { followedUntil: until } });
    return count > 0;
  }

  testTenants({ tenant }: Caller) {
    return listTestTenants(this.#client, tenant.id);
  }

  createTestTenant({ actor, tenant, user }: Caller, input: Parameters<Identity['createTestTenant']>[1]) {
    const data = { ...input, testOf: tenant.id, userId: user.id };
    return asActor(actor, () => createTestTenant(this.#client, data)).catch(asArgumentError('input'));
  }

  resetTestTenant({ actor, tenant }: Caller, id: string) {
    return asActor(actor, () => resetTestTenant(this.#testTenantStore, { id, by: tenant }));
  }

  deleteTestTenant({ actor, tenant }: Caller, id: string) {
    return asActor(actor, () => deleteTestTenant(this.#testTenantStore, { id, by: tenant }));
  }

  setTestClock({ actor, tenant, now }: Caller, time: Date) {
    return asActor(actor, () => setTestClock(this.#client, { id: tenant.id, time, now: now() }));
  }

  members({ tenant }: Caller) {
    return listMembers(this.#client, tenant.id);
  }

  async userNames(_caller: Caller, ids: readonly string[]) {
    const users = await this.#client.user.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, name: true },
    });
    return new Map(users.map(({ id, name }) => [id, name]));
  }

  async tokenNames({ tenant }: Caller, ids: readonly string[]) {
    const where = { tenantId: tenant.id, id: { in: [...ids] } };
    const tokens = await this.#client.apiToken.findMany({ where, select: { id: true, name: true } });
    return new Map(tokens.map(({ id, name }) => [id, name]));
  }

  removeMember(caller: Caller, userId: string) {
    const membership = { tenantId: caller.tenant.id, userId, by: caller.user.id };
    return asActor(caller.actor, () => removeMember(this.#client, membership)).catch(asArgumentError('userId'));
  }

  invitations({ tenant, now }: Caller) {
    return listInvitations(this.#client, { tenantId: tenant.id, now: now() });
  }

  async inviteMember(caller: Caller, email: string) {
    const data = { tenantId: caller.tenant.id, email, inviterId: caller.user.id, now: caller.now() };
    const created = asActor(caller.actor, () => createInvitation(this.#client, data));
    const { invitation, secret } = await created.catch(asArgumentError('email'));
    return { invitation, link: invitationLink(this.#publicAddress.url, secret) };
  }

  revokeInvitation(caller: Caller, id: string) {
    return asActor(caller.actor, () => revokeInvitation(this.#client, { tenantId: caller.tenant.id, id }));
  }

  sessions({ user, now }: Caller) {
    return listSessions(this.#client, user.id, now());
  }

  async revokeSession(caller: Caller, id: string) {
    const ended = (await this.sessions(caller)).find((each) => each.id === id);
    await endSessions(this.#client, { userId: caller.user.id, id });
    return ended ?? null;
  }

  revokeOtherSessions({ user, session }: Caller) {
    return endSessions(this.#client, { userId: user.id, except: session?.id });
  }
}

/** The user and the tenant that the caller's tokens belong to. */
const ownedBy = ({ user, tenant }: Caller) => ({ userId: user.id, tenantId: tenant.id });

const shown = {
  select: {
    id: true,
    name: true,
    abilities: true,
    trustedDocuments: true,
    requestsPerMinute: true,
    lastFour: true,
    createdAt: true,
    lastUsedAt: true,
    expiresAt: true,
  },
} satisfies Prisma.ApiTokenDefaultArgs & { select: Record<keyof ApiToken & keyof ApiTokenRow, true> };

/** Converts a RefusedError into a validation error of an argument. */
const asArgumentError =
  (path: string) =>
  (error: unknown): never => {
    throw error instanceof RefusedError ? new ValidationError({ [path]: [error.problem] }) : error;
  };
