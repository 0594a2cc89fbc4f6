import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clearTemporaryFolders, makeTemporaryFolder } from '../../schema/graphql/input/temporary-folder.ts';
import { readStatementFile } from '../../schema/bank-statements/parsers/parse-file.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { camt, document, form, imported, many, send } from './statement.ts';

vi.mock(import('../../schema/graphql/input/temporary-folder.ts'), async (original) => {
  const actual = await original();
  return { ...actual, makeTemporaryFolder: vi.fn<typeof actual.makeTemporaryFolder>(actual.makeTemporaryFolder) };
});

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator();
});
afterAll(() => service.close());

const boundary = 'a-boundary';
const part = (name: string, value: string, more = ''): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const start =
  part('operations', JSON.stringify({ query: document, variables: { file: null } })) +
  part('map', '{"f":["variables.file"]}') +
  `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="f.xml"\r\n\r\n`;
const end = `\r\n--${boundary}--\r\n`;

interface Sender {
  socket: Socket;
  /** The answer's head and what came with it. */
  answer: Promise<string>;
  finish: () => void;
}

/** Sends a form as far as the middle of its file. */
function stall({ token }: Pick<Integrator, 'token'>, headers: Record<string, string> = {}): Sender {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const file = camt([{ amount: '1.00' }]);
  const body = start + file + end;
  const head = {
    Host: 'localhost',
    Authorization: `Bearer ${token}`,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  const half = start.length + 100;
  socket.write(`POST /graphql HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, half)}`);
  const answer = once(socket, 'data').then(([data]) => String(data));
  answer.catch(() => {});
  return { socket, answer, finish: () => void socket.write(body.slice(half)) };
}

const ours = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`kontor-${hostname()}-${process.pid}-`));

/** Waits for what another turn of the event loop brings. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => void setTimeout(resolve, 5));
}

const inUse = (): number => service.books.pool.totalCount - service.books.pool.idleCount;

describe('before a form is read', () => {
  it('rejects a token without the ability before its body has arrived', async () => {
    const reader = await service.integrator({ abilities: ['read'] });
    for (const headers of [{}, { 'Idempotency-Key': 'a key' }] as Record<string, string>[]) {
      const answer = await stall(reader, headers).answer;
      expect(answer).toMatch(/^HTTP\/1.1 403 /);
      expect(answer).toMatch(/"FORBIDDEN"/);
    }
    expect(await ours()).toEqual([]);
  });

  it("answers 429 with Retry-After to a tenant's fifth upload, and accepts other tenants'", async () => {
    const four = Array.from({ length: 4 }, (_, at) => stall(acme, { 'Idempotency-Key': `key ${at}` }));
    await until(async () => (await ours()).length === 4);
    const answer = await stall(acme).answer;
    expect(answer).toMatch(/^HTTP\/1.1 429 /);
    expect(answer).toMatch(/\r\nRetry-After: 10\r\n/i);
    expect(answer).toMatch(/"code":"RATE_LIMITED"/);
    const globex = await service.integrator();
    expect(await imported(service, globex, camt([{ amount: '1.00' }]))).toMatchObject({ imported: 1 });
    for (const { finish } of four) finish();
    for (const one of four) expect(await one.answer).toMatch(/^HTTP\/1.1 200 /);
    expect(await imported(service, acme, camt([{ amount: '2.00' }]))).toMatchObject({ imported: 1 });
  });

  it("counts the uploads of a tenant's test tenants as its own", async () => {
    const tests = [await startTestTenant(service, acme), await startTestTenant(service, acme)];
    const four = [acme, acme, ...tests].map((who) => stall(who));
    await until(async () => (await ours()).length === 4);
    for (const who of [acme, ...tests]) expect(await stall(who).answer).toMatch(/^HTTP\/1.1 429 /);
    for (const { finish } of four) finish();
    for (const one of four) expect(await one.answer).toMatch(/^HTTP\/1.1 200 /);
  });
});

it('never rejects uploads that are sent one after the other', async () => {
  const make = vi.mocked(makeTemporaryFolder).getMockImplementation()!;
  vi.mocked(makeTemporaryFolder).mockImplementation(async () => {
    const folder = await make();
    return { ...folder, discard: () => sleep(50).then(folder.discard) }; // a slow disk
  });
  onTestFinished(() => void vi.mocked(makeTemporaryFolder).mockImplementation(make));
  const senders = Array.from({ length: 4 }, async (_, sender) => {
    const statuses = [];
    for (let file = 0; file < 4; file += 1) {
      const headers = {
        authorization: `Bearer ${acme.token}`,
        ...(sender % 2 && { 'Idempotency-Key': `${sender} ${file}` }),
      };
      statuses.push((await send(service, form(camt([{ amount: `${sender}.0${file}` }])), headers)).status);
    }
    return statuses;
  });
  expect(await Promise.all(senders)).toEqual(senders.map(() => [200, 200, 200, 200]));
  expect(await ours()).toEqual([]);
});

it('answers neither an upload nor a request with a key by a stream', async () => {
  const query = 'subscription { deliveryChanged { id } }';
  const data = new FormData();
  data.append('operations', JSON.stringify({ query }));
  data.append('map', '{}');
  const authorization = `Bearer ${acme.token}`;
  const json = { authorization, 'content-type': 'application/json', 'idempotency-key': 'a key' };
  for (const accept of ['text/event-stream', '*/*', 'application/json']) {
    for (const answer of [
      await send(service, data, { authorization, accept }),
      await send(service, JSON.stringify({ query }), { ...json, accept }),
    ]) {
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        [
          {
            message: 'A subscription can be asked for neither in a form nor with an Idempotency-Key.',
            extensions: { code: 'BAD_REQUEST' },
          },
        ],
      ]);
    }
  }
});

describe('while a form arrives', () => {
  it('uses no database connection; its file is in a private folder that is deleted afterwards', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => service.integrator()));
    const senders = tenants.flatMap((tenant) =>
      Array.from({ length: 4 }, (_, at) => stall(tenant, at % 2 === 0 ? {} : { 'Idempotency-Key': `key ${at}` })),
    );
    await until(async () => (await ours()).length === senders.length);
    expect(inUse()).toBe(0);
    for (const name of await ours()) expect((await stat(join(tmpdir(), name))).mode & 0o777).toBe(0o700);
    expect((await acme.rest('GET', '/customers')).status).toBe(200);

    for (const { finish } of senders.slice(0, 12)) finish();
    for (const { answer } of senders.slice(0, 12)) expect(await answer).toMatch(/"imported":1,|"skipped":1,/);
    for (const { socket } of senders.slice(12)) socket.destroy();
    await until(async () => (await ours()).length === 0);
  });
});

it("runs a tenant's imports one after the other, on one connection", async () => {
  let most = 0;
  let isDone = false;
  const watching = until(() => {
    most = Math.max(most, inUse());
    return isDone;
  });
  const files = Array.from({ length: 4 }, (_, at) => camt(many(400 + at)));
  const results = await Promise.all(files.map((file) => imported(service, acme, file)));
  isDone = true;
  await watching;
  expect(results.reduce((sum, result) => sum + result.imported, 0)).toBe(403);
  expect(most).toBe(1);
});

describe('reading', () => {
  it('a large statement doesn’t block the event loop', async () => {
    const folder = await makeTemporaryFolder();
    onTestFinished(folder.discard);
    const file = join(folder.path, 'statement');
    await writeFile(file, camt([], '<Bal/>'.repeat(350_000)));
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    turn();
    const warnings = await readStatementFile(file, join(folder.path, 'rows'), {});
    isDone = true;
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toBe('There are 349900 more warnings like these.');
    expect(turns).toBeGreaterThan(1000);
  });

  it('answers a bounded number of warnings', async () => {
    const statuses = `<Ntry><Sts><Prtry>${'x'.repeat(40)}</Prtry></Sts></Ntry>`.repeat(20_000);
    const { warnings } = await imported(service, acme, camt([], statuses));
    expect(warnings).toHaveLength(101);
    expect(JSON.stringify(warnings).length).toBeLessThan(20_000);
  });
});

describe('temporary folders', () => {
  it('of ended processes are deleted, and those of running ones are kept', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    const [ended, running] = [child.pid, process.ppid].map((pid) =>
      join(tmpdir(), `kontor-${hostname()}-${pid}-aB3dE6`),
    );
    for (const folder of [ended!, running!]) await mkdir(folder);
    onTestFinished(() => rm(running!, { recursive: true }));
    await writeFile(join(ended!, 'file'), 'a statement');
    await clearTemporaryFolders();
    expect([ended!, running!].map((folder) => existsSync(folder))).toEqual([false, true]);
  });
});

describe('an invalid CSV mapping', () => {
  const file = `2026-03-02\t10.00\n`;
  const mapping = (more: object) => ({
    format: 'CSV',
    csv: {
      dateFormat: 'YYYY-MM-DD',
      decimalSeparator: '.',
      headerRow: false,
      accountIban: 'DE02120300000000202051',
      currency: 'EUR',
      columns: { bookingDate: '1', amount: '2' },
      ...more,
    },
  });

  it('a tab is a delimiter', async () => {
    expect(await imported(service, acme, file, mapping({ delimiter: '\t' }))).toMatchObject({ imported: 1 });
  });

  it.each<[string, object, string]>([
    ...[' ', '', '\n', '\r', '"', 'a', '1', ';;', '\u00a0', '\ud800'].map((delimiter): [string, object, string] => [
      `delimiter ${JSON.stringify(delimiter)}`,
      { delimiter },
      'csv.delimiter',
    ]),
    ...[-1, -5, 1001].map((skipLines): [string, object, string] => [
      `skipLines ${skipLines}`,
      { skipLines },
      'csv.skipLines',
    ]),
    [
      '21 columns of the reference',
      { columns: { bookingDate: '1', amount: '2', reference: Array.from({ length: 21 }, () => '1') } },
      'csv.columns.reference',
    ],
  ])('%s is refused', async (_what, more, path) => {
    const { upload } = await import('./statement.ts');
    const { body } = await upload(service, acme, file, mapping(more));
    expect(body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { [path]: [expect.stringMatching(/^Must /)] },
    });
  });
});
