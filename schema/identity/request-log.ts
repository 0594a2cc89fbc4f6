import { z } from 'zod';
import { builder } from '../graphql/builder.ts';
import type { Context } from '../graphql/context.ts';
import { NotFoundError, refuse } from '../errors/errors.ts';

/** A request, as its log line says it. */
const loggedRequest = z.object({
  requestId: z.string(),
  method: z.string(),
  /** Without the query. */
  path: z.string(),
  status: z.int(),
  durationMs: z.int(),
  isAborted: z.boolean(),
  startedAt: z.string(),
  leftOut: z.int(),
});
export type LoggedRequest = z.infer<typeof loggedRequest>;

/** How long requests are announced after a follower has asked for it. */
const followMs = 60_000;
const renewEveryMs = 20_000;

const LoggedRequestType = builder.objectRef<LoggedRequest>('LoggedRequest').implement({
  description: 'A request to an API, once it is answered.',
  fields: (t) => ({
    requestId: t.expose('requestId', { type: 'UUID', description: 'Its `X-Request-Id`.' }),
    method: t.exposeString('method', { description: '`GET`, say.' }),
    path: t.exposeString('path', { description: 'The path, without the query. Longer ones are cut off.' }),
    status: t.exposeInt('status', { description: 'The HTTP status of the answer.' }),
    durationMs: t.exposeInt('durationMs', { description: 'Milliseconds from its headers to the end of the answer.' }),
    isAborted: t.exposeBoolean('isAborted', {
      description: 'Whether the connection was closed before the answer was complete.',
    }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'When it arrived.',
      resolve: ({ startedAt }) => new Date(startedAt),
    }),
    leftOut: t.exposeInt('leftOut', {
      description: 'The number of requests before this one that were left out, because there were too many at once.',
    }),
  }),
});

builder.subscriptionField('requestLogged', (t) =>
  t.field({
    type: LoggedRequestType,
    description:
      "Each request of an API token from now on, once it is answered, those beyond the rate limit included. For the token itself, and in the sessions of its user. Requests while the connection is lost aren't sent later.",
    args: {
      tokenId: t.arg({ type: 'UUID', description: "One of the user's tokens. Default: the token of this request." }),
    },
    subscribe: (_root, { tokenId }, context) => follow(context, tokenId),
    resolve: (request) => request as LoggedRequest,
  }),
);

/** @throws NotFoundError for a token that the caller may not follow */
async function follow(context: Context, wanted: string | null | undefined): Promise<AsyncIterable<LoggedRequest>> {
  const { token, identity } = context;
  const tokenId = wanted ?? token?.id ?? refuse('tokenId', 'not_found', 'Must name one of your tokens.');
  if (token && token.id !== tokenId) throw new NotFoundError();
  const renew = (): Promise<boolean> =>
    identity.followApiToken(context, tokenId, new Date(context.now().getTime() + followMs));

  const requests = await context.notifications.watch('requests', ([id, ...json]) =>
    id === tokenId ? json.join(' ') : undefined,
  );
  const end = async (): Promise<void> => void (await requests.return?.());
  try {
    if (!(await renew())) throw new NotFoundError();
  } catch (error) {
    await end();
    throw error;
  }
  const timer = setInterval(() => {
    renew().then((isValid) => (isValid ? undefined : end()), end);
  }, renewEveryMs);
  const iterator: AsyncIterableIterator<LoggedRequest> = {
    next: async () => {
      const step = await requests.next();
      if (!step.done) return { done: false, value: loggedRequest.parse(JSON.parse(step.value)) };
      clearInterval(timer);
      return { done: true, value: undefined };
    },
    // A generator would handle this only after the next request.
    return: async () => {
      clearInterval(timer);
      await end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
