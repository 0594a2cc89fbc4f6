import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defaultTimeouts } from '../../src/server/http/timeouts.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from '../rest/samples.ts';
import { until } from '../webhooks/receiver.ts';
import { toLines, upload } from './operations.ts';

// Bodies that don't end, come slowly, or break off. Whatever an attacker sends, nothing of it stays on disk or in the database,
// and another tenant's upload beside it is accepted.

const customers = { resource: 'customers', action: 'create' };

let service: Service;
let attacker: Integrator;
let innocent: Integrator;
beforeAll(async () => {
  service = await startService();
  innocent = await service.integrator({ name: 'Innocent' });
});
afterAll(() => service.close());

const spoolFolders = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`kontor-${hostname()}-${process.pid}-`));

const untilSpoolIsEmpty = () =>
  until(async () => (await spoolFolders()).length === 0, 'the temporary folders to be empty');

/** The innocent caller's upload is accepted, and nothing is left of the attack. */
async function expectNoTrace(): Promise<void> {
  const { status, body } = await upload(innocent, customers, [sample.customer]);
  expect([status, body.data?.lines]).toEqual([201, 1]);
  expect((await innocent.rest('POST', `/bulk-operations/${body.data.id}/cancel`)).status).toBe(200);
  await untilSpoolIsEmpty();
  expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
}
afterEach(expectNoTrace);

interface Sender {
  socket: Socket;
  /** All that the server has answered. */
  heard: () => string;
  /** Sends a part of a chunked body. @returns once the system has taken it; false if the connection is closed */
  send: (text: string | Buffer) => Promise<boolean>;
  end: () => void;
  /** The answer's status, as soon as there is one. */
  status: () => Promise<number>;
}

/** Begins an upload on a connection of its own. */
function begin(
  { token }: Pick<Integrator, 'token'>,
  { query = 'resource=customers&action=create', headers = {}, to = service } = {},
): Sender {
  const socket = connect(Number(new URL(to.url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const head = {
    Host: 'localhost',
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/jsonl',
    ...('Content-Length' in headers ? {} : { 'Transfer-Encoding': 'chunked' }),
    ...headers,
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /api/v1/bulk-operations?${query} HTTP/1.1\r\n${lines.join('')}\r\n`);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const closed = once(socket, 'close');
  const send = async (part: string | Buffer): Promise<boolean> => {
    if (socket.destroyed || text !== '') return false;
    const bytes = Buffer.from(part);
    socket.write(`${bytes.length.toString(16)}\r\n`);
    socket.write(bytes);
    if (!socket.write('\r\n')) await Promise.race([once(socket, 'drain'), closed]).catch(() => {});
    return !socket.destroyed && text === '';
  };
  return {
    socket,
    heard: () => text,
    send,
    end: () => void socket.write('0\r\n\r\n'),
    status: async () => {
      await until(() => /^HTTP\/1.1 (\d+)/.test(text) || socket.closed, 'an answer', 30_000);
      return Number(text.slice(9, 12));
    },
  };
}

const line = `${JSON.stringify(sample.customer)}\n`;
const rowsOf = async ({ db }: Integrator): Promise<number> =>
  (await db.bulkOperation.count()) + (await db.bulkChunk.count()) + (await db.storedResponse.count());

describe('a body', () => {
  it('without an end is refused beyond 200 MiB', async () => {
    attacker = await service.integrator();
    const sender = begin(attacker, { headers: { 'Idempotency-Key': 'endless' } });
    const mebibyte = Buffer.alloc(1024 * 1024, line);
    let sent = 0;
    while (sent < 300 && (await sender.send(mebibyte))) sent += 1;
    expect(await sender.status()).toBe(413);
    expect(sender.heard()).toContain('The body must not be longer than 209715200 bytes.');
    expect(sent).toBeLessThan(230); // what the system holds of it on both sides
    await untilSpoolIsEmpty();
    expect(await rowsOf(attacker)).toBe(0);
  });

  it('that says it is longer is refused before it is sent', async () => {
    attacker = await service.integrator();
    const headers = { 'Content-Length': String(200 * 1024 * 1024 + 1) };
    expect(await begin(attacker, { headers }).status()).toBe(413);
    expect(await spoolFolders()).toEqual([]);
  });

  it.each([
    ['that pauses', async () => {}],
    [
      'that comes a line at a time, for ever',
      async (sender: Sender) => {
        while (await sender.send(line)) await sleep(50);
      },
    ],
  ])('%s is answered 408', async (_what, act) => {
    const timeouts = { ...defaultTimeouts, headMs: 300, idleMs: 600, requestMs: 2500 };
    const hasty = await startService({ timeouts });
    onTestFinished(hasty.close);
    attacker = await hasty.integrator();
    const sender = begin(attacker, { to: hasty });
    await sender.send(line);
    await act(sender);
    expect(await sender.status()).toBe(408);
    await untilSpoolIsEmpty();
    expect(await rowsOf(attacker)).toBe(0);
  });

  it('is on disk while it comes, where only this user can read it, and holds no connection to the database', async () => {
    attacker = await service.integrator();
    const sender = begin(attacker);
    await sender.send(line);
    await until(async () => (await spoolFolders()).length === 1, 'the upload to begin');
    const [folder] = await spoolFolders();
    const path = join(tmpdir(), folder!);
    await until(
      async () => (await readFile(join(path, 'file'), 'utf8').catch(() => '')) === line,
      'the line to be there',
    );
    expect([(await stat(path)).mode & 0o777, (await stat(join(path, 'file'))).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(service.books.pool.totalCount - service.books.pool.idleCount).toBe(0);
    sender.end();
    expect(await sender.status()).toBe(201);
  });

  it.each([
    ['one line of 3 MiB', () => Buffer.alloc(3 * 1024 * 1024, 'x'), 'Line 1 is longer than 1048576 bytes.'],
    ['one line of 3 MiB of spaces', () => Buffer.alloc(3 * 1024 * 1024, ' '), 'Line 1 is longer than 1048576 bytes.'],
    ['3 MiB of NUL', () => Buffer.alloc(3 * 1024 * 1024), 'Line 1 is longer than 1048576 bytes.'],
    ['3 MiB of breaks', () => Buffer.alloc(3 * 1024 * 1024, '\n'), 'Has more than 1000000 lines.'],
    ['3 MiB of empty lines', () => Buffer.alloc(3 * 1024 * 1024, ' \r\n\t\n'), 'Has more than 1000000 lines.'],
    [
      'a valid line, and then a long one',
      () => Buffer.concat([Buffer.from(line), Buffer.alloc(2_000_000, 'x')]),
      'Line 2',
    ],
    ['400 KB of empty lines', () => Buffer.alloc(400_000, '\r\n'), 'Has no line.'],
    ['nothing', () => Buffer.alloc(0), 'Has no line.'],
  ])('with %s is refused', async (_what, make, message) => {
    attacker = await service.integrator();
    const sender = begin(attacker, { headers: { 'Idempotency-Key': 'a' } });
    const bytes = make();
    for (let at = 0; at < bytes.length; at += 65_536) await sender.send(bytes.subarray(at, at + 65_536));
    sender.end();
    expect(await sender.status()).toBe(422);
    expect(sender.heard()).toContain(message);
    expect([await attacker.db.bulkOperation.count(), await attacker.db.bulkChunk.count()]).toEqual([0, 0]);
  });
});

describe('an upload that breaks off', () => {
  it.each([0, 1, 1000, 20_000])(
    'after %i lines leaves nothing, and its repetition with the key works',
    async (count) => {
      attacker = await service.integrator();
      const lines = line.repeat(count);
      const keyed = { headers: { 'Idempotency-Key': 'a' } };
      const cut = begin(attacker, keyed);
      if (count > 0) await cut.send(lines);
      await until(async () => (await spoolFolders()).length === 1, 'the upload to begin');
      cut.socket.destroy();
      await untilSpoolIsEmpty();
      expect(await rowsOf(attacker)).toBe(0);
      const whole = toLines(Array.from({ length: count + 1 }, () => sample.customer));
      const first = await upload(attacker, customers, whole, { 'idempotency-key': 'a' });
      const again = await upload(attacker, customers, whole, { 'idempotency-key': 'a' });
      expect([first.status, first.body.data.lines]).toEqual([201, count + 1]);
      expect([again.status, again.body.data.id]).toEqual([201, first.body.data.id]);
      expect(await attacker.db.bulkOperation.count()).toBe(1);
    },
  );

  it('after its end, before its answer, is done once with its key', async () => {
    attacker = await service.integrator();
    for (let time = 0; time < 5; time += 1) {
      const left = begin(attacker, { headers: { 'Idempotency-Key': 'a' } });
      await left.send(line);
      left.socket.end('0\r\n\r\n');
      await sleep(time * 5);
      left.socket.destroy();
    }
    await untilSpoolIsEmpty();
    const whole = await upload(attacker, customers, line, { 'idempotency-key': 'a' });
    expect(whole.status).toBe(201);
    expect(await attacker.db.bulkOperation.count()).toBe(1);
  });
});

describe('uploads at the same time', () => {
  it('with the same key are one operation; with another body, one of them is refused', async () => {
    attacker = await service.integrator();
    const both = await Promise.all([1, 2].map(() => upload(attacker, customers, line, { 'idempotency-key': 'a' })));
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(both[1]?.body).toEqual(both[0]?.body);
    expect(await attacker.db.bulkOperation.count()).toBe(1);
    const different = await Promise.all(
      [2, 3].map((count) => upload(attacker, customers, line.repeat(count), { 'idempotency-key': 'b' })),
    );
    expect(different.map(({ status }) => status).toSorted()).toEqual([201, 422]);
    expect(await attacker.db.bulkOperation.count()).toBe(2);
  });

  it('are 3 for each tenant; the fourth is answered 429, and each that ends makes room', async () => {
    attacker = await service.integrator();
    const three = [begin(attacker), begin(attacker, { headers: { 'Idempotency-Key': 'a' } }), begin(attacker)];
    await Promise.all(three.map(({ send }) => send(line)));
    await until(async () => (await spoolFolders()).length === 3, 'three uploads to begin');
    for (const headers of [{}, { 'idempotency-key': 'b' }] as Record<string, string>[]) {
      const refused = await upload(attacker, customers, line, headers);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    }
    expect((await upload(innocent, customers, line)).status).toBe(201);
    expect((await attacker.rest('GET', '/customers')).status).toBe(200);
    three[0]!.end();
    expect(await three[0]!.status()).toBe(201);
    three[1]!.socket.destroy();
    await until(async () => (await spoolFolders()).length === 1, 'two uploads to end');
    expect((await upload(attacker, customers, line)).status).toBe(201);
    three[2]!.socket.destroy();
  });

  it('need a token, an ability, and parameters before any of the body is taken', async () => {
    attacker = await service.integrator({ abilities: ['customers:write'] });
    const all = await service.integrator();
    const cases: [Sender, number][] = [
      [begin({ ...attacker, token: 'x' }), 401],
      [begin(attacker), 403],
      [begin(attacker, { headers: { 'Idempotency-Key': 'a' } }), 403],
      [begin(all, { query: 'resource=customers&action=nonsense' }), 422],
      [begin(all, { query: 'resource=invoices&action=upsert', headers: { 'Idempotency-Key': 'a' } }), 422],
    ];
    for (const [sender, status] of cases) expect(await sender.status()).toBe(status);
    expect(await spoolFolders()).toEqual([]);
  });
});

it('a disk that takes no folder is a fault each time, and leaves the tenant its uploads', async () => {
  attacker = await service.integrator();
  const { TMPDIR: before } = process.env;
  process.env['TMPDIR'] = '/nonexistent';
  const statuses = [];
  for (let time = 0; time < 4; time += 1) statuses.push((await upload(attacker, customers, line)).status);
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  expect(statuses).toEqual([500, 500, 500, 500]);
  expect(service.log.splice(0).filter((text) => text.includes('ENOENT'))).toHaveLength(4);
  expect((await upload(attacker, customers, line)).status).toBe(201);
});
