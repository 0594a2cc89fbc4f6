import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatAddress, type Config } from '../../config/config.ts';

/** How long requests in progress may take to finish during a shutdown. */
const graceMs = 10_000;
/** How long to wait for a port that the replaced process still uses. */
const portTimeoutMs = 10_000;

/**
 * @param variable the setting of the port
 * @returns the server's address
 */
export async function listen(
  server: Server,
  { host, port, variable = 'PORT' }: Pick<Config, 'host' | 'port'> & { variable?: string },
): Promise<string> {
  const giveUp = Date.now() + portTimeoutMs;
  server.setMaxListeners(0); // in a cluster's worker each try leaves a listener, and Node would warn
  for (;;) {
    try {
      server.listen(port, host);
      await once(server, 'listening');
      const { port: actual } = server.address() as AddressInfo;
      return formatAddress(host, actual);
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

/** Stops accepting requests, waits for those in progress, and then closes the remaining connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(force);
}
