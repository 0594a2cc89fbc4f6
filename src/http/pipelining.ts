import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bytes that the parser gets at once: to the end of the first head behind `fewest`, else `most`. With `fewest`, a body
 * made of heads' ends costs no more than others. With `most`, no more than a few requests are parsed ahead.
 */
const minSlice = 512;
const maxSlice = 4096;
/** For how long what was sent ahead, on all connections, is begun in one turn of the event loop. */
const turnMs = 2;
const endOfHead = Buffer.from('\r\n\r\n');

/** A client's connection. */
interface Connection {
  /** The request that was parsed last. */
  latest?: IncomingMessage;
  /** Requests that were parsed, and whose answer has not ended. */
  unanswered: number;
  /** What begins to answer those that wait, the oldest first. */
  waiting: (() => void)[];
}

/**
 * Answers the requests of one connection one by one, in a turn of the event loop each, and reads no further while one
 * of them is at work. So a client that sends many requests at once (pipelining, RFC 9112, 9.3.2) is served as fast as
 * others let it, and what it sends ahead stays in the system's buffers.
 *
 * Node itself parses all of a chunk of 64 KiB at once, which is thousands of requests, each with its objects. It stops
 * reading only where answers are written that the client does not take. So this stands between the socket and Node's
 * parser, and hands it a chunk in slices; the rest goes back to the socket.
 */
export class Pipelining {
  readonly #connections = new WeakMap<Socket, Connection>();
  /** What goes on with each connection that sent something ahead: one request each, in order. */
  readonly #turns: (() => void)[] = [];
  /** Runs what must not inherit the async context (tenant, transaction, trace) of the connection's request before. */
  readonly #afresh = AsyncLocalStorage.snapshot();

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

  /** The same listener, called for one request of a connection at a time. */
  serialize(answer: RequestListener): RequestListener {
    return (request, response) => {
      const { unanswered, waiting } = this.#of(request.socket);
      const begin = (): void => this.#afresh(() => void answer(request, response));
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
    // Nothing was sent ahead.
    if (connection.waiting.length === 0 && !socket.isPaused()) return;
    this.#turns.push(() => {
      if (socket.destroyed) return;
      connection.waiting.shift()?.();
      if (socket.isPaused() && mayRead(socket, connection)) socket.resume();
    });
    if (this.#turns.length === 1) setImmediate(() => this.#afresh(() => this.#takeTurns()));
  }

  /** Begins what was sent ahead, for a while. The event loop then turns, so that all other connections have their time. */
  #takeTurns(end = performance.now() + turnMs): void {
    this.#turns.shift()?.();
    if (this.#turns.length === 0) return;
    // A socket that is resumed is read in the next tick.
    if (performance.now() < end) process.nextTick(() => this.#takeTurns(end));
    else setImmediate(() => this.#takeTurns());
  }

  #read(socket: Socket): void {
    const connection = this.#of(socket);
    // Node's own listener hands the parser what has come.
    const [parse, ...others] = socket.listeners('data') as ((chunk: Buffer) => void)[];
    if (!parse || others.length > 0) throw new Error('The HTTP server does not read its sockets as expected');
    socket.off('data', parse);
    socket.on('data', (chunk: Buffer) => {
      let rest = chunk;
      while (rest.length > 0 && !socket.destroyed) {
        // Paused meanwhile: by us, or by Node for a body that is not read or an answer that is not taken.
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

/** Whether nothing is at work, or the body of what is at work is still to come. */
const mayRead = (socket: Socket, { unanswered, latest }: Connection): boolean =>
  !isHeldByNode(socket) && (unanswered === 0 || (unanswered === 1 && latest?.complete === false));

/** Whether Node's HTTP server has stopped reading, as the client takes no answers. Its parser then takes nothing. */
const isHeldByNode = (socket: Socket): boolean => (socket as Socket & { _paused?: boolean })._paused === true;

function endOfSlice(chunk: Buffer): number {
  if (chunk.length <= minSlice) return chunk.length;
  const end = chunk.subarray(0, maxSlice).indexOf(endOfHead, minSlice - endOfHead.length);
  return end < 0 ? Math.min(chunk.length, maxSlice) : end + endOfHead.length;
}
