import type { IncomingMessage, ServerResponse } from 'node:http';
import { execute, subscribe, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Context } from '../../../schema/graphql/context.ts';
import { countingFieldResolver } from '../../../schema/graphql/execution/count-resolved.ts';
import { tracer } from '../../../schema/graphql/execution/tracing.ts';
import type { AdmittedRequest } from '../auth/request-admission.ts';
import { useAtomicMutations } from './atomic-mutations.ts';
import { readJson, useBody, type Read } from './body.ts';
import { costHeader, useShownCost, wantsCost } from './document-cost.ts';
import { createDocumentCache, limits, useLimits } from './document-limits.ts';
import { createCompiledQueries } from './compiled-queries.ts';
import { useEmptySubscriptions } from './empty-subscriptions.ts';
import { fetchable } from './fetchable.ts';
import { maskLater, useMasking } from './masking.ts';
import { useStreamResponses } from './media-types.ts';
import { chooseCoding, compressors, compressResponse } from '../http/compression.ts';
import { isForm, type Form } from '../http/multipart.ts';
import type { WaitForTurn } from '../http/body-turns.ts';
import type { ReadRetry } from '../http/read-retry.ts';
import { sendWhole } from '../http/send-whole.ts';
import { idParameters, type TrustedDocuments } from './trusted-documents.ts';
import { createUploads, useUploads, type Uploads, type ReceivedForm } from './uploads.ts';
import { useReadRetry } from './use-read-retry.ts';
import { useVariableValidation } from './variable-validation.ts';
import { useSubscriptionAuthorization } from './subscription-authorization.ts';
import { toGraphqlError, sendGraphqlError } from './error-response.ts';

/** The context of a request that the server passes to Yoga. */
export interface GraphqlRequest extends AdmittedRequest {
  /** Whether the request is retried as a whole after contention, which is then no error. */
  isRetried?: boolean;
  /** The codings that the caller takes of a response that isn't stored; undefined where it must not be compressed. */
  acceptEncoding?: string | undefined;
}

export interface GraphqlHandler
  extends Pick<YogaServerInstance<GraphqlRequest & ReceivedForm, object>, 'fetch'>, Uploads {
  handle: (request: IncomingMessage, response: ServerResponse, graphqlRequest: GraphqlRequest) => Promise<void>;
  /** Whether the caller may send this document, where callers are limited to trusted documents. */
  admitsDocument: TrustedDocuments['admits'];
}

/** Creates the handler of GraphQL requests, which have been admitted already. */
export function createGraphqlHandler(
  schema: GraphQLSchema,
  log: Logger,
  trustedDocuments: TrustedDocuments,
  retry: ReadRetry,
  bodyTurns: WaitForTurn,
  options: { introspection: boolean } = { introspection: true },
): GraphqlHandler {
  const validDocuments = createDocumentCache();
  const compiledQueries = createCompiledQueries(schema, trustedDocuments.isTrusted);
  const yoga = createYoga<GraphqlRequest & Read & ReceivedForm>({
    schema,
    graphqlEndpoint: '/graphql',
    context: ({ context }) => ({ ...context }),
    graphiql: false, // as for every page: pages/
    landingPage: false,
    batching: false,
    extraParamNames: idParameters,
    parserAndValidationCache: {
      documentCache: { ...emptyCache, get: (text) => validDocuments.get(text) },
      errorCache: emptyCache,
    },
    maxRequestBodySize: false, // body.ts and multipart.ts have limits of their own
    multipart: false, // uploads.ts
    cors: false, // server.ts does it for all APIs
    logging: {
      debug: (...parts) => log.debug(parts.map(String).join(' ')),
      info: (...parts) => log.info(parts.map(String).join(' ')),
      warn: (...parts) => log.warn(parts.map(String).join(' ')),
      error: (...parts) => log.error({ err: parts.find((part) => part instanceof Error) }, 'graphql'),
    },
    maskedErrors: { maskError: maskLater },
    plugins: [
      useGraphqlJs,
      useAtomicMutations(),
      useReadRetry(retry),
      useBody(bodyTurns),
      useUploads(),
      useVariableValidation(),
      trustedDocuments.plugin,
      useLimits({ ...options, good: validDocuments, isTrusted: trustedDocuments.isTrusted }),
      useShownCost(limits.cost),
      useEmptySubscriptions(),
      useMasking(log),
      useSubscriptionAuthorization(),
      useTrace(),
      useStreamResponses,
      useCompression,
      compiledQueries.plugin,
    ],
  });
  const { receive } = createUploads();
  return {
    fetch: yoga.fetch,
    receive,
    admitsDocument: trustedDocuments.admits,
    handle: async (request, response, graphqlRequest) => {
      if (request.method === 'POST' && isForm(request.headers['content-type'])) {
        const { url, init } = fetchable(request);
        const respond = async (form: Form): Promise<Response> => yoga.fetch(url, init, { ...graphqlRequest, form });
        try {
          return await sendWhole(response, await receive(request, graphqlRequest, respond));
        } catch (error) {
          const refusal = toGraphqlError(error);
          if (refusal.status >= 500) throw error;
          return sendGraphqlError(response, refusal, graphqlRequest.requestId);
        }
      }
      const { context } = graphqlRequest;
      const body = readJson(request, graphqlRequest, bodyTurns);
      if (!body) return yoga.handle(request, response, graphqlRequest);
      // Yoga reports errors.
      const params = await body.then(({ json }) => trustedDocuments.withText(json, context)).catch(() => undefined);
      const type = jsonType(request.headers.accept);
      const isPlain = !wantsCost(request.headers[costHeader]);
      const text = type !== undefined && isPlain && (await compiledQueries.respond(params, context));
      if (type === undefined || typeof text !== 'string')
        return yoga.handle(request, response, { ...graphqlRequest, body });
      const bytes = Buffer.from(text);
      context.responseSize?.complete(bytes.length);
      response.setHeader('Content-Type', `${type}; charset=utf-8`);
      const { acceptEncoding } = graphqlRequest;
      const coding = chooseCoding(acceptEncoding, type, bytes);
      if (coding) response.setHeader('Content-Encoding', coding).end(await compressors[coding](bytes));
      else response.setHeader('Content-Length', bytes.length).end(bytes);
    },
  };
}

/**
 * Executes with graphql-js, also for each item of a subscription. Yoga's own executor mistakes an object with a field of the
 * alias `then` for a promise; graphql-js checks whether `then` is a function.
 */
const useGraphqlJs: Plugin = {
  onExecute: ({ args, setExecuteFn }) => {
    countResults(args);
    setExecuteFn(execute);
  },
  onSubscribe: ({ args, setSubscribeFn }) => {
    countResults(args);
    setSubscribeFn(subscribe);
  },
};

/** Streams are sent as they are, so that each event arrives at once. */
const useCompression: Plugin<object, GraphqlRequest> = {
  onResponse: async ({ response, serverContext, setResponse }) => {
    const { acceptEncoding } = serverContext;
    if (acceptEncoding !== undefined) setResponse(await compressResponse(response, acceptEncoding));
  },
};

/** Has the size of the response counted while it is made. */
function countResults(args: { contextValue?: unknown; fieldResolver?: unknown }): void {
  const { responseSize } = args.contextValue as Context;
  if (responseSize) responseSize.countsResolved = true;
  args.fieldResolver = countingFieldResolver;
}

/** The content type of Yoga's response, by the request's `Accept`; undefined if Yoga has to determine it. */
function jsonType(accept = '*/*'): string | undefined {
  const [, type] = /^(\*\/\*|application\/(?:graphql-response\+)?json)(?:;q=[\d.]+)?(?:,|$)/.exec(accept) ?? [];
  return type === '*/*' ? 'application/json' : type;
}

/** Caches nothing: invalid documents are rarely sent again. */
const emptyCache = { get: () => undefined, set: () => {} };

/** Makes an operation a span of its request's trace. */
const useTrace = (): Plugin => ({
  onExecute: ({ executeFn, setExecuteFn }) => setExecuteFn((args) => tracer.step('GraphQL', () => executeFn(args))),
});
