import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { UnavailableError } from '../../../prisma/client.ts';
import { createNotifications, tryEveryMs, type Notifications } from '../../../src/notifications/notifications.ts';
import { asTenant, createEmptyDatabase, gateway } from '../../harness.ts';
import { acme, databaseUrl, globex, service, serveSubscriptions, until, watched } from './subscriptions.ts';

// The connection of a process that listens for notifications, when something goes wrong with it.

serveSubscriptions();

const opened: Notifications[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

function open(url = databaseUrl()): Notifications {
  const notifications = createNotifications(url, service.workers);
  opened.push(notifications);
  return notifications;
}

it('closes a connection on which it can’t listen', async () => {
  const empty = await createEmptyDatabase(); // without the functions of the service
  const name = new URL(empty.url).pathname.slice(1);
  const connections = async (): Promise<number> => {
    const { rowCount } = await service.pool.query('select from pg_stat_activity where datname = $1', [name]);
    return rowCount ?? 0;
  };
  const notifications = open(empty.url);
  for (let tries = 3; tries > 0; tries -= 1)
    await expect(notifications.watch('changes', asTenant(acme), () => 'changed')).rejects.toThrow('is_distributed');
  await until(async () => (await connections()) === 0);
  await empty.drop();
});

it.skipIf(gateway.distributed)('gives back the lock of a watcher that has too much to read as it begins', async () => {
  const notifications = open();
  await notifications.watch('deliveries', asTenant(globex), ([, id]) => id); // the connection is there
  const holder = await service.pool.connect();
  const lock = [`${acme.tenantId} deliveries`];
  await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', lock);
  const begun = notifications.watch('deliveries', asTenant(acme), ([, id]) => id);
  await until(async () => (await watched()) === 2); // it waits for its lock
  await service.pool.query(
    `select pg_notify('deliveries', $1 || ' webhook ' || number) from generate_series(1, 1001) as number`,
    [acme.tenantId],
  );
  await holder.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
  holder.release();
  expect(await (await begun).next()).toEqual({ done: true, value: undefined });
  await until(async () => (await watched()) === 1);
});

it('refuses a watcher while the process stops as something that another process can do', async () => {
  const notifications = open();
  await notifications.close();
  await expect(notifications.watch('changes', asTenant(acme), () => 'changed')).rejects.toBeInstanceOf(
    UnavailableError,
  );
});

/** Passes on bytes between a client and the server of a URL, until it is told to be silent: then as one that has lost its power. */
async function startProxy(url: string): Promise<{ url: string; silence(): void; close(): Promise<void> }> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const server: Server = createServer((client) => {
    const target = connect(Number(port), hostname);
    client.pipe(target).pipe(client);
    for (const socket of [client, target]) sockets.push(socket.on('error', () => {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

it('ends what it has begun when its server does not answer any more', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const proxy = await startProxy(databaseUrl());
  try {
    const watcher = await open(proxy.url).watch('changes', asTenant(acme), () => 'changed');
    const step = watcher.next();
    await vi.advanceTimersByTimeAsync(tryEveryMs); // the server answers
    await service.pool.query(`select pg_notify('changes', $1)`, [`${acme.tenantId} customer`]);
    expect(await step).toEqual({ done: false, value: 'changed' });
    proxy.silence();
    await vi.advanceTimersByTimeAsync(tryEveryMs);
    expect(await watcher.next()).toEqual({ done: true, value: undefined });
  } finally {
    vi.useRealTimers();
    await proxy.close();
  }
});
