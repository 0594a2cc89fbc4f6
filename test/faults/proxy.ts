import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The way to a server, as it may be: passable, shut, silent, or slow. */
export interface Proxy {
  port: number;
  /** Connections are refused, those that were open are cut. */
  shut(): Promise<void>;
  /** Connections are taken and kept, and nothing passes. */
  silence(): void;
  /** Every answer comes so many milliseconds late. */
  slow(ms: number): void;
  /** As it was at first; what was held up passes. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let passable = Promise.withResolvers<void>();
  passable.resolve();

  const pass = async (from: Socket, to: Socket, late: () => number): Promise<void> => {
    try {
      for await (const chunk of from) {
        if (late() > 0) await sleep(late());
        await passable.promise;
        to.write(chunk as Buffer);
      }
    } catch {
      // cut
    } finally {
      sockets.delete(from);
      to.destroy();
    }
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    sockets.add(client).add(upstream);
    upstream.on('error', () => {});
    client.on('error', () => {});
    void pass(client, upstream, () => 0);
    void pass(upstream, client, () => delayMs);
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const shut = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    port,
    shut,
    silence: () => void (passable = Promise.withResolvers()),
    slow: (ms) => void (delayMs = ms),
    clear: async () => {
      delayMs = 0;
      passable.resolve();
      if (!server.listening) await listen(port);
    },
    close: async () => {
      passable.resolve();
      if (server.listening) await shut();
    },
  };
}
