import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import { maxAttachmentBytes } from '../../schema/resources/attachment/rules.ts';
import { revokeToken } from '../../src/identity/index.ts';
import { defaultTimeouts } from '../../src/server/http/timeouts.ts';
import { makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { attach, makePdf, sending, type Send } from './files.ts';

// An attacker's uploads, and responses that the attacker doesn't read, leave neither a row nor a file. Another tenant
// is served meanwhile.

let service: Service;
let attacker: Integrator;
let innocent: Integrator;
let send: Send;
let receipt: string;
/** Whether the storage is down. */
let isDown = false;

beforeAll(async () => {
  service = await startService();
  const { write, read } = service.fileStorage;
  const check = (): void => {
    if (isDown) throw new StorageUnavailableError('The bucket of files', new Error('connect ECONNREFUSED'));
  };
  service.fileStorage.write = async (...args) => (check(), write(...args));
  service.fileStorage.read = async (...args) => (check(), read(...args));
  innocent = await service.integrator({ name: 'Innocent' });
  attacker = await service.integrator();
  send = sending(service, attacker);
  receipt = await makeReceipt(attacker);
});
afterAll(() => service.close());

const rowsOf = async ({ db }: Integrator): Promise<number> =>
  (await db.attachment.count()) + (await db.unusedFile.count());
const spoolFolders = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`kontor-${hostname()}-${process.pid}-`));

/** The innocent caller's upload is accepted, and nothing is left of the attack. */
async function expectNoTrace(): Promise<void> {
  expect((await attach(sending(service, innocent), await makeReceipt(innocent))).status).toBe(201);
  await until(async () => (await spoolFolders()).length === 0, 'the temporary folders to be empty');
  expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
}
afterEach(expectNoTrace);

/** Sends the beginning of an upload on a connection of its own. */
function begin(headers: string[], body: Buffer | string = '', { who = attacker, to = service, id = receipt } = {}) {
  const socket = connect(Number(new URL(to.url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const head = [
    `POST /api/v1/receipts/${id}/attachments?filename=a.pdf HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${who.token}`,
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { socket, closed: once(socket, 'close'), heard: () => text };
}

describe('a body', () => {
  it.each([
    ['HTML that is called a PDF', Buffer.from('<!DOCTYPE html><script>alert(1)</script>')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
    ['HTML before a PDF', Buffer.concat([Buffer.from('<script>alert(1)</script>'), makePdf()])],
    ['nothing', Buffer.alloc(0)],
  ])('of %s is refused, and not stored', async (_, bytes) => {
    const { status, body } = await attach(send, receipt, bytes, 'a.pdf', { 'content-type': 'application/pdf' });
    expect(status).toBe(422);
    expect(body.details).toEqual([
      {
        field: 'body',
        code: 'invalid_file',
        message: 'Must be a PDF, JPEG, PNG, WebP, or XML, by its content.',
        params: {},
      },
    ]);
    expect(await rowsOf(attacker)).toBe(0);
  });

  it('may have 25 MiB, and not a byte more, announced or not', async () => {
    const longest = Buffer.alloc(maxAttachmentBytes, ' ');
    longest.write('%PDF-1.7\n');
    longest.write('%%EOF\n', maxAttachmentBytes - 6);
    const whole = await attach(send, receipt, longest);
    expect(whole.body.data?.length).toBe(maxAttachmentBytes);
    await send('DELETE', `/receipts/${receipt}/attachments/${whole.body.data.id}`);
    await attacker.db.unusedFile.deleteMany({});
    const longer = Buffer.concat([longest, Buffer.from(' ')]);
    for (const bytes of [longer, new Blob([longer]).stream()]) {
      const refused = await attach(send, receipt, bytes).catch(() => undefined); // the connection may be closed while it sends
      if (refused) expect(refused.status).toBe(413);
    }
    const { heard } = begin([`Content-Length: ${maxAttachmentBytes + 1}`]);
    await until(() => heard() !== '', 'an answer');
    expect(heard()).toContain('HTTP/1.1 413');
    expect(await rowsOf(attacker)).toBe(0);
  });

  it('that is longer than it says is cut there, and what follows is no request', async () => {
    const { closed, heard } = begin(['Content-Length: 5'], makePdf());
    await closed;
    expect(heard()).toContain('HTTP/1.1 422');
    expect(await rowsOf(attacker)).toBe(0);
  });

  it('that breaks off leaves nothing', async () => {
    const bytes = makePdf(1_000_000);
    const { socket } = begin([`Content-Length: ${bytes.length}`], bytes.subarray(0, 500_000));
    await until(async () => (await spoolFolders()).length > 0, 'a temporary folder');
    socket.destroy();
    await until(async () => (await spoolFolders()).length === 0, 'the temporary folders to be empty');
    expect(await rowsOf(attacker)).toBe(0);
  });

  it('that comes too slowly is answered 408', async () => {
    const impatient = await startService({
      timeouts: { ...defaultTimeouts, headMs: 1000, idleMs: 500, requestMs: 3000 },
    });
    try {
      const who = await impatient.integrator();
      const { heard } = begin(['Content-Length: 1000'], '%PDF', { who, to: impatient, id: await makeReceipt(who) });
      await until(() => heard() !== '', 'an answer', 20_000);
      expect(heard()).toContain('HTTP/1.1 408');
      expect(await rowsOf(who)).toBe(0);
    } finally {
      await impatient.close();
    }
  });
});

it('thirty uploads at once are limited to three, and another tenant is served beside them', async () => {
  const held = Array.from({ length: 30 }, () => begin(['Content-Length: 1000'], '%PDF'));
  await until(() => held.filter(({ heard }) => heard().includes('HTTP/1.1 429')).length === 27, '27 refusals');
  expect(await spoolFolders()).toHaveLength(3);
  expect((await attach(sending(service, innocent), await makeReceipt(innocent))).status).toBe(201);
  const refused = held.find(({ heard }) => heard() !== '')?.heard();
  expect(refused).toMatch(/retry-after: 5/i);
  for (const { socket } of held) socket.destroy();
  await sleep(0);
});

it('uploads of a tenant and its test tenants at once are limited to three in all', async () => {
  const test = await startTestTenant(service, attacker);
  const ofTest = { who: test, id: await makeReceipt(test) };
  const held = Array.from({ length: 8 }, (_, at) => begin(['Content-Length: 1000'], '%PDF', at % 2 ? ofTest : {}));
  await until(() => held.filter(({ heard }) => heard().includes('HTTP/1.1 429')).length === 5, '5 refusals');
  expect(await spoolFolders()).toHaveLength(3);
  for (const { socket } of held) socket.destroy();
  await sleep(0);
});

it.each(['../../etc/passwd', 'a\\b.pdf', 'a\nb.pdf', 'a\u202Efdp.exe', '', 'x'.repeat(10_000)])(
  'a file can not be called %j',
  async (name) => {
    const { status, body } = await attach(send, receipt, makePdf(), name);
    expect([status, body.details?.[0]?.field]).toEqual([422, 'filename']);
    expect((await send('POST', `/receipts/${receipt}/attachments`, makePdf())).body.details[0]).toMatchObject({
      field: 'filename',
      code: 'required',
    });
  },
);

it('ids of another tenant, and of another receipt, are not found', async () => {
  const theirs = await makeReceipt(innocent);
  const { id } = (await attach(sending(service, innocent), theirs)).body.data;
  const own = (await attach(send, receipt)).body.data.id;
  const another = await makeReceipt(attacker);
  for (const path of [
    `/receipts/${theirs}/attachments/${id}`,
    `/receipts/${receipt}/attachments/${id}`,
    `/receipts/${another}/attachments/${own}`,
    `/receipts/${receipt}/attachments/1`,
    `/receipts/1/attachments/${own}`,
  ]) {
    for (const each of [path, `${path}/file`]) expect([each, (await send('GET', each)).status]).toEqual([each, 404]);
    expect([path, (await send('DELETE', path)).status]).toEqual([path, 404]);
  }
  for (const path of [`/receipts/${theirs}/attachments`, '/receipts/1/attachments']) {
    expect((await send('GET', path)).status).toBe(404);
    for (const bytes of [makePdf(), Buffer.from('<html>')])
      expect((await send('POST', `${path}?filename=a.pdf`, bytes)).status).toBe(404);
  }
  await send('DELETE', `/receipts/${receipt}/attachments/${own}`);
  await attacker.db.unusedFile.deleteMany({});
});

it('a token needs the abilities', async () => {
  const reader = sending(service, await service.integrator({ abilities: ['receipts:read'] }));
  const refused = await attach(reader, receipt);
  expect([refused.status, refused.body.message]).toEqual([404, 'Not found.']); // of another tenant: whoever may not write
  const other = await service.integrator({ abilities: ['receipts:read', 'customers:read'] });
  const draft = (
    await other.db.receipt.create({
      data: { receiptDate: new Date('2026-03-01'), amountGross: 1, vatAmount: 0, amountNet: 1, currency: 'EUR' },
    })
  ).id;
  const denied = await attach(sending(service, other), draft);
  expect([denied.status, denied.body.message]).toEqual([403, 'This token lacks the ability receipts:write.']);
  const writer = await service.integrator({ abilities: ['receipts:write'] });
  expect((await sending(service, writer)('GET', `/receipts/${draft}/attachments`)).status).toBe(404);
});

describe('while the storage is down', () => {
  it('nothing is acknowledged, and what was acknowledged is there afterwards', async () => {
    const { id } = (await attach(send, receipt)).body.data;
    isDown = true;
    const refused = await attach(send, receipt).finally(() => (isDown = false));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    isDown = true;
    const unread = await send('GET', `/receipts/${receipt}/attachments/${id}/file`).finally(() => (isDown = false));
    expect(unread.status).toBe(503);
    expect(await attacker.db.attachment.count()).toBe(1);
    expect((await send('GET', `/receipts/${receipt}/attachments/${id}/file`)).status).toBe(200);
    await send('DELETE', `/receipts/${receipt}/attachments/${id}`);
    await attacker.db.unusedFile.deleteMany({});
  });
});

it('downloads that nobody reads take little memory', async () => {
  const longest = makePdf(20_000_000);
  const { id } = (await attach(send, receipt, longest)).body.data;
  globalThis.gc?.();
  const used = (): number => {
    const { external, heapUsed } = process.memoryUsage();
    return (external + heapUsed) / 1e6;
  };
  const before = used();
  const sockets = Array.from({ length: 30 }, () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(
      `GET /api/v1/receipts/${receipt}/attachments/${id}/file HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${attacker.token}\r\n\r\n`,
    );
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'readable')));
  await sleep(1000); // as long as the server would need to read all of it
  expect(used() - before).toBeLessThan(150); // of 600
  for (const socket of sockets) socket.destroy();
  await send('DELETE', `/receipts/${receipt}/attachments/${id}`);
  await attacker.db.unusedFile.deleteMany({});
});

it.each<[string, (who: Integrator) => Promise<unknown>]>([
  ['the token is revoked', ({ tokenId }) => revokeToken(service.client, tokenId)],
  [
    'the user is removed',
    ({ tenantId, userId }) => service.client.membership.deleteMany({ where: { tenantId, userId } }),
  ],
])('a download ends once %s, before the file does', async (_, end) => {
  const reader = await service.integrator();
  const file = makePdf(maxAttachmentBytes);
  const sent = await attach(sending(service, reader), await makeReceipt(reader), file);
  const response = await fetch(sent.body.data.url, { headers: { authorization: `Bearer ${reader.token}` } });
  expect(response.headers.get('content-length')).toBe(String(file.length));
  const parts = response.body!.getReader();
  let length = (await parts.read()).value?.length ?? 0;
  await end(reader);
  const readOn = async (): Promise<void> => {
    for (let part = await parts.read(); !part.done; part = await parts.read()) {
      length += part.value.length;
      await sleep(10); // as a slow reader
    }
  };
  await expect(readOn()).rejects.toThrow('terminated');
  expect(length).toBeLessThan(file.length);
});
