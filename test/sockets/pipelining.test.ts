import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { answers, head, json, last } from '../rest/raw.ts';
import * as sample from '../rest/samples.ts';
import { until } from '../webhooks/receiver.ts';

// A connection may send requests before earlier ones are answered (pipelining, RFC 9112, 9.3.2). It gets its answers in
// order, takes turns with other connections, and is read no faster than it is answered.

let service: Service;
let acme: Integrator;
/** Requests that were begun to be answered. */
let begun = 0;
const open: Socket[] = [];

beforeAll(async () => {
  const counted = createMetrics();
  service = await startService({
    metrics: {
      ...counted,
      watch: (request, response, path) => {
        begun += 1;
        counted.watch(request, response, path);
      },
    },
  });
  acme = await service.integrator();
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  sample.expectNoInternalError(service);
});
afterAll(() => service.close());

function attacker(): { socket: Socket; heard: () => string } {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
  open.push(socket);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
  return { socket, heard: () => heard };
}

const get = (path: string, ...more: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', ...more, '', ''].join('\r\n');
const statusesIn = (heard: string): number[] =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

it('thousands of requests sent at once are answered in order', async () => {
  const { socket, heard } = attacker();
  const wanted = Array.from({ length: 4000 }, (_each, index) => (index % 3 === 0 ? 200 : 404));
  socket.write(wanted.map((status) => get(status === 200 ? '/health/live' : '/a')).join('') + get('/a', last));
  await once(socket, 'close');
  expect(statusesIn(heard())).toEqual([...wanted, 404]);
});

it('requests with bodies, chunked and not, are answered in order, also when split at any byte', async () => {
  const body = JSON.stringify(sample.customer);
  const post = head(acme, 'POST /api/v1/customers', json, `Content-Length: ${body.length}`) + body;
  const chunked =
    head(acme, 'POST /api/v1/customers', json, 'Transfer-Encoding: chunked') +
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const blank = body.replace('{', `{${'\r\n\r\n'.repeat(10_000)}`);
  const long = head(acme, 'POST /api/v1/customers', json, `Content-Length: ${blank.length}`) + blank;
  const text = [post, get('/a'), chunked, long, post, head(acme, 'GET /api/v1/me'), chunked, get('/a', last)].join('');
  const wanted = [201, 404, 201, 201, 201, 200, 201, 404];
  for (const pieces of [1, 7, 100]) {
    const { socket, heard } = attacker();
    const length = Math.ceil(text.length / pieces);
    for (let at = 0; at < text.length; at += length) {
      socket.write(text.slice(at, at + length));
      await turn();
    }
    await once(socket, 'close');
    expect(answers(heard()).map(({ status }) => status)).toEqual(wanted);
  }
});

it('one connection gets at most two answers in a turn of the event loop', async () => {
  const { socket, heard } = attacker();
  const count = 2000;
  let most = 0;
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (let before = begun; !over.signal.aborted; before = begun) {
      await turn();
      most = Math.max(most, begun - before);
    }
  };
  const watching = watch();
  socket.write(get('/a').repeat(count - 1) + get('/a', last));
  await once(socket, 'close');
  over.abort();
  await watching;
  expect(statusesIn(heard())).toHaveLength(count);
  expect(most).toBeLessThan(5);
});

it('a connection is not read while its request waits', async () => {
  const { id } = await sample.create(acme, '/customers', sample.customer);
  const holder = await service.pool.connect();
  await holder.query('begin; lock table customers in access exclusive mode');
  const waiting = async (): Promise<boolean> => {
    const { rowCount } = await holder.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return (rowCount ?? 0) > 0;
  };
  const { socket, heard } = attacker();
  socket.write(head(acme, `GET /api/v1/customers/${id}`));
  await until(waiting, 'the first request to wait');
  const count = 4000;
  const long = get('/a', `X: ${'x'.repeat(8000)}`);
  socket.write(long.repeat(count - 1) + get('/a', last));
  const unsent: number[] = [];
  for (let look = 0; look < 10; look += 1) {
    expect((await acme.rest('GET', '/me')).status).toBe(200); // the service has had its time to read
    unsent.push(socket.writableLength);
  }
  await holder.query('rollback');
  holder.release();
  // The system's buffers take a few megabytes of the 32.
  expect(unsent.at(-1)).toBeGreaterThan(16_000_000);
  await once(socket, 'close');
  expect(statusesIn(heard())).toEqual([200, ...Array<number>(count).fill(404)]);
});
