import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { getNetwork, defaultLimits } from '../../src/server/http/connections.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { head } from '../rest/raw.ts';
import * as sample from '../rest/samples.ts';
import { until } from '../webhooks/receiver.ts';

// The short form of test/reliability/strangers.test.ts: who opens many connections keeps nobody else from connecting.

const connections = { total: 50, perAddress: 20 };
const opened: Socket[] = [];

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

async function start(options: Parameters<typeof startService>[0] = { connections }): Promise<Service> {
  const service = await startService(options);
  onTestFinished(service.close);
  return service;
}

interface Peer {
  socket: Socket;
  heard: () => string;
  isOpen: () => boolean;
}

/** A connection from one of the addresses that loopback has. */
async function from(address: string, service: Service, text: string): Promise<Peer> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', localAddress: address });
  opened.push(socket);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString())).on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return { socket, heard: () => heard, isOpen: () => !socket.closed };
}

/** One after the other, so that it is known which was first. */
async function many(
  count: number,
  address: (index: number) => string,
  service: Service,
  text: string,
): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (let index = 0; index < count; index += 1) peers.push(await from(address(index), service, text));
  return peers;
}

/** Asks on a new connection. */
function status(service: Service, { token }: Integrator, localAddress = '127.0.0.1'): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request(`${service.url}/api/v1/me`, { agent: false, headers, localAddress }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}

const halfHead = 'GET / HTTP/1.1\r\nHost: x\r\n';
const openOf = (peers: Peer[]): Peer[] => peers.filter(({ isOpen }) => isOpen());

it('an address can have a bounded number of connections: the longest idle ones are closed for new ones', async () => {
  const service = await start();
  const acme = await service.integrator();
  const halves = await many(60, () => '127.0.0.2', service, halfHead);
  expect(await status(service, acme)).toBe(200);
  await until(() => openOf(halves).length === connections.perAddress, 'those beyond the bound to be closed');
  expect(halves.map(({ isOpen }) => isOpen())).toEqual(halves.map((_each, index) => index >= 40));
  expect(await status(service, acme, '127.0.0.2')).toBe(200); // even at the attacker's address
});

it('all addresses together can have a bounded number: the address with the most loses one', async () => {
  const service = await start();
  const acme = await service.integrator();
  const own = await from('127.0.0.1', service, ''); // has said nothing yet
  const halves = await many(80, (index) => `127.0.0.${2 + (index % 5)}`, service, halfHead);
  for (let count = 0; count < 5; count += 1) expect(await status(service, acme)).toBe(200);
  await until(() => openOf(halves).length < connections.total, 'those beyond the bound to be closed');
  own.socket.write(head(acme, 'GET /api/v1/me'));
  await until(() => own.heard().startsWith('HTTP/1.1 200 '), 'the answer on a connection that was there before');
});

it('a connection with a request under way is never closed for another', async () => {
  const few = 5;
  const counted = createMetrics();
  let begun = 0;
  const watch: typeof counted.watch = (...args) => {
    begun += 1;
    counted.watch(...args);
  };
  const service = await start({ connections: { total: 50, perAddress: few }, metrics: { ...counted, watch } });
  const acme = await service.integrator();
  const { id } = await sample.create(acme, '/customers', sample.customer);
  const holder = await service.pool.connect();
  await holder.query('begin; lock table customers in access exclusive mode');
  const get = head(acme, `GET /api/v1/customers/${id}`, 'Connection: close');
  begun = 0;
  const atWork = await many(few, () => '127.0.0.2', service, get);
  await until(() => begun === few, 'all of them to be at work');
  const [refused] = await many(1, () => '127.0.0.2', service, halfHead);
  await until(() => !refused!.isOpen(), 'one too many to be refused');
  expect(openOf(atWork)).toHaveLength(few);
  expect(await status(service, acme)).toBe(200); // from another address
  await holder.query('rollback');
  holder.release();
  await until(() => openOf(atWork).length === 0, 'all of them to be answered');
  expect(new Set(atWork.map(({ heard }) => heard().split('\r\n')[0]))).toEqual(new Set(['HTTP/1.1 200 OK']));
});

it('a client that keeps connections up to the bound gets an answer on each', async () => {
  const service = await start();
  const acme = await service.integrator();
  const peers = await many(connections.perAddress, () => '127.0.0.1', service, '');
  for (let round = 1; round <= 3; round += 1) {
    for (const { socket } of peers) socket.write(head(acme, 'GET /api/v1/me'));
    const answered = ({ heard }: Peer): boolean => heard().split('HTTP/1.1 200 OK').length === round + 1;
    await until(() => peers.every(answered), 'each to be answered');
  }
});

it('the log reports closed connections in a few lines', async () => {
  const service = await start();
  await many(200, () => '127.0.0.2', service, halfHead);
  const lines = service.log.filter((line) => line.includes('no room'));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThan(150);
  expect(JSON.parse(lines[0]!)).toMatchObject({ why: 'shed', address: '127.0.0.2' });
});

it('without proxies an address can have 500 of 5,000 connections; behind proxies only the total is bounded', () => {
  expect(defaultLimits(0)).toEqual({ total: 5000, perAddress: 500 });
  expect(defaultLimits(1)).toEqual({ total: 5000, perAddress: 0 });
  expect(defaultLimits(1, 100)).toEqual({ total: 5000, perAddress: 100 });
  expect(defaultLimits(0, 0)).toEqual({ total: 5000, perAddress: 0 });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('%s counts as %s', (address, network) => expect(getNetwork(address)).toBe(network));
