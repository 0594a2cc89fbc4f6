import type { ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { asCoded } from '../../../schema/errors/errors.ts';
import type { Access } from '../auth/request-admission.ts';

/** How often a subscription is re-authorized, for changes that aren't announced: a session that expires. */
export const checkEveryMs = 30_000;

/** The longest delay of a timer in Node. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Ends a subscription when its connection closes, when its token or session ends, when its user leaves the tenant, when this
 * can't be checked, and when an item can't be read or sent: the client would not learn what it has missed. The connection is
 * always destroyed, because a client that receives "complete" doesn't reconnect. A disconnected client reconnects, and is then
 * admitted or refused with the reason.
 */
export function useSubscriptionAuthorization(): Plugin<Access> {
  return {
    onSubscribe: ({ args, setResultAndStopExecution }) => {
      const authorization = args.contextValue as Access & { res?: ServerResponse };
      const { isStillAuthorized, onAccessEnd, expiresInMs, res: response } = authorization;
      if (!response) {
        setResultAndStopExecution({ errors: [noStream()] });
        return undefined;
      }
      let end = (): void => {};
      return {
        onSubscribeError: () => end(),
        onSubscribeResult: ({ result }) => {
          if (!isAsyncIterable(result)) return undefined;
          end = (): void => {
            clearInterval(timer);
            clearTimeout(expiry);
            stopListening();
            void (result as AsyncIterator<unknown>).return?.();
            response.destroy(); // at once, without waiting for a response in progress
          };
          const check = (): void => {
            isStillAuthorized().then((admitted) => admitted || end(), end);
          };
          const timer = setInterval(check, checkEveryMs);
          const expires = expiresInMs !== null && expiresInMs <= longestTimerMs;
          const expiry = expires ? setTimeout(end, Math.max(0, expiresInMs)) : undefined;
          const stopListening = onAccessEnd(end);
          if (response.closed) end(); // access ended while the subscription was starting
          else response.once('close', end);
          check(); // access may have ended before the listener was registered
          return {
            onNext: ({ result: item }) => {
              if (item.errors?.some(isTemporary)) end();
            },
            onEnd: () => void response.destroy(),
          };
        },
      };
    },
  };
}

/** Whether an item can be read later. Another error is the item's own: it would come again with each connection. */
const isTemporary = (error: GraphQLError): boolean =>
  (asCoded(error.originalError)?.extensions ?? error.extensions)['retryAfter'] !== undefined;

/** If the response is read as a whole (fetchable.ts), a stream would never end. */
const noStream = (): GraphQLError =>
  new GraphQLError('A subscription can be asked for neither in a form nor with an Idempotency-Key.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  });
