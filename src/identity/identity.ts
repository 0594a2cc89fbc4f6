import type { ApiToken as ApiTokenRow, Prisma, UnscopedClient } from '../../prisma/client.ts';
import type { Principal } from '../../schema/graphql/context.ts';
import { ValidationError } from '../../schema/errors.ts';
import type { ApiToken, Identity } from '../../schema/graphql/identity.ts';
import { createInvitation, invitationLink, listInvitations, revokeInvitation } from './invitations.ts';
import { RefusedError } from './refused.ts';
import { endSessions, listSessions } from './sessions.ts';
import { createToken } from './tokens.ts';
import { listMembers, removeMember } from './users.ts';
import type { PublicAddress } from '../../rest-shim/rest-request.ts';

/** All data here belongs to the caller or to the caller's tenant. Each statement names the user or the tenant. */
export class CallerIdentity implements Identity {
  readonly #client: UnscopedClient;
  readonly #caller: Principal;
  readonly #now: () => Date;
  readonly #publicAddress: PublicAddress;

  constructor(
    client: UnscopedClient,
    caller: Principal,
    { now, publicAddress }: { now: () => Date; publicAddress: PublicAddress },
  ) {
    this.#client = client;
    this.#caller = caller;
    this.#now = now;
    this.#publicAddress = publicAddress;
  }

  async tenants() {
    const { session, tenant, user } = this.#caller;
    if (!session) return [tenant];
    const where: Prisma.TenantWhereInput = { closedAt: null, memberships: { some: { userId: user.id } } };
    return this.#client.tenant.findMany({ where, orderBy: [{ name: 'asc' }, { id: 'asc' }] });
  }

  apiTokens() {
    const where = { ...this.#owner, revokedAt: null };
    return this.#client.apiToken.findMany({ where, orderBy: { id: 'desc' }, ...shown });
  }

  async createApiToken(input: Parameters<Identity['createApiToken']>[0]) {
    const { user, tenant } = this.#caller;
    const created = createToken(this.#client, { tenantId: tenant.id, userEmail: user.email, ...input });
    const { token: value, ...apiToken } = await created.catch(asArgumentError('input'));
    return { apiToken, value };
  }

  async revokeApiToken(id: string) {
    const where = { id, ...this.#owner };
    await this.#client.apiToken.updateMany({ where: { ...where, revokedAt: null }, data: { revokedAt: this.#now() } });
    return this.#client.apiToken.findFirst({ where, ...shown });
  }

  async followApiToken(id: string, until: Date | null) {
    const where = { id, ...this.#owner, revokedAt: null };
    const { count } = await this.#client.apiToken.updateMany({ where, data: { followedUntil: until } });
    return count > 0;
  }

  members() {
    return listMembers(this.#client, this.#caller.tenant.id);
  }

  removeMember(userId: string) {
    const { tenantId } = this.#owner;
    return removeMember(this.#client, { tenantId, userId }).catch(asArgumentError('userId'));
  }

  invitations() {
    return listInvitations(this.#client, { tenantId: this.#caller.tenant.id, now: this.#now() });
  }

  async inviteMember(email: string) {
    const { tenantId, userId: inviterId } = this.#owner;
    const created = createInvitation(this.#client, { tenantId, email, inviterId, now: this.#now() });
    const { invitation, secret } = await created.catch(asArgumentError('email'));
    return { invitation, link: invitationLink(this.#publicAddress.url, secret) };
  }

  revokeInvitation(id: string) {
    return revokeInvitation(this.#client, { tenantId: this.#caller.tenant.id, id });
  }

  sessions() {
    return listSessions(this.#client, this.#caller.user.id, this.#now());
  }

  async revokeSession(id: string) {
    const ended = (await this.sessions()).find((each) => each.id === id);
    await endSessions(this.#client, { userId: this.#caller.user.id, id });
    return ended ?? null;
  }

  revokeOtherSessions() {
    const { user, session } = this.#caller;
    return endSessions(this.#client, { userId: user.id, except: session?.id });
  }

  /** The user and the tenant that the caller's tokens belong to. */
  get #owner() {
    const { user, tenant } = this.#caller;
    return { userId: user.id, tenantId: tenant.id };
  }
}

const shown = {
  select: {
    id: true,
    name: true,
    abilities: true,
    trustedDocuments: true,
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
    throw error instanceof RefusedError ? new ValidationError({ [path]: [`${error.message}.`] }) : error;
  };
