import type { IncomingMessage, ServerResponse } from 'node:http';
import { execute, getOperationAST, GraphQLError, subscribe, type ExecutionArgs, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { isContention } from '../../prisma/client.ts';
import type { Context } from '../../schema/context.ts';
import { asCoded, CodedError } from '../../schema/errors.ts';
import { countingFieldResolver } from '../../schema/execution/count-resolved.ts';
import { traced } from '../../schema/execution/tracing.ts';
import { readJson, useBody, type Read } from './body.ts';
import { createDocumentCache, useLimits } from './document-limits.ts';
import { createCompiledQueries } from './compiled-queries.ts';
import { fetchable } from './fetchable.ts';
import { isForm, type Form } from '../http/multipart.ts';
import { sendWhole } from '../http/send-whole.ts';
import { idParameters, type TrustedDocuments } from './trusted-documents.ts';
import { createUploads, useUploads, type Uploads, type ReceivedForm } from './uploads.ts';
import { useVariableValidation } from './variable-validation.ts';
import { useSubscriptionAuthorization, type SubscriptionAuthorization } from './subscription-authorization.ts';
import { toGraphqlError, sendGraphqlError } from './error-response.ts';

/** The context of a request that the server passes to Yoga. */
export interface GraphqlRequest extends SubscriptionAuthorization {
  requestId: string;
  context: Context;
  /** Whether the request is retried as a whole after contention, which is then no fault. */
  isRetried?: boolean;
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
  options: { introspection: boolean } = { introspection: true },
): GraphqlHandler {
  const validDocuments = createDocumentCache();
  const compiledQueries = createCompiledQueries(schema);
  const yoga = createYoga<GraphqlRequest & Read & ReceivedForm>({
    schema,
    graphqlEndpoint: '/graphql',
    context: ({ context }) => ({ ...context }),
    graphiql: false, // as for every page: pages/
    landingPage: false,
    batching: false,
    extraParamNames: idParameters,
    parserAndValidationCache: { documentCache: { ...emptyCache, get: validDocuments.get }, errorCache: emptyCache },
    maxRequestBodySize: false, // body.ts and multipart.ts have limits of their own
    multipart: false, // uploads.ts
    cors: false, // server.ts does it for all APIs
    logging: {
      debug: (...parts) => log.debug(parts.map(String).join(' ')),
      info: (...parts) => log.info(parts.map(String).join(' ')),
      warn: (...parts) => log.warn(parts.map(String).join(' ')),
      error: (...parts) => log.error({ err: parts.find((part) => part instanceof Error) }, 'graphql'),
    },
    maskedErrors: { maskError: (error) => mask(error, log) },
    plugins: [
      useGraphqlJs,
      useBody(),
      useUploads(),
      useVariableValidation(),
      trustedDocuments.plugin,
      useLimits({ ...options, good: validDocuments }),
      useMasking(log),
      useSubscriptionAuthorization(),
      useTrace(),
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
        const answer = async (form: Form): Promise<Response> => yoga.fetch(url, init, { ...graphqlRequest, form });
        try {
          return await sendWhole(response, await receive(request, graphqlRequest.context, { isHashed: false }, answer));
        } catch (error) {
          const refusal = toGraphqlError(error);
          if (refusal.status === 500) throw error;
          return sendGraphqlError(response, refusal, graphqlRequest.requestId);
        }
      }
      const body = readJson(request);
      if (!body) return yoga.handle(request, response, graphqlRequest);
      const { context } = graphqlRequest;
      // Yoga reports errors.
      const params = await body.then(({ json }) => trustedDocuments.withText(json, context)).catch(() => undefined);
      const type = jsonType(request.headers.accept);
      const answer = type && (await compiledQueries.answer(params, context));
      if (answer === undefined) return yoga.handle(request, response, { ...graphqlRequest, body });
      const length = Buffer.byteLength(answer);
      context.answer?.complete(length);
      response.setHeader('Content-Type', `${type}; charset=utf-8`);
      response.setHeader('Content-Length', length).end(answer);
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

/** Has the size of the answer counted while it is made. */
function countResults(args: { contextValue?: unknown; fieldResolver?: unknown }): void {
  const { answer } = args.contextValue as Context;
  if (answer) answer.countsResolved = true;
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
  onExecute: ({ executeFn, setExecuteFn }) => setExecuteFn((args) => traced('GraphQL', () => executeFn(args))),
});

/** Masks faults during execution, where their request is known. Faults outside of execution are left to maskedErrors. */
function useMasking(log: Logger): Plugin<GraphqlRequest> {
  return {
    onExecute: () => ({
      onExecuteDone: ({ args, result, setResult }) => {
        if (!('errors' in result) || !result.errors) return;
        const graphqlRequest = args.contextValue as unknown as GraphqlRequest & Context;
        const refusal = graphqlRequest.answer?.error;
        if (refusal) return setResult({ errors: [refusedWhole(refusal, graphqlRequest, args)] });
        setResult({ ...result, errors: result.errors.map((error) => mask(error, log, graphqlRequest)) });
      },
    }),
  };
}

/** The error of an answer that is too large: instead of a part of it, which would depend on the order of its making. */
function refusedWhole(
  error: Error,
  { requestId, isRetried }: Pick<GraphqlRequest, 'requestId' | 'isRetried'>,
  { document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>,
): GraphQLError {
  const { status, message: reason, ...extensions } = toGraphqlError(error);
  // With an Idempotency-Key it is undone.
  const hasWritten = !isRetried && getOperationAST(document, operationName)?.operation === 'mutation';
  const message = hasWritten ? `${reason} The mutation has taken effect.` : reason;
  const { retryAfter } = extensions;
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  return new GraphQLError(message, { extensions: { ...extensions, requestId, http: { status, headers } } });
}

/** Passes on errors that are meant for clients, of the domain or of GraphQL itself. Other errors are logged and masked. */
function mask(error: unknown, log: Logger, { requestId, isRetried }: Partial<GraphqlRequest> = {}): GraphQLError {
  if (error instanceof GraphQLError) {
    if (error.originalError instanceof CodedError || error instanceof CodedError) return error;
    if (!error.originalError || error.originalError instanceof GraphQLError) return error;
  }
  const err = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const place = error instanceof GraphQLError ? { nodes: error.nodes, path: error.path } : {};
  const coded = asCoded(err);
  if (coded) return new GraphQLError(coded.message, { extensions: coded.extensions, ...place });
  if (!isRetried || !isContention(err)) log.error({ err, requestId }, 'fault');
  return new GraphQLError('Internal error. It is logged under the requestId.', {
    extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
    ...place,
  });
}
