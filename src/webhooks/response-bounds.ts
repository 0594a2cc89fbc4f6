import type { Socket } from 'node:net';

// Bounds of a response, apart from the body that is stored. undici bounds names and values of headers only: neither
// interim responses, nor a reason, nor chunk extensions. llhttp passes on statuses that undici doesn't expect.

/** The final response's status line and headers as they come, or those of one interim response. */
const maxHeadBytes = 16 * 1024;
/** All of a response. 16 KiB of body in chunks of one byte are 96 KiB. */
const maxResponseBytes = 128 * 1024;
/** All that comes over TCP for one request, with handshake, certificates, and records of one byte. */
const maxTcpBytes = 1024 * 1024;
/** undici ends a connection only between pieces. A piece with thousands of headers too many would be thousands of errors. */
const pieceBytes = 1024;
/** TLS reads records that hold no data without telling anybody, so they are looked for. */
const tcpCheckMs = 25;

const statusLine = /^HTTP\/1\.[01] (\d{3})[ \r\n]/;
const statusLength = 'HTTP/1.1 200 '.length;

/** The receiver broke a bound, or HTTP. `code` selects the message for users. */
class ResponseError extends Error {
  override name = 'ResponseError';
  readonly code: string;
  constructor(code: 'RESPONSE_INVALID' | 'RESPONSE_HEADERS_TOO_LONG' | 'RESPONSE_TOO_LONG') {
    super(code);
    this.code = code;
  }
}

/**
 * Bounds what undici reads from a connection, and gives it each response only once its headers are complete. A connection
 * that exceeds a bound is destroyed with an error, and so is one whose listeners throw, because nobody else would catch it.
 *
 * Interim responses (1xx) are removed. A client must ignore them (RFC 9110, 15.2), but undici 8 closes the connection at a
 * 100 Continue, which some servers send to every POST. 101 is not removed: undici handles it correctly.
 */
export function boundResponses(socket: Socket): void {
  const read = socket.read.bind(socket) as () => Buffer | null;
  let held: Buffer = Buffer.alloc(0);
  /** Bytes written when the last request was. undici writes a request at once, and one at a time. */
  let requested = 0;
  /** Bytes written when the last final response began. If more were written since, the next bytes begin a response. */
  let responded = 0;
  let received = 0;

  const readBounded = (): Buffer | null => {
    const chunk = read();
    if (chunk === null) return null;
    if (socket.bytesWritten !== requested) [requested, received] = [socket.bytesWritten, 0];
    received += chunk.length;
    try {
      if (received > maxResponseBytes) throw new ResponseError('RESPONSE_TOO_LONG');
      if (socket.bytesWritten === responded) return chunk;

      const rest = removeInterimResponses(Buffer.concat([held, chunk]));
      if (endOfHead(rest) < 0) {
        held = rest;
        return null;
      }
      held = Buffer.alloc(0);
      responded = socket.bytesWritten;
      return rest;
    } catch (error) {
      socket.destroy(error as Error);
      return null;
    }
  };

  // undici reads until there is nothing left, when the socket has data.
  let unread: Buffer = Buffer.alloc(0);
  socket.read = (): Buffer | null => {
    if (unread.length === 0) unread = readBounded() ?? unread;
    const piece = unread.subarray(0, pieceBytes);
    unread = unread.subarray(piece.length);
    return socket.destroyed || piece.length === 0 ? null : piece;
  };

  const emit = socket.emit.bind(socket) as (...args: unknown[]) => boolean;
  socket.emit = (...args: unknown[]): boolean => {
    try {
      return emit(...args);
    } catch (error) {
      socket.destroy(error as Error);
      return true;
    }
  };
}

/** As well as empty lines before a response, which llhttp would pass over too. */
function removeInterimResponses(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    rest = rest.subarray(rest.findIndex((byte) => byte !== 13 && byte !== 10) >>> 0);
    const end = endOfHead(rest);
    if (end < 0 || !/^1(?!01)/.test(readStatus(rest))) return rest;
    rest = rest.subarray(end);
  }
}

/** Where the headers end with which the bytes begin; -1 if they are incomplete. @throws ResponseError */
function endOfHead(bytes: Buffer): number {
  if (bytes.length < statusLength) {
    const start = bytes.toString('latin1', 0, 'HTTP/1.'.length);
    if (!'HTTP/1.'.startsWith(start)) throw new ResponseError('RESPONSE_INVALID');
  } else readStatus(bytes);
  const end = endOfLines(bytes);
  if (end < 0 ? bytes.length > maxHeadBytes : end > maxHeadBytes) throw new ResponseError('RESPONSE_HEADERS_TOO_LONG');
  return end;
}

/** Where the first empty line ends. Looks at no more than that, as there can be thousands of interim responses. */
function endOfLines(bytes: Buffer): number {
  for (let at = bytes.indexOf(10); at >= 0 && at < maxHeadBytes; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2;
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3;
  }
  return -1;
}

/** @throws ResponseError unless it is a status */
function readStatus(bytes: Buffer): string {
  const status = statusLine.exec(bytes.toString('latin1', 0, statusLength))?.[1];
  if (status === undefined || status < '100') throw new ResponseError('RESPONSE_INVALID');
  return status;
}

/** Bounds what comes over TCP for a TLS connection, from before its handshake on. */
export function boundTcp(socket: Socket, tcp: Socket): void {
  let requested = 0;
  let base = 0;
  const check = (): void => {
    if (socket.bytesWritten !== requested) [requested, base] = [socket.bytesWritten, tcp.bytesRead];
    if (tcp.bytesRead - base > maxTcpBytes) socket.destroy(new ResponseError('RESPONSE_TOO_LONG'));
  };
  const timer = setInterval(check, tcpCheckMs).unref();
  socket.once('close', () => clearInterval(timer));
}
