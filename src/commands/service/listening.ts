import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type AddressInfo, type Server as SocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatAddress, type Config } from '../../config/config.ts';
import { tcpOptions } from '../../server/http/timeouts.ts';

/** How long requests in progress may take to finish during a shutdown. */
const graceMs = 10_000;
/** How long to wait for a port that the replaced process still uses. */
const portTimeoutMs = 10_000;

/** Where a server listens, and how. */
export interface Endpoint extends Pick<Config, 'host' | 'port'> {
  /** The setting of the port. */
  variable?: string;
  /** How many sockets listen on the port. */
  sockets?: number;
}

/**
 * How many sockets listen for clients. Node accepts one connection of each in a turn of the event loop. A turn takes long
 * while many requests are responded to, and one socket would keep new clients waiting behind others that connect again and
 * again. Only Linux lets sockets share a port. The processes of a cluster share one socket instead: a process that hangs
 * keeps the connections of a socket of its own waiting.
 */
export const socketsForClients = process.platform === 'linux' && !cluster.isWorker ? 16 : 1;

export interface Listening {
  address: string;
  /** Stops accepting requests, waits for those in progress, and then closes the remaining connections. */
  close: () => Promise<void>;
}

/** Waits for a port that is in use, but not for long. @throws Error that names the setting of the port */
export async function listen(
  server: Server,
  { host, port, variable = 'PORT', sockets = 1 }: Endpoint,
): Promise<Listening> {
  const giveUp = Date.now() + portTimeoutMs;
  server.setMaxListeners(0); // in a cluster's worker each try leaves a listener, and Node would warn
  for (;;) {
    try {
      const all =
        sockets > 1 ? await openTogether(server, { host, port, sockets }) : [await open(server, { host, port })];
      const { port: actual } = server.address() as AddressInfo;
      return { address: formatAddress(host, actual), close: () => closeAll(server, all) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE')
        throw new Error(`Can't listen on ${host}:${port}: ${(error as Error).message}`, { cause: error });
      if (Date.now() > giveUp)
        throw new Error(`Port ${port} on ${host} is in use: stop the other process, or set ${variable}`, {
          cause: error,
        });
      await sleep(200);
    }
  }
}

async function open<Opened extends SocketServer>(
  server: Opened,
  options: { host: string; port: number; reusePort?: boolean },
): Promise<Opened> {
  server.listen(options);
  await once(server, 'listening');
  return server;
}

/** Opens several sockets on one port. @returns the server and those that pass their connections on to it */
async function openTogether(
  server: Server,
  { host, port, sockets }: { host: string; port: number; sockets: number },
): Promise<SocketServer[]> {
  // A port that sockets share would be shared with another process as well. An ordinary socket finds whether there is one.
  const probe = await open(createServer(), { host, port });
  const { port: free } = probe.address() as AddressInfo;
  await closeOne(probe);
  const shared = { host, port: free, reusePort: true };
  const further = Array.from({ length: sockets - 1 }, () =>
    createServer({ ...tcpOptions, noDelay: true, allowHalfOpen: true }, (socket) => server.emit('connection', socket)),
  );
  const all = [server, ...further];
  const opened = await Promise.allSettled(all.map((each) => open(each, shared)));
  const failed = opened.find((result) => result.status === 'rejected');
  if (!failed) return all;
  await Promise.all(all.map((each) => each.listening && closeOne(each)));
  throw failed.reason;
}

const closeOne = (server: SocketServer): Promise<unknown> => new Promise((resolve) => server.close(resolve));

/** Each of the servers waits for the connections that it accepted. */
async function closeAll(server: Server, all: SocketServer[]): Promise<void> {
  const closed = Promise.all(all.map(closeOne));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(force);
}
