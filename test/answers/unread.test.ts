import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { defaultTimeouts } from '../../src/server/http/timeouts.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { makeEvents } from './large.ts';

// The system's buffers take a part of a response, which isn't in the process's memory. Each response is longer than these.
const eventBytes = 2_000_000;
const eventsInAnswer = 4;
const maxResponseBytes = 9_000_000;

/** How many such answers of a tenant may be unread. While one is made, it takes twice its length. */
const ofTenant = 5;

async function start(): Promise<Service> {
  const timeouts = { ...defaultTimeouts, idleMs: 300_000 }; // nothing but the limits ends an answer
  const service = await startService({ maxResponseBytes, timeouts });
  onTestFinished(service.close);
  return service;
}

/** A client that asks for a long answer, and reads only its begin. */
async function askWithoutReading({ url }: Service, { token }: Integrator): Promise<{ status: number; socket: Socket }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}); // the server may break it off
  const path = `/api/v1/events?per_page=${eventsInAnswer}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { status: Number(head.toString('latin1', 9, 12)), socket };
}

it('answers that a tenant does not read are limited; other tenants are served', async () => {
  const service = await start();
  const [acme, globex] = [await service.integrator(), await service.integrator({ name: 'Globex' })];
  await makeEvents(acme, eventsInAnswer, eventBytes);
  const readers = [];
  for (let count = 0; count <= ofTenant; count += 1) readers.push(await askWithoutReading(service, acme));
  expect(readers.map(({ status }) => status)).toEqual([...Array.from({ length: ofTenant }, () => 200), 429]);
  const refused = await acme.rest('GET', `/events?per_page=${eventsInAnswer}`);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.body.message).toMatch(/^Too many long answers of this tenant are not read yet\./);
  const inGraphql = await acme.graphqlAnswer(`{ events(first: ${eventsInAnswer}) { nodes { body } } }`);
  expect(inGraphql.status).toBe(429);
  expect(inGraphql.body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 5 });
  expect((await acme.rest('GET', '/customers')).status).toBe(200); // a short one
  expect((await globex.rest('GET', '/customers')).status).toBe(200);
  for (const { socket } of readers) socket.destroy();
  const again = async (): Promise<number> => (await acme.rest('GET', `/events?per_page=${eventsInAnswer}`)).status;
  await expect.poll(again).toBe(200);
});

it('answers that a tenant’s test tenants do not read count as its own', async () => {
  const service = await start();
  const acme = await service.integrator();
  const tests = [await startTestTenant(service, acme), await startTestTenant(service, acme)];
  const readers = [];
  for (const who of [acme, ...tests]) {
    await makeEvents(who, eventsInAnswer, eventBytes);
    for (let count = 0; count < 2; count += 1) readers.push(await askWithoutReading(service, who));
  }
  expect(readers.map(({ status }) => status)).toEqual([...Array.from({ length: ofTenant }, () => 200), 429]);
  expect((await acme.rest('GET', `/events?per_page=${eventsInAnswer}`)).status).toBe(429);
});

it('beyond the limit of the process, an unread answer is broken off for one that is read', async () => {
  const service = await start();
  const readers = [];
  for (const name of ['Acme', 'Globex', 'Initech', 'Umbrella']) {
    const attacker = await service.integrator({ name });
    await makeEvents(attacker, eventsInAnswer, eventBytes);
    for (let count = 0; count < ofTenant; count += 1) readers.push(await askWithoutReading(service, attacker));
  }
  expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200));
  const innocent = await service.integrator({ name: 'Innocent' });
  await makeEvents(innocent, eventsInAnswer, eventBytes);
  const { status, body } = await innocent.rest('GET', `/events?per_page=${eventsInAnswer}`);
  expect({ status, events: body.data.length }).toEqual({ status: 200, events: eventsInAnswer });
  await once(readers[0]!.socket.resume(), 'close');
  await expect.poll(() => service.log.some((line) => line.includes('"why":"unread"'))).toBe(true);
});
