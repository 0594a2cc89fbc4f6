import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { withOpenssl, type Identity } from './certificates.ts';

// Endpoints that write what they want, byte by byte: Node's own HTTP server is too well-behaved.

/** An endpoint's handling of a request once all of it has come; `index`: how many came before, on any connection. */
export type Answer = (socket: Socket, index: number) => void;

export interface Behaviour {
  answer?: Answer;
  /** Its handling of a new connection, before any TLS. */
  connected?: (socket: Socket) => void;
  /** As in `tls.createServer`. */
  secure?: Identity & Pick<TlsOptions, 'requestCert' | 'rejectUnauthorized' | 'maxVersion'>;
}

export interface Endpoint {
  port: number;
  /** How many requests have begun to come, whole or not. */
  requests(): number;
  connections(): number;
  bytesSent(): number;
  open(): number;
  close(): Promise<void>;
}

export async function startEndpoint({ answer = () => {}, connected, secure }: Behaviour): Promise<Endpoint> {
  const [raw, heard] = [new Set<Socket>(), [] as string[]];
  let [connections, answered, sent] = [0, 0, 0];

  const converse = (socket: Socket): void => {
    const place = heard.push('') - 1;
    let unread = '';
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      heard[place] += chunk.toString('latin1');
      unread += chunk.toString('latin1');
      const length = requestLength(unread);
      if (length === undefined || unread.length < length) return;
      unread = unread.slice(length);
      answered += 1;
      answer(socket, answered - 1);
    });
  };
  const server: Server = secure ? createTlsServer(secure, converse) : createServer(converse);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    raw.add(socket.on('error', () => {}));
    socket.once('close', () => {
      sent += socket.bytesWritten;
      raw.delete(socket);
    });
    connected?.(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    requests: () => heard.reduce((sum, text) => sum + text.split('POST /').length - 1, 0),
    connections: () => connections,
    bytesSent: () => sent,
    open: () => raw.size,
    close: async () => {
      for (const socket of raw) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function requestLength(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  return head < 0 ? undefined : head + 4 + Number(/content-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
}

/** A port of this machine's where nobody listens. */
export async function closedPort(): Promise<number> {
  const endpoint = await startEndpoint({});
  await endpoint.close();
  return endpoint.port;
}

/** The bytes of a response; without a Content-Length of its own, it gets the right one. */
export function reply(status: number | string, headers: string[] = [], body: string | Buffer = ''): Buffer {
  const framed = /^(content-length|transfer-encoding):/im.test(headers.join('\n'));
  const lines = [`HTTP/1.1 ${status}`, ...headers, ...(framed ? [] : [`Content-Length: ${body.length}`])];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

export const writes =
  (bytes: Buffer | string): Answer =>
  (socket) =>
    void socket.write(bytes);

/** Writes, and says that nothing more will come; it still listens. */
export const ends =
  (bytes: Buffer | string): Answer =>
  (socket) =>
    void socket.end(bytes);

/** Writes, and once that is under way, cuts the connection off. */
export const resets =
  (bytes: Buffer | string): Answer =>
  (socket) =>
    void socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 30));

/** Writes each piece by itself, so that it comes by itself. */
export const drips =
  (pieces: Iterable<string>, everyMs = 5): Answer =>
  (socket) => {
    const rest = pieces[Symbol.iterator]();
    socket.setNoDelay(true);
    const timer = setInterval(() => {
      const { value, done } = rest.next();
      if (done) clearInterval(timer);
      else socket.write(value);
    }, everyMs);
    socket.once('close', () => clearInterval(timer));
  };

/** Writes a beginning, then the same again and again, as fast as it is read; `times` 0: never. */
export const floods =
  (head: Buffer | string, chunk: Buffer | string, times = Infinity): Answer =>
  (socket) => {
    let written = 0;
    const pump = (): void => {
      for (; written < times && !socket.destroyed; written += 1) {
        if (!socket.write(chunk)) {
          written += 1;
          socket.once('drain', pump);
          return;
        }
      }
    };
    socket.write(head);
    pump();
  };

export function* forever(piece: string): Generator<string> {
  for (;;) yield piece;
}

export const knownHost = 'hooks.example.com';

export interface Identities extends Record<
  'good' | 'wildcard' | 'otherName' | 'expired' | 'early' | 'selfSigned' | 'unknown',
  Identity
> {
  /** The authority that signed all but the last two. */
  ca: string;
}

/** An authority, and what endpoints show. */
export const makeIdentities = (): Identities =>
  withOpenssl(({ authority, leaf }) => {
    const ca = authority('ca');
    authority('unknownCa');
    return {
      ca,
      good: leaf('good', knownHost),
      wildcard: leaf('wildcard', '*.example.com'),
      otherName: leaf('otherName', 'other.example.com'),
      expired: leaf('expired', knownHost, { to: 2021 }),
      early: leaf('early', knownHost, { from: 2098 }),
      selfSigned: leaf('selfSigned', knownHost, { by: 'selfSigned' }),
      unknown: leaf('unknown', knownHost, { by: 'unknownCa' }),
    };
  });
