import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface CuttingProxy {
  url: string;
  /** The requests that arrived, and how often each. */
  attempts: Map<string, number>;
  close(): Promise<void>;
}

/**
 * A proxy that lets every third attempt of a request pass. It cuts the connection of the first one when the service has
 * the whole request, and that of the second one in the middle of the response.
 */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const attempts = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const server = createServer((incoming, response) => {
    const work = pass(target, attempts, incoming, response).catch(() => void incoming.socket.destroy());
    running.add(work);
    void work.finally(() => running.delete(work));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    attempts,
    close: async () => {
      await Promise.all(running);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function pass(
  target: string,
  attempts: Map<string, number>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(incoming);
  const { method, url = '', headers } = incoming;
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 8);
  const name = `${method} ${url} ${headers['idempotency-key'] ?? '-'} ${digest}`;
  const attempt = (attempts.get(name) ?? 0) + 1;
  attempts.set(name, attempt);
  const onward = request(new URL(url, target), { method, headers }).end(body);
  const answered = once(onward, 'response') as Promise<[IncomingMessage]>;
  if (attempt % 3 === 1) {
    await once(onward, 'finish');
    incoming.socket.destroy();
  }
  const [answer] = await answered;
  const content = await buffer(answer);
  if (attempt % 3 === 1) return;
  response.writeHead(answer.statusCode ?? 0, answer.headers);
  if (attempt % 3 === 0) return void response.end(content);
  response.write(content.subarray(0, Math.floor(content.length / 2)), () => incoming.socket.destroy());
}
