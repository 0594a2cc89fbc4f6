import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection, Connections } from './connections.ts';

/** The bytes that the parser gets at once, of requests' heads: this limits the number of requests that are parsed ahead. */
const headSlice = 1024;
/** And of a request's body. */
const bodySlice = 4096;
/** How long pipelined requests, of all connections, are started in one turn of the event loop. */
const turnMs = 2;

/**
 * Serializes the pipelined requests of one connection (RFC 9112, 9.3.2): one at a time, each in a turn of the event loop of
 * its own. While one is in progress, nothing more is read: further requests stay in the operating system's buffers.
 *
 * Node would parse a chunk of 64 KiB at once, which can be thousands of requests, each with its objects. It stops reading only
 * when a client doesn't read its responses. Therefore this class reads the sockets itself, in slices. Each slice that a
 * `readable` listener reads is also a `data` event, by which Node's parser gets it.
 */
export class Pipelining {
  readonly #connections: Connections;
  readonly #handle: RequestListener;
  /** Connections with pipelined requests, in the order of their turns. */
  readonly #turns: Connection[] = [];
  /** Those and the ones that get a turn after this one. They are not read meanwhile. */
  readonly #pending = new WeakSet<Connection>();
  /** Runs a function in an empty async context, so that it doesn't inherit the previous request's tenant or trace. */
  readonly #inEmptyContext = AsyncLocalStorage.snapshot();

  /** @param handle is called for one request of a connection at a time */
  constructor(connections: Connections, handle: RequestListener) {
    this.#connections = connections;
    this.#handle = handle;
  }

  /** Reads the server's connections. To be called once, before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const connection = this.#connections.open.get(socket);
      if (!connection) return;
      const read = this.#inEmptyContext(() => AsyncLocalStorage.bind(() => this.#read(connection)));
      // Node resumes a socket when a body is read; responses are written again after `drain`.
      socket.on('readable', read).on('resume', read).on('drain', read);
    });
    server.on('request', (request, response) => {
      const connection = this.#connections.open.get(request.socket);
      if (!connection) return; // it was closed meanwhile
      connection.latest = response;
      connection.unanswered.push(response);
      connection.client.idle.delete(connection);
      response.once('close', () => this.#end(connection, response));
      if (connection.unanswered.length === 1) this.#handle(request, response);
    });
  }

  #read(connection: Connection): void {
    const { socket } = connection;
    // Nothing is left: this reads the end of the stream, if it has ended.
    if (socket.readableLength === 0) return void socket.read(0);
    while (socket.readableLength > 0 && !this.#pending.has(connection)) {
      const slice = computeSlice(connection);
      if (slice === 0) return;
      socket.read(Math.min(slice, socket.readableLength));
    }
  }

  #end(connection: Connection, response: ServerResponse): void {
    const { socket, client, unanswered } = connection;
    unanswered.splice(unanswered.indexOf(response), 1);
    if (unanswered.length === 0 && this.#connections.open.has(socket)) client.idle.add(connection);
    if (unanswered.length === 0 && socket.readableLength === 0) return; // nothing is pipelined
    if (this.#pending.has(connection)) return;
    this.#pending.add(connection);
    setImmediate(() => {
      this.#turns.push(connection);
      if (this.#turns.length === 1) setImmediate(() => this.#inEmptyContext(() => this.#takeTurns()));
    });
  }

  /** Starts pipelined requests for a short time, then lets the event loop turn, so that other connections are served. */
  #takeTurns(end = performance.now() + turnMs): void {
    const connection = this.#turns.shift();
    if (connection) this.#continue(connection);
    if (this.#turns.length === 0) return;
    // A socket is read in the next tick.
    if (performance.now() < end) process.nextTick(() => this.#takeTurns(end));
    else setImmediate(() => this.#takeTurns());
  }

  #continue(connection: Connection): void {
    this.#pending.delete(connection);
    const [next] = connection.unanswered;
    if (connection.socket.destroyed) return;
    if (next) this.#handle(next.req, next);
    else this.#read(connection);
  }
}

/** How many bytes may be parsed: none while a request waits for its response, or for the client to read one. */
function computeSlice({ socket, unanswered, latest }: Connection): number {
  if (socket.destroyed || socket.writableNeedDrain || unanswered.length > 1) return 0;
  if (unanswered.length === 0 || !latest) return headSlice;
  const { complete, readableLength, readableHighWaterMark } = latest.req;
  return !complete && readableLength < readableHighWaterMark ? bodySlice : 0;
}
