import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The number of bytes that the parser gets at once: up to the first end of a head after `minSlice`, at most `maxSlice`.
 * `minSlice` limits the cost of a body that looks like many ends of heads. `maxSlice` limits the number of requests that are
 * parsed ahead.
 */
const minSlice = 512;
const maxSlice = 4096;
/** How long pipelined requests, of all connections, are started in one turn of the event loop. */
const turnMs = 2;
const endOfHead = Buffer.from('\r\n\r\n');

/** A client's connection. */
interface Connection {
  /** The request that was parsed last. */
  latest?: IncomingMessage;
  /** Parsed requests whose response has not ended. */
  unanswered: number;
  /** Callbacks that start the waiting requests, the oldest first. */
  waiting: (() => void)[];
}

/**
 * Serializes the pipelined requests of one connection (RFC 9112, 9.3.2): one at a time, each in a turn of the event loop of
 * its own. While one is in progress, nothing more is read: further requests stay in the operating system's buffers.
 *
 * Node would parse a chunk of 64 KiB at once, which can be thousands of requests, each with its objects. It stops reading only
 * when a client doesn't read its responses. Therefore this class is between the socket and Node's parser: it passes a chunk
 * on in slices, and puts the rest back into the socket.
 */
export class Pipelining {
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Callbacks that continue with each connection that has pipelined requests: one request each, in order. */
  readonly #turns: (() => void)[] = [];
  /** Runs a function in an empty async context, so that it doesn't inherit the previous request's tenant or trace. */
  readonly #inEmptyContext = AsyncLocalStorage.snapshot();

  /** Reads the server's connections. To be called once, before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#read(socket));
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = this.#of(request.socket);
      connection.latest = request;
      connection.unanswered += 1;
      response.once('close', () => setImmediate(() => this.#answered(request.socket, connection)));
    });
  }

  /** Wraps a listener so that it is called for one request of a connection at a time. */
  serialize(answer: RequestListener): RequestListener {
    return (request, response) => {
      const { unanswered, waiting } = this.#of(request.socket);
      const begin = (): void => this.#inEmptyContext(() => void answer(request, response));
      if (unanswered === 1) begin();
      else waiting.push(begin);
    };
  }

  #of(socket: Socket): Connection {
    let connection = this.#connections.get(socket);
    if (!connection) this.#connections.set(socket, (connection = { unanswered: 0, waiting: [] }));
    return connection;
  }

  #answered(socket: Socket, connection: Connection): void {
    connection.unanswered -= 1;
    // No request is pipelined.
    if (connection.waiting.length === 0 && !socket.isPaused()) return;
    this.#turns.push(() => {
      if (socket.destroyed) return;
      connection.waiting.shift()?.();
      if (socket.isPaused() && mayRead(socket, connection)) socket.resume();
    });
    if (this.#turns.length === 1) setImmediate(() => this.#inEmptyContext(() => this.#takeTurns()));
  }

  /** Starts pipelined requests for a short time, then lets the event loop turn, so that other connections are served. */
  #takeTurns(end = performance.now() + turnMs): void {
    this.#turns.shift()?.();
    if (this.#turns.length === 0) return;
    // A socket that is resumed is read in the next tick.
    if (performance.now() < end) process.nextTick(() => this.#takeTurns(end));
    else setImmediate(() => this.#takeTurns());
  }

  #read(socket: Socket): void {
    const connection = this.#of(socket);
    // Node's own listener passes data to the parser.
    const [parse, ...others] = socket.listeners('data') as ((chunk: Buffer) => void)[];
    if (!parse || others.length > 0) throw new Error('The HTTP server does not read its sockets as expected');
    socket.off('data', parse);
    socket.on('data', (chunk: Buffer) => {
      let rest = chunk;
      while (rest.length > 0 && !socket.destroyed) {
        // Paused meanwhile: by us, or by Node because a body or a response isn't read.
        if (!mayRead(socket, connection) || socket.isPaused()) {
          socket.pause();
          socket.unshift(rest);
          return;
        }
        const slice = rest.subarray(0, endOfSlice(rest));
        rest = rest.subarray(slice.length);
        parse(slice);
      }
    });
  }
}

/** Whether no request is in progress, or the one in progress still lacks a part of its body. */
const mayRead = (socket: Socket, { unanswered, latest }: Connection): boolean =>
  !isHeldByNode(socket) && (unanswered === 0 || (unanswered === 1 && latest?.complete === false));

/** Whether Node's HTTP server has stopped reading, because the client doesn't read its responses. */
const isHeldByNode = (socket: Socket): boolean => (socket as Socket & { _paused?: boolean })._paused === true;

function endOfSlice(chunk: Buffer): number {
  if (chunk.length <= minSlice) return chunk.length;
  const end = chunk.subarray(0, maxSlice).indexOf(endOfHead, minSlice - endOfHead.length);
  return end < 0 ? Math.min(chunk.length, maxSlice) : end + endOfHead.length;
}
