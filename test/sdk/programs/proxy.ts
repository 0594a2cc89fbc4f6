import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { baseUrl } from './environment.js';

/**
 * The fate of a request: `cut` ends the connection after the service has done the work, `half` in the middle of its response,
 * `refuse` before it has seen the request, `stall` never answers, `open` leaves half of the response to be waited for, and a status
 * is answered instead of the service.
 */
export type Fault =
  | 'pass'
  | 'cut'
  | 'half'
  | 'open'
  | 'refuse'
  | 'stall'
  | { status: number; headers?: Record<string, string> };

/** A proxy in front of the service. The faults are those of the next requests, in order; later requests pass. */
export async function startProxy(faults: Fault[]) {
  const requests: { method: string; key: string | undefined; isClosed: boolean }[] = [];
  const server = createServer((incoming, response) => {
    const key = incoming.headers['idempotency-key']?.toString();
    const seen = { method: incoming.method ?? '', key, isClosed: false };
    requests.push(seen);
    response.once('close', () => (seen.isClosed = true));
    void answer(faults.shift() ?? 'pass', incoming, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(fault: Fault, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  if (fault === 'stall') return;
  if (fault === 'refuse') return void incoming.socket.destroy();
  if (typeof fault === 'object') return void response.writeHead(fault.status, fault.headers).end();
  const body = await buffer(incoming);
  const onward = request(new URL(incoming.url ?? '', baseUrl), { method: incoming.method, headers: incoming.headers });
  onward.end(body);
  const [answered] = (await once(onward, 'response')) as [IncomingMessage];
  const content = await buffer(answered);
  if (fault === 'cut') return void incoming.socket.destroy();
  if (fault === 'half' || fault === 'open') {
    response.writeHead(answered.statusCode ?? 0, answered.headers);
    const end = (): unknown => (fault === 'half' ? incoming.socket.destroy() : undefined);
    return void response.write(content.subarray(0, content.length / 2), end);
  }
  response.writeHead(answered.statusCode ?? 0, answered.headers).end(content);
}
