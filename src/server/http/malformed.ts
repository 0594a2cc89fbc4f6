import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BoundedLog } from '../../observability/bounded-log.ts';

const refusals: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The address or the headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

/**
 * Responds to a request that Node's parser can't read in the format of every other error, and closes the connection. Earlier
 * requests on the connection are answered first, so that the client doesn't take this response for one of theirs.
 * @param headers that every response has
 * @param latestOf the response of a connection's last request
 */
export function respondMalformed(
  server: Server,
  log: Pick<BoundedLog, 'info'>,
  headers: () => Record<string, string>,
  latestOf: (socket: Socket) => ServerResponse | undefined = () => undefined,
): void {
  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Once: each further chunk of the malformed request is another error.
    if (refused.has(socket)) return;
    refused.add(socket);
    const refuse = (): void => {
      if (!socket.writable) return void socket.destroy();
      const [status, message] = refusals[error.code ?? ''] ?? [400, 'This is no HTTP request.'];
      const requestId = randomUUID();
      const body = JSON.stringify({ message, request_id: requestId });
      const head = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        ...Object.entries(headers()).map(([name, value]) => `${name}: ${value}`),
        'Connection: close',
      ];
      socket.end([...head, '', body].join('\r\n'), () => socket.destroy());
      log.info({ requestId, status, reason: error.code }, 'malformed');
    };
    const before = latestOf(socket);
    // It refused the same request already, by what its headers say.
    if (before?.writableEnded && before.getHeader('connection') === 'close') return;
    if (before?.req.complete && !before.writableFinished) before.once('close', refuse);
    else refuse();
  });
}
