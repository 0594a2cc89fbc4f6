import { GraphQLError, type ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { isContention } from '../../../prisma/client.ts';
import { statusByCode } from '../../../rest-shim/router.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import { asCoded, CodedError, TryLaterError, type ErrorCode } from '../../../schema/errors/errors.ts';
import { hasData, toGraphqlError } from './error-response.ts';
import type { GraphqlRequest } from './handler.ts';

type OnNext = (item: { result: ExecutionResult; setResult: (result: ExecutionResult) => void }) => void;

/** Errors that Yoga has caught outside of execution, by what stands for them until their request is known. */
const caught = new WeakMap<GraphQLError, unknown>();

/** Masks an error outside of execution. Yoga doesn't say of which request it is: useMasking() does that with its result. */
export function maskLater(error: unknown): GraphQLError {
  if (isForClients(error)) return withCode(error);
  const masked = new GraphQLError('Internal error.', { extensions: { code: 'INTERNAL_SERVER_ERROR' } });
  caught.set(masked, error);
  return masked;
}

/**
 * Masks internal errors during execution, and in each item of a subscription; then those outside of execution, which Yoga has
 * passed to maskLater().
 */
export function useMasking(log: Logger): Plugin<GraphqlRequest> {
  return {
    onSubscribe: ({ args }) => {
      const maskError = (error: unknown): GraphQLError => mask(error, log, args.contextValue as GraphqlRequest);
      const maskErrors: OnNext = ({ result, setResult }) => {
        if (result.errors) setResult({ ...result, errors: result.errors.map(maskError) });
      };
      return {
        onSubscribeError: ({ error, setError }) => setError(maskError(error)),
        onSubscribeResult: ({ result, setResult }) => {
          if (isAsyncIterable(result)) return { onNext: maskErrors };
          // Its client tries again later, as after any other request: of a stream that is complete, it would not.
          const errors = result.errors?.map((error) => withStatus(maskError(error), temporaryForSubscriptions));
          if (errors) setResult({ ...result, errors });
          return undefined;
        },
      };
    },
    onResultProcess: ({ result, setResult, serverContext }) => {
      if (!('errors' in result) || !result.errors?.some((error) => caught.has(error))) return;
      const errors = result.errors.map((error) =>
        caught.has(error)
          ? withStatus(mask(caught.get(error), log, serverContext as unknown as GraphqlRequest), temporary)
          : error,
      );
      setResult({ ...result, errors });
    },
    onExecute: () => ({
      onExecuteDone: ({ args, result, setResult }) => {
        if (!('errors' in result) || !result.errors) return;
        const graphqlRequest = args.contextValue as unknown as GraphqlRequest & Context;
        const refusal = graphqlRequest.responseSize?.error;
        if (refusal) return setResult({ errors: [refusedWhole(refusal, graphqlRequest.requestId)] });
        const errors = result.errors.map((error) => mask(error, log, graphqlRequest));
        setResult({
          ...result,
          errors: hasData(result.data) ? errors : errors.map((error) => withStatus(error, temporary)),
        });
      },
    }),
  };
}

/** The error of a response that is too large: instead of a part of it, which would depend on the order of its making. */
function refusedWhole(error: Error, requestId: string): GraphQLError {
  const { status, message, ...extensions } = toGraphqlError(error);
  const http = { status, headers: retryHeaders(extensions.retryAfter) };
  return new GraphQLError(message, { extensions: { ...extensions, requestId, http } });
}

const retryHeaders = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { 'Retry-After': String(seconds) };

/** The errors that also have a status, because the client should try again later. */
const temporary: readonly ErrorCode[] = ['UNAVAILABLE'];
const temporaryForSubscriptions: readonly ErrorCode[] = [...temporary, 'RATE_LIMITED', 'INTERNAL_SERVER_ERROR'];

/** Gives the response without data the status of its error, if that has one of these codes. */
function withStatus(error: GraphQLError, codes: readonly ErrorCode[]): GraphQLError {
  const { code, retryAfter } = error.extensions as { code?: ErrorCode; retryAfter?: number };
  if (code === undefined || !codes.includes(code)) return error;
  const http = { status: statusByCode[code], headers: retryHeaders(retryAfter) };
  return new GraphQLError(error.message, { extensions: { ...error.extensions, http }, ...getPlace(error) });
}

/** Gives an error of graphql-js a code: a variable that is null where a value is needed, which only execution finds. */
function withCode(error: GraphQLError): GraphQLError {
  if (error.extensions['code'] !== undefined) return error;
  return new GraphQLError(error.message, { extensions: { code: 'BAD_REQUEST' }, ...getPlace(error) });
}

const getPlace = ({ nodes, path }: GraphQLError) => ({ nodes, path });

/** Whether an error is the domain's, or GraphQL's own. */
const isForClients = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError &&
  (error instanceof CodedError ||
    !error.originalError ||
    error.originalError instanceof CodedError ||
    error.originalError instanceof GraphQLError);

/** Passes on errors that are meant for clients, of the domain or of GraphQL itself. Other errors are logged and masked. */
export function mask(
  error: unknown,
  log: Logger,
  { requestId, isRetried }: Partial<GraphqlRequest> = {},
): GraphQLError {
  if (isForClients(error)) return withCode(error);
  const err = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const place = error instanceof GraphQLError ? getPlace(error) : {};
  const coded = asCoded(err);
  // Contention of a request that is retried is reported by the last attempt.
  if (coded instanceof TryLaterError && !(isRetried && isContention(err))) log.warn({ err, requestId }, 'unavailable');
  if (coded) return new GraphQLError(coded.message, { extensions: coded.extensions, ...place });
  log.error({ err, requestId }, 'internal error');
  return new GraphQLError('Internal error. It is logged under the requestId.', {
    extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
    ...place,
  });
}
