import { constants } from 'node:crypto';
import { lookup as dnsLookup } from 'node:dns';
import type { Socket } from 'node:net';
import { currentTime } from '../../prisma/clock.ts';
import type { buildConnector, Dispatcher } from 'undici';
import { findFormProblem, guardedLookup, type Permission } from './address-guard.ts';
import { failureMessage } from './failure-message.ts';
import { createNameLookup, type Lookup } from './name-lookup.ts';
import { boundResponses, boundTcp } from './response-bounds.ts';

const storedBodyBytes = 16 * 1024;
const storedHeaders = 100;
/** Less than the 5 s after which Node and Apache close idle connections, so that a request rarely meets a closed one. */
const keepAliveMs = 4000;
/** How long an attempt waits for a name server. */
const lookupTimeoutMs = 5000;

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

export interface Outcome {
  /** Null without a response with complete headers. */
  status: number | null;
  /** The first 100. Names in lower case; an array for a repeated name. */
  responseHeaders: Record<string, string | string[]> | null;
  /** The first 16 KiB of the body, as far as they arrived; as sent, so perhaps compressed. */
  responseBody: Buffer;
  /** The error message; null if the response was complete, whatever its status. */
  error: string | null;
  startedAt: Date;
  durationMs: number;
}

export interface Poster {
  /**
   * One attempt: sends the request at most once, follows no redirect, decompresses nothing, and needs little memory for any
   * response. Failures of the receiver or of its name server are in the outcome, and never thrown.
   *
   * The timeout covers everything: DNS lookup, connecting, TLS, and the response's headers and body. Of the body, only the
   * first 16 KiB are read. Then the connection is closed, and the response counts as complete. A body that is still
   * incomplete at the timeout, or breaks off, is an error with any status.
   *
   * Connections are kept alive for the next request to the same origin. If the receiver closes an idle one, the next request
   * uses a new one. If it closes one just as a request is written, it is unknown whether the request was processed: this is
   * an error, and the delivery is retried.
   *
   * @throws Error if the poster is closed, and for headers that can't be sent
   */
  post(post: Post): Promise<Outcome>;
  /** Waits for attempts in progress, then closes all connections. */
  close(): Promise<void>;
}

/** Whether the receiver has accepted the event: any 2xx, whose body arrived as far as it is read. */
export function success({ status, error }: Outcome): boolean {
  return error === null && status !== null && status >= 200 && status <= 299;
}

export function createPoster({
  allowInsecure,
  timeoutMs,
  // Names of the hosts file, such as localhost, are insecure targets.
  lookup = allowInsecure ? dnsLookup : createNameLookup(lookupTimeoutMs),
  ca,
  connectionsPerOrigin = 10,
}: Permission & {
  timeoutMs: number;
  lookup?: Lookup;
  /** In PEM, instead of the authorities that Node knows. */
  ca?: string;
  /** Further attempts wait, within their timeout. Should not be less than the number of concurrent attempts. */
  connectionsPerOrigin?: number;
}): Poster {
  const sockets = new Set<Socket>();
  let opened: ReturnType<typeof openAgent> | undefined;
  const inProgress = new Set<Promise<Outcome>>();
  let closed = false;

  return {
    async post(post) {
      if (closed) throw new Error('The poster is closed.');
      const outcome = attempt(post);
      inProgress.add(outcome);
      try {
        return await outcome;
      } finally {
        inProgress.delete(outcome);
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled(inProgress);
      if (!opened) return;
      const { agent, errors } = await opened;
      await agent.destroy();
      for (const socket of sockets) socket.destroy(new errors.ClientDestroyedError()); // those still connecting
    },
  };

  /** Called at the first attempt: undici takes several megabytes, and many installations have no webhooks. */
  async function openAgent() {
    const { Agent, buildConnector, errors } = await import('undici');
    const connector = buildConnector({
      lookup: guardedLookup(allowInsecure, lookup),
      ca,
      timeout: timeoutMs,
      autoSelectFamily: true,
      allowH2: false,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION, // a receiver could ask for handshakes without end
      maxCachedSessions: 0, // a resumed session's certificate would not be checked again
    });
    const connect = (options: buildConnector.Options, callback: buildConnector.Callback): Socket => {
      // It returns the socket, though its types don't say so.
      const socket = connector(options, callback) as unknown as Socket;
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    };
    const agent = new Agent({
      connect(options, callback) {
        const connected: buildConnector.Callback = (...result) => {
          if (result[1]) boundResponses(result[1]);
          callback(...result);
        };
        if (options.protocol !== 'https:') return void connect(options, connected);
        // TLS gets a TCP connection whose bytes can be counted.
        connect({ ...options, protocol: 'http:', port: options.port || '443' }, (...result) => {
          const [, tcp] = result;
          if (!tcp) callback(...result);
          else boundTcp(connect({ ...options, httpSocket: tcp }, connected), tcp);
        });
      },
      connections: connectionsPerOrigin,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // undici restarts these timeouts with every byte. Our own covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { agent, errors };
  }

  async function attempt(post: Post): Promise<Outcome> {
    const startedAt = currentTime();
    const start = performance.now();
    const response: Response = { status: null, headers: null, chunks: [], length: 0 };
    // Node doesn't call the lookup for IP addresses in the URL, and the URL may have been accepted under other settings.
    const problem = findFormProblem(post.url, { allowInsecure });
    const error = problem === undefined ? await sendWithTimeout(post, response) : `not sent: ${problem}`;
    return {
      status: response.status,
      responseHeaders: response.headers,
      responseBody: Buffer.concat(response.chunks),
      error,
      startedAt,
      durationMs: Math.round(performance.now() - start),
    };
  }

  async function sendWithTimeout(post: Post, response: Response): Promise<string | null> {
    const abort = new AbortController();
    const timeout = Promise.withResolvers<string>();
    const timer = setTimeout(() => {
      // undici can be stopped only once it is connected, so we don't wait for it.
      timeout.resolve(`timed out after ${timeoutMs / 1000} s`);
      abort.abort();
    }, timeoutMs);
    try {
      return await Promise.race([send(post, response, abort.signal), timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function send(post: Post, response: Response, signal: AbortSignal): Promise<string | null> {
    const { agent, errors } = await (opened ??= openAgent());
    const { url, headers, body } = post;
    const { origin, pathname, search } = new URL(url);
    const { promise: ended, resolve: end, reject } = Promise.withResolvers<string | null>();
    // Each piece is counted as it is read, so nothing is read in advance.
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        const stop = (): void => controller.abort(new errors.RequestAbortedError());
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      },
      onResponseStart(_controller, status, received) {
        response.status = status;
        response.headers = firstHeaders(received as Record<string, string | string[]>);
      },
      onResponseData(controller, chunk) {
        // A copy: the chunk is part of all that was read.
        response.chunks.push(Buffer.from(chunk.subarray(0, storedBodyBytes - response.length)));
        response.length += chunk.length;
        if (response.length < storedBodyBytes) return;
        end(null);
        controller.abort(new errors.RequestAbortedError()); // this closes the connection
      },
      onResponseEnd: () => end(null),
      onResponseError(_controller, error) {
        if (error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError) reject(error);
        else end(failureMessage(error, response.status !== null));
      },
    };
    agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler);
    return await ended;
  }
}

/** Thousands of short headers would take far more than 16 KiB to store. */
function firstHeaders(headers: Record<string, string | string[]>): Record<string, string | string[]> {
  const all = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  if (all.length <= storedHeaders) return headers;
  const first = Object.groupBy(all.slice(0, storedHeaders), ([name]) => name);
  return Object.fromEntries(
    Object.entries(first).map(([name, pairs = []]) => {
      const values = pairs.map(([, value]) => value);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
}

/** The part of the response that has arrived. */
interface Response {
  status: number | null;
  headers: Record<string, string | string[]> | null;
  chunks: Buffer[];
  length: number;
}
