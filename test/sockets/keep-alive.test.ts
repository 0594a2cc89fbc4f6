import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { defaultTimeouts, type HttpTimeouts } from '../../src/server/http/timeouts.ts';
import { startService, type Service } from '../harness.ts';
import { head } from '../rest/raw.ts';
import { until } from '../webhooks/receiver.ts';

// A balancer keeps connections for about a minute. Whoever closes one first must not be the one who gets the next request.

async function start(timeouts: Partial<HttpTimeouts> = {}): Promise<Service> {
  const service = await startService({ timeouts: { ...defaultTimeouts, ...timeouts } });
  onTestFinished(service.close);
  return service;
}

async function open(service: Service) {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString())).on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  const answers = (): number => heard.split('HTTP/1.1 200 OK').length - 1;
  return { socket, closed, heard: () => heard, answers };
}

it('a connection is kept for 75 s, longer than balancers keep theirs, and each answer announces it', async () => {
  const service = await start();
  const acme = await service.integrator();
  const { socket, heard, answers } = await open(service);
  socket.write(head(acme, 'GET /api/v1/me'));
  await until(() => answers() === 1, 'the answer');
  expect(heard()).toMatch(/^Connection: keep-alive\r\nKeep-Alive: timeout=75\r$/m);
});

it('a connection that was idle for longer than a head may take is answered, also if its next head comes in parts', async () => {
  const service = await start({ headMs: 500 });
  const acme = await service.integrator();
  const balancer = await open(service);
  balancer.socket.write(head(acme, 'GET /api/v1/me'));
  await until(() => balancer.answers() === 1, 'the first answer');
  const slow = await open(service); // its time-out is the clock: it begins after the other one is idle
  slow.socket.write('GET /api/v1/me HTTP/1.1\r\n');
  await slow.closed;
  expect(slow.heard()).toMatch(/^HTTP\/1.1 408 /);
  const next = head(acme, 'GET /api/v1/me');
  balancer.socket.write(next.slice(0, 20));
  const { socket } = await open(service);
  socket.destroy(); // the service has looked at its connections meanwhile
  balancer.socket.write(next.slice(20));
  await until(() => balancer.answers() === 2, 'the second answer');
});

it('a connection that stays idle is closed, once the announced time is over', async () => {
  const service = await start({ keepAliveMs: 1000 });
  const acme = await service.integrator();
  const { socket, closed, heard, answers } = await open(service);
  socket.write(head(acme, 'GET /api/v1/me'));
  await until(() => answers() === 1, 'the answer');
  expect(heard()).toContain('Keep-Alive: timeout=1\r\n');
  await closed;
});
