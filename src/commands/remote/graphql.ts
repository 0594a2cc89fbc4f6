import { createClient, NetworkError } from 'graphql-sse';
import { z } from 'zod';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { printError } from '../output.ts';
import { buildFailure, idLines, send, type ApiConnection } from './connection.ts';

// GraphQL for the commands that REST has no operation for.

const graphqlResponse = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        extensions: z
          .object({
            code: z.string().optional(),
            errors: z.record(z.string(), z.array(z.string())).optional(),
            requestId: z.string().optional(),
          })
          .optional(),
      }),
    )
    .optional(),
});
type GraphqlErrors = NonNullable<z.infer<typeof graphqlResponse>['errors']>;

/**
 * Runs a query or mutation.
 * @param result the shape of the response's `data`
 * @param getName how the user knows a field of the variables
 * @throws CommandFailure with the service's errors
 */
export async function askGraphql<Result>(
  connection: ApiConnection,
  result: z.ZodType<Result>,
  query: string,
  variables: Record<string, unknown> = {},
  getName?: (field: string) => string,
): Promise<Result> {
  const body = JSON.stringify({ query, variables });
  const sent = await send(connection, { method: 'POST', path: '/graphql', body });
  return readData(connection, sent, result, getName);
}

/** The data of a response. @throws CommandFailure with the service's errors */
export function readData<Result>(
  connection: ApiConnection,
  sent: Awaited<ReturnType<typeof send>>,
  result: z.ZodType<Result>,
  getName?: (field: string) => string,
): Result {
  const { data: read } = graphqlResponse.safeParse(sent.body);
  if (read?.errors) throw failureOfErrors(read.errors, getName);
  if (!read?.data) throw buildFailure(connection, sent);
  return result.parse(read.data);
}

const exitCodeByError: Record<string, number> = {
  UNAUTHENTICATED: exitCodes.denied,
  FORBIDDEN: exitCodes.denied,
  NOT_FOUND: exitCodes.notFound,
  UNAVAILABLE: exitCodes.failed,
  INTERNAL_SERVER_ERROR: exitCodes.failed,
};

/** The data of a response, and why a part of it is missing: a look-up that fails is null, and the rest is answered. */
export function readAnswer(
  connection: ApiConnection,
  sent: Awaited<ReturnType<typeof send>>,
): { data: Record<string, unknown> | undefined; failure: CommandFailure | undefined } {
  const { data: read } = graphqlResponse.safeParse(sent.body);
  const failure = read?.errors && failureOfErrors(read.errors);
  if (!read?.data && !failure) throw buildFailure(connection, sent);
  return { data: read?.data ?? undefined, failure };
}

function failureOfErrors(errors: GraphqlErrors, getName = (field: string): string => field): CommandFailure {
  const [first] = errors;
  const fields = Object.entries(first?.extensions?.errors ?? {});
  const lines = fields.flatMap(([field, messages]) => messages.map((message) => `${getName(field)}: ${message}`));
  const code = exitCodeByError[first?.extensions?.code ?? ''] ?? exitCodes.refused;
  const refused = 'The request is refused.';
  return new CommandFailure(code, lines.length > 0 ? refused : (first?.message ?? refused), [
    ...lines,
    ...(code === exitCodes.failed ? idLines(first?.extensions?.requestId) : []),
  ]);
}

export interface Subscription<Result> {
  query: string;
  /** The variables of the next connection: after the first one, whatever continues where the last one ended. */
  variables: () => Record<string, unknown>;
  /** The shape of an item's `data`. */
  item: z.ZodType<Result>;
  signal: AbortSignal;
  /** Called each time the service begins to send. */
  onConnected: () => void;
}

/** Milliseconds between attempts to connect: the first ones quickly, as after a restart of the service. */
const retryDelaysMs = [250, 500, 1000, 2000, 5000, 10_000];

/**
 * The items of a subscription, for as long as `signal` isn't aborted: a lost connection is made again.
 * @throws CommandFailure if the service refuses
 */
export async function* subscribe<Result>(
  connection: ApiConnection,
  { query, variables, item, signal, onConnected }: Subscription<Result>,
): AsyncGenerator<Result> {
  let attempt = 0;
  while (!signal.aborted) {
    const client = createClient({
      url: `${connection.url}/graphql`,
      headers: { authorization: `Bearer ${connection.token}` },
      retryAttempts: 0, // the variables are others in the next attempt
      on: {
        connected: () => {
          attempt = 0;
          onConnected();
        },
      },
    });
    const dispose = (): void => client.dispose();
    signal.addEventListener('abort', dispose);
    try {
      for await (const result of client.iterate({ query, variables: variables() })) {
        const { data, errors } = graphqlResponse.parse(result);
        if (errors) throw failureOfErrors(errors);
        yield item.parse(data);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isLostConnection(error)) throw error;
    } finally {
      signal.removeEventListener('abort', dispose);
      client.dispose();
    }
    if (signal.aborted) return;
    const delay = retryDelaysMs[Math.min(attempt++, retryDelaysMs.length - 1)];
    printError('The connection is lost. Connecting again …');
    await sleep(delay, undefined, { signal }).catch(() => {});
  }
}

/** Whether an error may be over at the next attempt. @throws CommandFailure for a refusal */
function isLostConnection(error: unknown): boolean {
  if (error instanceof CommandFailure || error instanceof z.ZodError) return false;
  const status = error instanceof NetworkError ? error.response?.status : undefined;
  if (status === 401 || status === 403)
    throw new CommandFailure(exitCodes.denied, 'The API token is not valid, or has ended.');
  if (status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429)
    throw new CommandFailure(exitCodes.refused, `The service refuses the subscription with ${status}.`);
  return true;
}
