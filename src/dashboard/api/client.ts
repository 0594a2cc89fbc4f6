import { authExchange } from '@urql/exchange-auth';
import { createClient as createSseClient } from 'graphql-sse';
import {
  cacheExchange,
  Client,
  fetchExchange,
  makeOperation,
  mapExchange,
  subscriptionExchange,
  type CombinedError,
  type Operation,
  type OperationContext,
  type OperationResult,
} from 'urql';
import { setReachable } from './connection.ts';
import { streamEvents } from './event-stream.ts';

/**
 * The books hang together: a payment changes an invoice, a bank transaction and the overview. So every answer is cached
 * whole (urql's document cache), and every mutation makes all of them stale: what is on the screen is fetched again.
 * A normalized cache would save requests, and need to be told of each such rule a second time.
 */
const everything = { additionalTypenames: ['Books'] };

/** The context of a mutation that is done once, however often it is sent. */
export interface Once {
  idempotencyKey: string;
}

/** The queries of the current page, with their last results. */
interface Shown {
  operation: Operation;
  data?: unknown;
}

const shownBy = new WeakMap<Client, Map<number, Shown>>();

/** Asks anew for all that is on the screen. */
export function refetchShown(client: Client): void {
  for (const { operation } of shownBy.get(client)?.values() ?? []) {
    client.reexecuteOperation(
      makeOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }),
    );
  }
}

/**
 * A client for one tenant; another tenant gets another, so that no answer outlives the switch.
 * @param signInAgain settles when the user has signed in again or declined; refused requests are then repeated
 */
export function createClient(tenantId: string | undefined, signInAgain: () => Promise<unknown>): Client {
  const headers = { 'X-Requested-With': 'kontor', ...(tenantId && { 'X-Tenant': tenantId }) };
  const events = createSseClient({
    url: '/graphql',
    headers,
    credentials: 'same-origin',
    retryAttempts: Number.POSITIVE_INFINITY,
    on: streamEvents,
  });
  const shown = new Map<number, Shown>();
  const client = new Client({
    url: '/graphql',
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: { headers, credentials: 'same-origin' },
    exchanges: [
      mapExchange({
        onOperation: (operation) => {
          if (operation.kind === 'teardown') shown.delete(operation.key);
          else if (operation.kind === 'query') shown.set(operation.key, { ...shown.get(operation.key), operation });
          return { ...operation, context: contextOf(operation, headers) };
        },
        onResult: (result) => keepShown(result, shown),
      }),
      cacheExchange,
      authExchange(() =>
        Promise.resolve({
          addAuthToOperation: (operation: Operation) => operation, // the browser sends the cookie
          didAuthError: (error: CombinedError) => codeOf(error) === 'UNAUTHENTICATED',
          refreshAuth: async () => {
            await signInAgain();
          },
        }),
      ),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({ unsubscribe: events.subscribe({ query: query ?? '', variables }, sink) }),
        }),
      }),
    ],
  });
  shownBy.set(client, shown);
  return client;
}

function contextOf({ context }: Operation, headers: Record<string, string>): OperationContext {
  const { idempotencyKey, authAttempt: _, ...others } = context as OperationContext & Partial<Once>;
  return {
    ...others,
    ...everything,
    ...(idempotencyKey && {
      fetchOptions: { headers: { ...headers, 'Idempotency-Key': idempotencyKey }, credentials: 'same-origin' },
    }),
  } as OperationContext;
}

/** Where no answer comes, the page keeps the one before: an error in its place would take the forms on it away. */
function keepShown(result: OperationResult, shown: Map<number, Shown>): OperationResult {
  const { operation, data, error } = result;
  if (operation.kind !== 'subscription') setReachable(!error?.networkError);
  const before = shown.get(operation.key);
  if (!before || operation.kind !== 'query') return result;
  if (data !== undefined && data !== null) before.data = data;
  return error?.networkError && before.data ? { ...result, data: before.data } : result;
}

/** The domain's code of an error: `NOT_FOUND`, say; undefined where no answer came. */
export function codeOf(error: CombinedError): string | undefined {
  const code = error.graphQLErrors[0]?.extensions.code;
  if (typeof code === 'string') return code;
  return (error.response as Response | undefined)?.status === 401 ? 'UNAUTHENTICATED' : undefined;
}
