import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defaultTimeouts } from '../../src/server/http/timeouts.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';
import { anError, answers, head, json, last, sendRaw } from './raw.ts';
import * as sample from './samples.ts';

// Connections of slow, silent, and lost clients are closed after a timeout, and other clients are served meanwhile.

let service: Service;
let acme: Integrator;
const open: Socket[] = [];

beforeAll(async () => {
  service = await startService({ timeouts: { ...defaultTimeouts, headMs: 1000, idleMs: 500, requestMs: 3000 } });
  acme = await service.integrator();
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  sample.expectNoInternalError(service);
});
afterAll(() => service.close());

/** Sends the text and no more. `closed` resolves with all received text. */
function start(text: string): { socket: Socket; closed: Promise<string> } {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  open.push(socket);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString())).on('error', () => {});
  socket.write(text);
  // The service closes or resets the connection, as it doesn't read the rest.
  return { socket, closed: new Promise((resolve) => socket.once('close', () => resolve(received))) };
}

const answersIn = (received: string): number => received.split('HTTP/1.1 200').length - 1;
const timedOut = [{ status: 408, body: anError }];
const post = (...more: string[]): string => head(acme, 'POST /api/v1/customers', json, ...more);
const served = async (): Promise<void> => expect((await acme.rest('GET', '/me')).status).toBe(200);

describe('a client that stops sending is answered 408 and disconnected', () => {
  it('within the body, announced or chunked', async () => {
    const before = await sample.rows(service);
    for (const said of [`${post('Content-Length: 100')}{"type": `, `${post('Transfer-Encoding: chunked')}5\r\n{"typ`]) {
      const { closed } = start(said);
      await served();
      expect(answers(await closed)).toEqual(timedOut);
    }
    expect(await sample.rows(service)).toEqual(before);
  });

  it('within a body at /graphql', async () => {
    const { closed } = start(`${head(acme, 'POST /graphql', json, 'Content-Length: 100')}{"query": `);
    expect(answers(await closed)).toEqual(timedOut);
  });
});

it('a client that sends nothing, or only part of the head, is disconnected', async () => {
  const halves = ['GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthor', ''].map((said) => start(said));
  await served();
  expect(await Promise.all(halves.map(({ closed }) => closed))).toEqual(['', '']);
});

it.each([
  ['head', () => 'GET /api/v1/me HTTP/1.1\r\nX-Slow: '],
  ['body', () => post('Content-Length: 1000')],
])('a client that sends a %s too slowly is answered 408', async (_part, said) => {
  const { socket, closed } = start(said());
  const drip = setInterval(() => socket.write(' '), 100);
  const received = await closed.finally(() => clearInterval(drip));
  expect(answers(received)).toEqual(timedOut);
});

it('a client that waits for a slow answer is not disconnected', async () => {
  const body = JSON.stringify(sample.customer);
  const holder = await service.pool.connect();
  await holder.query('begin; lock table events in exclusive mode');
  const { closed } = start(post(`Content-Length: ${body.length}`, last) + body);
  await new Promise((resolve) => setTimeout(resolve, 1500)); // three times the idle timeout
  await holder.query('rollback');
  holder.release();
  expect(answers(await closed)[0]?.status).toBe(201);
});

it('a client that doesn’t read its answers is disconnected, so that they don’t stay in memory', async () => {
  for (let count = 0; count < 100; count += 1) await sample.create(acme, '/customers', sample.customer);
  const { socket, closed } = start('');
  socket.pause();
  const asked = 1000; // 40 MB of answers: more than the socket buffers hold
  const logged = service.log.length;
  socket.write(head(acme, 'GET /api/v1/customers?per_page=100').repeat(asked));
  const givenUp = (): boolean => service.log.slice(logged).some((line) => line.includes('"aborted":true'));
  await until(givenUp, 'the answer that is given up');
  await served();
  socket.resume();
  expect(answersIn(await closed)).toBeLessThan(asked);
});

it('300 half-open connections delay no others, and are all closed', async () => {
  const halves = Array.from({ length: 300 }, (_each, index) =>
    start(index % 2 === 0 ? 'GET / HT' : `${post('Content-Length: 9')}{`),
  );
  for (let request = 0; request < 20; request += 1) await served();
  await Promise.all(halves.map(({ closed }) => closed));
});

it('pipelined requests run one at a time', async () => {
  const { id } = await sample.create(acme, '/customers', sample.customer);
  const holder = await service.pool.connect();
  await holder.query('begin; lock table customers in access exclusive mode');
  const waiting = async (): Promise<number> =>
    (await holder.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .rowCount ?? 0;
  const { closed } = start(head(acme, `GET /api/v1/customers/${id}`).repeat(4) + head(acme, 'GET /api/v1/me', last));
  await until(async () => (await waiting()) > 0, 'the first of them to wait');
  for (let request = 0; request < 5; request += 1) await served(); // the other clients can time out meanwhile
  const atWork = await waiting();
  await holder.query('rollback');
  holder.release();
  expect(atWork).toBe(1);
  expect(answers(await closed).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

it('pipelined requests are answered in order, without regard to junk after them', async () => {
  const get = head(acme, 'GET /api/v1/me');
  const received = answers(await sendRaw(service, get.repeat(50), 'rubbish\r\n\r\n', get));
  expect(received.map(({ status }) => status)).toEqual([...Array<number>(50).fill(200), 400]);
  await served();
});

describe('bodies of a tenant that are on their way', () => {
  const longest = 1024 * 1024;

  it('count no more once their clients have left, also before they were admitted', async () => {
    const leave = (): Promise<unknown> => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () =>
        socket.write(post(`Content-Length: ${longest}`), () => socket.destroy()),
      );
      return once(socket, 'close');
    };
    const client = await service.pool.connect();
    await client.query('begin; lock table api_tokens');
    await Promise.all(Array.from({ length: 80 }, leave));
    await service.request('GET', '/health/live'); // after those
    await client.query('rollback');
    client.release();
    await served();
    const { socket, closed } = start(post(`Content-Length: ${longest}`, 'Connection: close'));
    await served();
    socket.write(`{"type":"customer","company_name":"Late"${' '.repeat(longest - 41)}}`);
    expect(answers(await closed)).toEqual([{ status: 201, body: expect.anything() }]);
  });

  it.each([
    ['REST', 'POST /api/v1/customers', `Content-Length: ${longest}`],
    ['GraphQL, chunked', 'POST /graphql', 'Transfer-Encoding: chunked'],
    ['MCP', 'POST /mcp', `Content-Length: ${longest}`],
  ])('are at most 64 MiB in all: %s', async (_, line, length) => {
    const patient = await startService();
    onTestFinished(patient.close);
    const [holder, other] = [await patient.integrator(), await patient.integrator()];
    const { port } = new URL(patient.url);
    const refused: string[] = [];
    const send = (who: Integrator): Socket => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(head(who, line, json, length)));
      open.push(socket);
      return socket.on('error', () => {}).on('data', (chunk: Buffer) => refused.push(chunk.toString().slice(0, 12)));
    };
    const sockets = Array.from({ length: 66 }, () => send(holder));
    await until(() => refused.length === 2);
    expect(refused).toEqual(['HTTP/1.1 429', 'HTTP/1.1 429']);
    expect((await other.rest('POST', '/customers', sample.customer)).status).toBe(201);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await holder.rest('POST', '/customers', sample.customer)).status === 201);
  });
});
