import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { SeenEvents } from '../../src/commands/webhooks/listen.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { startProxy, type Proxy } from '../faults/proxy.ts';
import { makeCustomer, makeInvoice, listEvents } from '../graphql/books.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { kontor, startKontor, startKontorInTerminal, type Run } from '../processes/npm.ts';
import { createWebhook, startReceiver, until, work, type Receiver } from '../webhooks/receiver.ts';

// `kontor listen` in a process of its own, against two processes' worth of the service on one database, with a worker.

let database: Database;
let service: Service;
let other: Service;
let worker: Worker;
let proxy: Proxy;
let acme: Integrator;
let receiver: Receiver;
let runs: Run[];

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database });
  other = await startService({ database });
  worker = await work(service);
  proxy = await startProxy(Number(new URL(other.url).port));
});
afterAll(async () => {
  await proxy.close();
  await worker.stop();
  await other.close();
  await service.close();
  await database.drop();
});
beforeEach(async () => {
  acme = await service.integrator();
  receiver = await startReceiver();
  runs = [];
});
afterEach(async () => {
  for (const run of runs) run.killGroup('SIGKILL');
  await receiver.close();
});

const environment = (url = other.url, token = acme.token) => ({ KONTOR_URL: url, KONTOR_TOKEN: token });

async function listen(args: string[] = [], { start = startKontor, env = environment() } = {}): Promise<Run> {
  const run = start(['listen', '--forward-to', `${receiver.url}/hook`, ...args], env);
  runs.push(run);
  await until(() => (run.err() + run.out()).includes('Ctrl-C ends'), 'listen');
  return run;
}

const received = (): string[] => receiver.requests.map(({ body }) => JSON.parse(body).event);
const secretIn = (run: Run): string => /whsec_\S+/.exec(run.err())![0];

it('forwards events with the bytes and headers of a webhook delivery, signed by the secret that it prints', async () => {
  const webhook = await createWebhook(acme, { url: `${receiver.url}/real`, events: ['*'] });
  const run = await listen();
  expect(run.err()).toContain(`Events of Acme are forwarded to ${receiver.url}/hook\n`);
  await makeCustomer(acme, { companyName: 'Löwen' });
  await until(() => receiver.requests.length === 2);
  const real = receiver.requests.find(({ path }) => path === '/real')!;
  const forwarded = receiver.requests.find(({ path }) => path === '/hook')!;
  expect(forwarded.body).toBe(real.body);
  expect(Object.keys(forwarded.headers)).toEqual(Object.keys(real.headers));
  for (const name of ['content-type', 'user-agent', 'x-service-event', 'x-service-attempt', 'webhook-id'])
    expect(forwarded.headers[name]).toBe(real.headers[name]);

  const secret = secretIn(run);
  expect(secret).not.toBe(webhook.secret);
  expect(new Webhook(secret).verify(forwarded.body, forwarded.headers as Record<string, string>)).toBeTruthy();
  const signature = createHmac('sha256', secret).update(forwarded.body).digest('hex');
  expect(forwarded.headers['x-service-signature']).toBe(`sha256=${signature}`);
  await run.until(/^ {3}1 {2}\d\d:\d\d:\d\d {2}customer\.created +200 {2}\d+ ms$/m);
});

it('has one secret for each token, which --print-secret prints', async () => {
  const secret = (await kontor(['listen', '--print-secret'], environment())).out.trim();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(secretIn(await listen())).toBe(secret);
  const { token } = await service.integrator();
  expect((await kontor(['listen', '--print-secret'], environment(other.url, token))).out.trim()).not.toBe(secret);
});

it('prints a JSON object for each delivery with --json, also for one that fails', async () => {
  const run = await listen(['--json', '--events', 'invoice.created,customer.created']);
  const customerId = await makeCustomer(acme);
  await run.until(/\n/);
  const eventId = (await listEvents(service, acme))[0]!.id;
  expect(JSON.parse(run.out())).toEqual({
    number: 1,
    event: 'customer.created',
    event_id: eventId,
    delivery: receiver.requests[0]!.headers['x-service-delivery'],
    delivered: true,
    status: 200,
    error: null,
    duration_ms: expect.any(Number),
  });
  await receiver.close();
  await makeInvoice(acme, { customerId, status: 'ISSUED' });
  await run.until(/\n.*\n/);
  expect(JSON.parse(run.out().split('\n')[1]!)).toMatchObject({
    event: 'invoice.created',
    delivered: false,
    status: null,
    error: 'connection refused',
  });
  receiver = await startReceiver();
});

describe('sends a delivery again', () => {
  it('by r or a number, as lines of standard input', async () => {
    const run = await listen();
    await makeCustomer(acme, { companyName: 'First' });
    await until(() => receiver.requests.length === 1);
    await makeCustomer(acme, { companyName: 'Second' });
    await run.until(/^ {3}2 {2}/m);
    run.child.stdin!.write('1\n');
    await run.until(/^ {3}3 {2}/m);
    run.child.stdin!.write('r\n');
    await run.until(/^ {3}4 {2}/m);
    const names = receiver.requests.map(({ body }) => JSON.parse(body).data.customer.company_name);
    expect(names).toEqual(['First', 'Second', 'First', 'First']);
    expect(receiver.requests[2]!.body).toBe(receiver.requests[0]!.body);
    const deliveries = receiver.requests.map(({ headers }) => headers['x-service-delivery']);
    expect(new Set(deliveries).size).toBe(4);
    run.child.stdin!.write('99\n');
    await until(() => run.err().includes('There is no delivery 99.'));
  });

  it('by a key on a terminal, which Ctrl-C leaves as it was', async () => {
    const run = await listen([], { start: startKontorInTerminal });
    run.child.stdin!.write('r');
    await run.until(/Nothing was sent so far\./);
    await makeCustomer(acme);
    await run.until(/^ {3}1 {2}/m);
    run.child.stdin!.write('r');
    await run.until(/^ {3}2 {2}/m);
    run.child.stdin!.write('\u0003');
    expect((await run.exited).code).toBe(0);
    expect(run.out()).toContain('2 deliveries were sent.');
  });
});

it.each(['SIGINT', 'SIGTERM'] as const)('%s ends it cleanly, after deliveries in progress', async (signal) => {
  const held = Promise.withResolvers<void>();
  await receiver.close();
  receiver = await startReceiver((response) => void held.promise.then(() => response.end()));
  const run = await listen();
  await makeCustomer(acme);
  await until(() => receiver.requests.length === 1);
  run.child.kill(signal);
  held.resolve();
  expect(await run.exited).toEqual({ code: 0, signal: null });
  expect(run.out()).toMatch(/customer\.created +200/);
  expect(run.err()).toMatch(/1 deliveries were sent\.\n$/);
});

it('misses nothing and repeats nothing while the connection is lost', async () => {
  const run = await listen([], { env: environment(`http://127.0.0.1:${proxy.port}`) });
  await makeCustomer(acme, { companyName: 'Before' });
  await until(() => receiver.requests.length === 1);
  for (const round of [1, 2]) {
    await proxy.shut();
    await until(() => run.err().split('The connection is lost').length > round);
    await Promise.all([1, 2, 3].map((at) => makeCustomer(acme, { companyName: `Lost ${round}.${at}` })));
    await proxy.clear();
    await until(() => run.err().split('Connected again.').length > round);
    await makeCustomer(acme, { companyName: `After ${round}` });
    await until(() => receiver.requests.length === 1 + round * 4);
  }
  const names = receiver.requests.map(({ body }) => JSON.parse(body).data.customer.company_name);
  const expected = [
    'Before',
    ...[1, 2].flatMap((at) => [`Lost ${at}.1`, `Lost ${at}.2`, `Lost ${at}.3`, `After ${at}`]),
  ];
  expect(names.toSorted()).toEqual(expected.toSorted());
});

it('forwards nothing from before it began, and nothing of another tenant', async () => {
  const globex = await service.integrator();
  await makeCustomer(acme);
  await until(async () => (await acme.db.event.count({ where: { fannedOutAt: null } })) === 0);
  await listen();
  await makeCustomer(globex);
  await until(async () => (await globex.db.event.count({ where: { fannedOutAt: null } })) === 0);
  await makeInvoice(acme, { customerId: await makeCustomer(acme) });
  await until(() => receiver.requests.length === 2);
  expect(received().toSorted()).toEqual(['customer.created', 'invoice.created']);
  const tenants = receiver.requests.map(({ body }) => JSON.parse(body).tenant_id);
  expect(new Set(tenants)).toEqual(new Set([acme.tenantId]));
});

it('forwards only what the token may read', async () => {
  const { token } = await service.integrator({ abilities: ['customers:read'] });
  const { code, err } = await kontor(['listen', '--forward-to', receiver.url], environment(other.url, token));
  expect([code, err]).toEqual([3, 'kontor: This token lacks the ability webhooks:read.\n']);
});

it.each([
  [2, [], '--forward-to'],
  [2, ['--forward-to', 'nonsense'], '--forward-to'],
  [5, ['--forward-to', 'http://localhost:1', '--events', 'invoice.eaten'], 'There is no event "invoice.eaten".'],
])('ends with %i for %j', async (code, args, message) => {
  const run = await kontor(['listen', ...args], environment());
  expect(run.code).toBe(code);
  expect(run.err).toContain(message);
});

it('ends when its token is revoked', async () => {
  const run = await listen();
  await acme.graphql('mutation ($id: UUID!) { revokeApiToken(id: $id) { id } }', { id: acme.tokenId }).catch(() => {});
  await service.client.apiToken.update({ where: { id: acme.tokenId }, data: { revokedAt: new Date() } });
  expect((await run.exited).code).toBe(3);
  expect(run.err()).toMatch(/kontor: The API token is not valid, or has ended\.\n$/);
});

describe('SeenEvents', () => {
  const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

  it('asks for events from two minutes before the last one, but for none from before the start', () => {
    const seen = new SeenEvents(new Date(at(0)));
    expect(seen.since()).toBe(at(0));
    seen.add({ id: 'a', fannedOutAt: at(60) });
    expect(seen.since()).toBe(at(0));
    seen.add({ id: 'b', fannedOutAt: at(600) });
    seen.add({ id: 'c', fannedOutAt: at(590) });
    expect(seen.since()).toBe(at(480));
  });

  it('knows an event again for as long as it can come again', () => {
    const seen = new SeenEvents(new Date(at(0)));
    expect(seen.add({ id: 'a', fannedOutAt: at(1) })).toBe(true);
    expect(seen.add({ id: 'a', fannedOutAt: at(1) })).toBe(false);
    expect(seen.add({ id: 'b', fannedOutAt: at(120) })).toBe(true);
    expect(seen.add({ id: 'a', fannedOutAt: at(1) })).toBe(false);
    expect(seen.add({ id: 'c', fannedOutAt: at(1000) })).toBe(true);
    expect(seen.add({ id: 'c', fannedOutAt: at(1000) })).toBe(false);
  });
});
