import type { Socket } from 'node:net';

const complete = /^(?:HTTP\/1\.\d 1(?!01)\d\d[ \r\n][^]*?\r?\n\r?\n)+/;
const begun = /^HTTP\/1\.\d 1(?!01)\d\d/;
const statusLength = 'HTTP/1.1 100'.length;
const maxHeldBytes = 16 * 1024;

/**
 * Removes interim responses (1xx) from the data that undici reads from a socket. A client must ignore them (RFC 9110, 15.2),
 * but undici 8 closes the connection at a 100 Continue, which some servers send to every POST. 101 is not removed: undici
 * handles it correctly.
 */
export function passOverInterimResponses(socket: Socket): void {
  const read = socket.read.bind(socket) as () => Buffer | null;
  let held = Buffer.alloc(0);
  /** Bytes written when the last final response began. If more were written since, the next bytes begin a response. */
  let answered = 0;

  // undici reads whole buffers, when the socket has data.
  socket.read = (): Buffer | null => {
    const chunk = read();
    if (chunk === null || socket.bytesWritten === answered) return chunk;

    const received = Buffer.concat([held, chunk]);
    const text = received.toString('latin1'); // a character is a byte
    const rest = received.subarray(complete.exec(text)?.[0].length ?? 0);
    if (undecided(rest)) {
      held = rest;
      return null;
    }
    held = Buffer.alloc(0);
    answered = socket.bytesWritten;
    return rest;
  };
}

/** Whether more bytes are needed to distinguish a final response from an interim one, or to find the end of that one. */
function undecided(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, statusLength);
  if (bytes.length < statusLength) return 'HTTP/1.'.startsWith(start.slice(0, 7));
  return begun.test(start) && bytes.length <= maxHeldBytes;
}
