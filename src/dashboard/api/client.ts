import { authExchange } from '@urql/exchange-auth';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient as createSseClient } from 'graphql-sse';
import {
  cacheExchange,
  Client,
  fetchExchange,
  makeOperation,
  mapExchange,
  subscriptionExchange,
  type CombinedError,
  type Exchange,
  type TypedDocumentNode,
  type Operation,
  type OperationContext,
  type OperationResult,
} from 'urql';
import { map, tap } from 'wonka';
import { setOutdated, setReachable } from './connection.ts';
import { endInOwnTask, streamEvents, waitToReconnect } from './event-stream.ts';

/**
 * Every mutation invalidates every cached result, and shown queries are fetched again: a payment changes an invoice, a bank
 * transaction, and the overview. The cache is urql's document cache. A normalized cache would save requests, but would
 * need a second copy of each such rule.
 */
const invalidatesAll = { additionalTypenames: ['Books'] };

/** The context of a mutation that takes effect once, even if it is sent again. */
export interface IdempotentContext {
  idempotencyKey: string;
}

/** A query of the current page, with its last result. */
interface ActiveQuery {
  operation: Operation;
  data?: unknown;
  inFlight: boolean;
  /** Whether the books have changed since the query was sent: its answer may show them as they were before. */
  overtaken: boolean;
}

const activeQueries = new WeakMap<Client, Map<number, ActiveQuery>>();

/** Fetches all queries of the current page again; one that is in flight, once it is answered. */
export function refetchActive(client: Client): void {
  const active = activeQueries.get(client);
  if (!active) return;
  markOvertaken(active);
  for (const { operation, inFlight } of active.values()) if (!inFlight) refetch(client, operation);
}

/** urql sends no query twice at a time: one that is in flight would be asked for again by nobody. */
function markOvertaken(active: Map<number, ActiveQuery>): void {
  for (const query of active.values()) query.overtaken = query.inFlight;
}

const refetch = (client: Client, operation: Operation): void =>
  client.reexecuteOperation(makeOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }));

/**
 * Creates a client for one tenant. Each tenant has its own, so that no cached result outlives a switch.
 * @param signInAgain settles when the user has signed in again or declined; then refused requests are repeated
 */
export function createClient(tenantId: string | undefined, signInAgain: () => Promise<unknown>): Client {
  const headers = { 'X-Requested-With': 'kontor', ...(tenantId && { 'X-Tenant': tenantId }) };
  const active = new Map<number, ActiveQuery>();
  const events = createSseClient({
    url: '/graphql',
    headers,
    credentials: 'same-origin',
    retryAttempts: Number.POSITIVE_INFINITY,
    retry: waitToReconnect,
    // The session is asked for together with the stream, the page once the session is known: usually after the stream has opened.
    on: streamEvents(() => active.size > 1),
    // A page that stays open, and asks for nothing, learns by its stream alone that the session has ended.
    fetchFn: async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request);
      if (response.status === 401) await signInAgain();
      return endInOwnTask(response);
    },
  });
  const client = new Client({
    url: '/graphql',
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: { headers, credentials: 'same-origin' },
    exchanges: [
      followQueries(active),
      mapExchange({
        onOperation: (operation) => ({ ...operation, context: buildContext(operation, headers) }),
        onResult: (result) => keepLastResult(result, active),
      }),
      cacheExchange,
      mapExchange({ onResult: withoutPartialData }),
      authExchange(() =>
        Promise.resolve({
          addAuthToOperation: (operation: Operation) => operation, // the browser sends the cookie
          didAuthError: (error: CombinedError) => getCode(error) === 'UNAUTHENTICATED',
          refreshAuth: async () => {
            await signInAgain();
          },
        }),
      ),
      persistedExchange({
        preferGetForPersistedQueries: false,
        enableForMutation: true,
        enableForSubscriptions: true,
        generateHash: (_, document) => Promise.resolve(getHash(document)),
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', ...request }) => ({
          subscribe: (sink) => ({
            unsubscribe: events.subscribe<Record<string, unknown>, Record<string, unknown>>(
              { query, ...request },
              {
                ...sink,
                // As a result, a refusal would be repeated when the stream ends, and the text be sent twice.
                next: (result) => (result.errors && !result.data ? sink.error(result.errors) : sink.next(result)),
              },
            ),
          }),
        }),
      }),
    ],
  });
  activeQueries.set(client, active);
  return client;
}

/** Knows the queries of the current page. mapExchange isn't told when a query is left. */
const followQueries =
  (active: Map<number, ActiveQuery>): Exchange =>
  ({ client, forward }) =>
  (operations) => {
    const followed = tap((operation: Operation) => {
      const { kind, key } = operation;
      if (kind === 'query') active.set(key, { ...active.get(key), operation, inFlight: true, overtaken: false });
      if (kind !== 'teardown') return;
      active.delete(key);
      setOutdated(key, false);
    })(operations);
    return map((result: OperationResult) => {
      if (result.operation.kind === 'mutation') markOvertaken(active);
      const query = active.get(result.operation.key);
      if (!query || result.operation.kind !== 'query' || result.stale) return result;
      query.inFlight = false;
      if (!query.overtaken) return result;
      refetch(client, query.operation);
      return { ...result, stale: true };
    })(forward(followed));
  };

/** The hash of a trusted document, which the build adds. Without one, as in development, the text is sent. */
const getHash = (document: TypedDocumentNode & { documentId?: string }): string | undefined => document.documentId;

function buildContext({ kind, context }: Operation, headers: Record<string, string>): OperationContext {
  const { idempotencyKey, authAttempt: _, ...others } = context as OperationContext & Partial<IdempotentContext>;
  return {
    ...others,
    // A subscription's results come often: whoever subscribes says what is fetched again.
    ...(kind !== 'subscription' && invalidatesAll),
    ...(idempotencyKey && {
      fetchOptions: { headers: { ...headers, 'Idempotency-Key': idempotencyKey }, credentials: 'same-origin' },
    }),
  } as OperationContext;
}

/**
 * An answer in which a root field failed is an error as a whole, as its page has nothing to show then. With data, be it
 * `{ customer: null }`, the cache would keep the error.
 */
const withoutPartialData = (result: OperationResult): OperationResult =>
  result.error?.graphQLErrors.some(({ path }) => path?.length === 1) ? { ...result, data: undefined } : result;

/** The codes of a server that can't answer now. They say nothing about what was asked for. */
const passing: ReadonlySet<string | undefined> = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL_SERVER_ERROR']);

/**
 * While the server can't be reached, or can't answer, the page keeps its last result. An error in its place would unmount
 * the page's forms, and what was typed would be lost: each mutation fetches the page again, also one that has failed.
 */
function keepLastResult(result: OperationResult, active: Map<number, ActiveQuery>): OperationResult {
  const { operation, data, error } = result;
  if (operation.kind !== 'subscription') setReachable(!error?.networkError);
  const last = active.get(operation.key);
  if (!last || operation.kind !== 'query') return result;
  if (data !== undefined && data !== null) last.data = data;
  const kept = isPassing(error) ? last.data : undefined;
  setOutdated(operation.key, kept !== undefined);
  return kept === undefined ? result : { ...result, data: kept };
}

const isPassing = (error: CombinedError | undefined): boolean =>
  error !== undefined && (error.networkError !== undefined || passing.has(getCode(error)));

/** An error's code, such as `NOT_FOUND`. Undefined for a network error. */
export function getCode(error: CombinedError): string | undefined {
  const code = error.graphQLErrors[0]?.extensions.code;
  if (typeof code === 'string') return code;
  return (error.response as Response | undefined)?.status === 401 ? 'UNAUTHENTICATED' : undefined;
}
