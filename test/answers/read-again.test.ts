import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openBooks } from '../../prisma/client.ts';
import { createDatabase, startService } from '../harness.ts';
import { makeEvents } from './large.ts';

// A read whose connection was lost is tried again. Its answer is as long as what the last try read.

const events = 4;
const eventBytes = 2_000_000;
const maxResponseBytes = 9_000_000;
/** Three of the four events. */
const cutAfter = 3.5 * eventBytes;

/** Passes connections on, and ends those that received more than `cutAfter` bytes: `cuts` of them. */
async function startProxy(to: URL, cuts: { left: number }): Promise<Server> {
  const proxy = createServer((client) => {
    const server = connect(Number(to.port), to.hostname);
    let received = 0;
    const close = (): void => {
      client.destroy();
      server.destroy();
    };
    client.on('error', close).on('close', close);
    server.on('error', close).on('close', () => client.end());
    client.pipe(server);
    server.on('data', (part: Buffer) => {
      received += part.length;
      client.write(part);
      if (received < cutAfter || cuts.left === 0) return;
      cuts.left -= 1;
      server.removeAllListeners('data');
      client.end(); // once all of it is written
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return proxy;
}

it('answers a page whose connection was lost twice while it was read', async () => {
  const database = await createDatabase();
  const cuts = { left: 0 };
  const proxy = await startProxy(new URL(database.url), cuts);
  const url = new URL(database.url);
  [url.hostname, url.port] = ['127.0.0.1', String((proxy.address() as AddressInfo).port)];
  const books = openBooks({ connectionString: url.href });
  const service = await startService({ database, books, maxResponseBytes });
  onTestFinished(async () => {
    await service.close();
    await database.drop();
  });
  const acme = await service.integrator();
  await makeEvents(acme, events, eventBytes);
  for (const ask of [
    () => acme.rest('GET', `/events?per_page=${events}`).then(({ body }) => body.data),
    () => acme.graphql(`{ events(first: ${events}) { nodes { body } } }`).then((data) => data.events.nodes),
  ]) {
    cuts.left = 2;
    expect(await ask()).toHaveLength(events);
    expect(cuts.left).toBe(0);
  }
});
