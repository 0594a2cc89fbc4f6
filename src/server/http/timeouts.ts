import type { Server, ServerOptions } from 'node:http';
import type { Connections } from './connections.ts';
import { defaultKeepAliveMs } from '../../config/config.ts';

/** Timeouts of HTTP requests, in milliseconds. */
export interface HttpTimeouts {
  /** Until a request's head has arrived. */
  headMs: number;
  /** Between two chunks of the request's body, or of the response as the client reads it. */
  idleMs: number;
  /** Until the whole request has arrived: a statement of 64 MiB takes that long at 2 Mbit/s. */
  requestMs: number;
  /** From the request's arrival to the response: less than the promised 15 seconds, as timers are late under load. */
  responseMs: number;
  /** Between two requests of a connection. */
  keepAliveMs: number;
}

export const defaultTimeouts: HttpTimeouts = {
  headMs: 15_000,
  idleMs: 15_000,
  requestMs: 300_000,
  responseMs: 13_000,
  keepAliveMs: defaultKeepAliveMs,
};

/** Node drops further headers. All headers together are limited to 16 KiB. */
const maxHeaders = 200;

/** The system detects dead peers. */
export const tcpOptions = { keepAlive: true, keepAliveInitialDelay: 60_000 };

/**
 * Options of Node's server, which answers slow requests with 408 (malformed.ts). The `Keep-Alive`
 * header announces `keepAliveMs`; Node itself waits a second longer. The time of a request's head begins with its first
 * byte, so it may be shorter than the pause between two requests.
 */
export const serverOptions = ({ headMs, requestMs, keepAliveMs }: HttpTimeouts): ServerOptions => ({
  headersTimeout: headMs,
  keepAliveTimeout: keepAliveMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: Math.min(5000, headMs),
  requireHostHeader: false, // request-target.ts checks it, and answers in the format of every other error
  ...tcpOptions,
});

/** Closes connections that are idle in the middle of a request or don't read the response, not those that wait for it. */
export function enforceTimeouts(server: Server, { idleMs: silenceMs }: HttpTimeouts, connections: Connections): void {
  server.maxHeadersCount = maxHeaders;
  server.setTimeout(silenceMs, (socket) => {
    const response = connections.open.get(socket)?.latest;
    if (!response || response.writableFinished || socket.writableLength > 0) return void socket.destroy();
    const { req: request } = response;
    if (request.complete) return;
    // The data that has arrived is not read yet, of this request or of the connection (pipelining.ts): not the client's fault.
    if (request.readableLength + socket.readableLength > 0) socket.setTimeout(silenceMs);
    else if (response.headersSent) socket.destroy();
    else server.emit('clientError', Object.assign(new Error('Silence'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  });
}
