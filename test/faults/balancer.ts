import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A load balancer before gateways. It sends each request, once, to one that said last that it is ready. */
export interface Balancer {
  url: string;
  /** Whether a gateway gets requests. */
  uses(url: string): boolean;
  close(): Promise<void>;
}

const lookEveryMs = 100;

export async function startBalancer(urls: string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<string>();
  const closing = new AbortController();
  const look = async (url: string): Promise<void> => {
    while (!closing.signal.aborted) {
      const { ok } = await fetch(`${url}/health/ready`).catch(() => ({ ok: false }));
      if (ok) ready.add(url);
      else ready.delete(url);
      await sleep(lookEveryMs);
    }
  };
  const looking = Promise.all(urls.map(look));

  let turn = 0;
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const those = [...ready];
    const [target] = those.splice(turn++ % Math.max(those.length, 1), 1);
    if (target === undefined) return void response.writeHead(502).end();
    const { method, headers, url = '/' } = incoming;
    const outgoing = request(new URL(url, target), { agent, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer(pass).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    uses: (url) => ready.has(url),
    close: async () => {
      closing.abort();
      await looking;
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
