import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long clients may take, and we, in milliseconds. */
export interface HttpTimeouts {
  /** For the head of a request. */
  headMs: number;
  /** Between two pieces of its body, or of our answer as it takes them. */
  idleMs: number;
  /** For all of it: a statement of 64 MiB takes that long at 2 Mbit/s. */
  requestMs: number;
  /** For our answer, once it has come: less than the 15 seconds we promise, as timers are late where much is done. */
  answerMs: number;
}

export const defaultTimeouts: HttpTimeouts = { headMs: 15_000, idleMs: 15_000, requestMs: 300_000, answerMs: 13_000 };

/** Node leaves out what comes after; all of them together have 16 KiB. */
const maxHeaders = 200;

/** For Node's server, which answers those who are slow with 408 (malformed.ts); dead peers are found out. */
export const serverOptions = ({ headMs, requestMs }: HttpTimeouts): ServerOptions => ({
  headersTimeout: headMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: Math.min(5000, headMs),
  requireHostHeader: false, // request-target.ts looks at it, and answers as for every other fault
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
});

/** Hangs up on clients that fall silent within a request, or don't take what we answer; not on those who wait for it. */
export function enforceTimeouts(server: Server, { idleMs: silenceMs }: HttpTimeouts): void {
  server.maxHeadersCount = maxHeaders;
  const exchanges = new WeakMap<Socket, [IncomingMessage, ServerResponse]>();
  server.prependListener('request', (request, response) => void exchanges.set(request.socket, [request, response]));
  server.setTimeout(silenceMs, (socket) => {
    const [request, response] = exchanges.get(socket) ?? [];
    if (!request || !response || response.writableFinished || socket.writableLength > 0) socket.destroy();
    else if (request.complete) return;
    // What has come and isn't read yet is ours to read: of this request, or of the connection (pipelining.ts).
    else if (request.readableLength + socket.readableLength > 0) socket.setTimeout(silenceMs);
    else if (response.headersSent) socket.destroy();
    else server.emit('clientError', Object.assign(new Error('Silence'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  });
}
