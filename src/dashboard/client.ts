import { createClient as createSseClient } from 'graphql-sse';
import { Client, cacheExchange, fetchExchange, mapExchange, subscriptionExchange, type CombinedError } from 'urql';
import { streamEvents } from './stream.ts';

/**
 * The books hang together: a payment changes an invoice, a bank transaction and the overview. So every answer is cached
 * whole (urql's document cache), and every mutation makes all of them stale: what is on the screen is fetched again.
 * A normalized cache would save requests, and need to be told of each such rule a second time.
 */
const everything = { additionalTypenames: ['Books'] };

/** A client for one tenant; another tenant gets another, so that no answer outlives the switch. */
export function createClient(tenantId: string | undefined, onSignedOut: () => void): Client {
  const headers = { 'X-Requested-With': 'kontor', ...(tenantId && { 'X-Tenant': tenantId }) };
  const events = createSseClient({
    url: '/graphql',
    headers,
    credentials: 'same-origin',
    retryAttempts: Number.POSITIVE_INFINITY,
    on: streamEvents,
  });
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: { headers, credentials: 'same-origin' },
    exchanges: [
      mapExchange({
        onOperation: (operation) => ({ ...operation, context: { ...operation.context, ...everything } }),
        onResult: ({ error }) => {
          if (error && codeOf(error) === 'UNAUTHENTICATED') onSignedOut();
        },
      }),
      cacheExchange,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({ unsubscribe: events.subscribe({ query: query ?? '', variables }, sink) }),
        }),
      }),
    ],
  });
}

/** The domain's code of an error: `NOT_FOUND`, say; undefined where no answer came. */
export function codeOf(error: CombinedError): string | undefined {
  const code = error.graphQLErrors[0]?.extensions.code;
  if (typeof code === 'string') return code;
  return (error.response as Response | undefined)?.status === 401 ? 'UNAUTHENTICATED' : undefined;
}
