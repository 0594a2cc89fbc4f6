import type { GraphQLSchema } from 'graphql';
import { encodeActor, forTenant, type Actor } from '../prisma/client.ts';
import { currentTime } from '../prisma/clock.ts';
import { findGetOperation, loadOperations, type Operation } from '../rest-shim/operation.ts';
import { createFileLinks } from '../rest-shim/file-links.ts';
import { allows } from '../schema/graphql/ability.ts';
import type { ResponseSize } from '../schema/graphql/execution/response-size.ts';
import { createContext, type Context, type Principal, type Webhooks } from '../schema/graphql/context.ts';
import type { FileStorage } from '../schema/graphql/file-storage.ts';
import type { RequestLimits } from '../schema/graphql/identity.ts';
import type { TrustedDocumentStore } from '../schema/graphql/trusted-document-store.ts';
import { eventResources } from '../schema/resource-list.ts';
import { toSchema } from '../schema/index.ts';
import { readConfig, type Config } from './config/config.ts';
import { analyzeSoon } from './database/analyze.ts';
import type { Database } from './database/database.ts';
import { StoredIdentity } from './identity/index.ts';
import type { Notifications } from './notifications/notifications.ts';
import type { PublicAddress } from '../rest-shim/rest-request.ts';

/** The domain as APIs and jobs use it: the schema, the compiled operations, and contexts for callers. */
export interface Domain {
  schema: GraphQLSchema;
  operations: ReadonlyMap<string, Operation>;
  requestLimits: RequestLimits;
  fileStorage: FileStorage;
  /**
   * @param notifications for subscriptions; without them there are no subscriptions
   * @param documents for trusted documents; without them there are none
   * @param requestId the current request's id, if there is one
   * @param signal once it is aborted, the context sends no more statements
   * @param responseSize counts what is read
   * @param now a clock instead of the domain's
   */
  contextFor: (
    principal: Principal,
    surroundings?: {
      notifications?: Notifications;
      documents?: TrustedDocumentStore;
      requestId?: string;
      signal?: AbortSignal;
      responseSize?: ResponseSize;
      now?: () => Date;
    },
  ) => Context;
}

type RateLimitSettings = Pick<Config, 'rateLimitPerMinute' | 'rateLimitMaxPerMinute'>;

/** @param publicAddress for links */
export function createDomain(
  { client, books }: Pick<Database, 'client' | 'books'>,
  webhooks: Webhooks,
  publicAddress: PublicAddress,
  fileStorage: FileStorage,
  usualNow: () => Date = currentTime,
  { rateLimitPerMinute, rateLimitMaxPerMinute }: RateLimitSettings = readConfig({}),
): Domain {
  const schema = toSchema();
  const requestLimits = { usual: rateLimitPerMinute || null, max: rateLimitMaxPerMinute };
  const domain = { schema, operations: loadOperations(schema), requestLimits, fileStorage };
  const fileLinks = createFileLinks(publicAddress);
  const identity = new StoredIdentity({ client, books, fileStorage }, publicAddress, requestLimits);
  const representations = new Map(
    eventResources.map((resource) => [resource.model, findGetOperation(domain.operations, resource)]),
  );
  const contextFor: Domain['contextFor'] = (
    principal,
    { notifications, documents = noDocuments, requestId = null, signal, responseSize, now = usualNow } = {},
  ) => {
    const { token, session, user } = principal;
    const kind = token ? 'token' : 'session';
    const actor: Actor | undefined = (token ?? session) && {
      kind,
      userId: user.id,
      tokenId: token?.id,
      sessionId: session?.id,
      requestId,
    };
    return createContext({
      client: forTenant(books, principal.tenant.id, {
        holder: principal.tenant.holder,
        signal,
        readLimit: responseSize,
        actor: actor && encodeActor(actor),
      }),
      principal,
      actor,
      now,
      may: !token || token.abilities.includes('*') ? mayEverything : (ability) => allows(token.abilities, ability),
      representations,
      webhooks,
      fileLinks,
      fileStorage,
      identity,
      documents,
      notifications: {
        watch: async (channel, pick) => {
          if (!notifications) throw new Error('This process serves no subscriptions');
          return notifications.watch(channel, principal.tenant, pick);
        },
        notify: (channel, what) => {
          const payload = `${principal.tenant.id} ${what}`;
          client.$executeRaw`select pg_notify(${channel}, ${payload})`.catch(() => {}); // what is announced may be lost
        },
      },
      announceRows: (models, count) => void analyzeSoon(client, principal.tenant.id, models, count).catch(() => {}),
      requestId,
      responseSize,
      signal,
    });
  };
  return { ...domain, contextFor };
}

const noDocuments: TrustedDocumentStore = {
  register: async () => {
    throw new Error('This process registers no documents');
  },
  list: async () => [],
  remove: async () => null,
};

/** In a session, and with a token that has the ability `*`. */
const mayEverything = (): boolean => true;
