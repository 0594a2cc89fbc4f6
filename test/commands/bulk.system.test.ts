import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { startCuttingProxy } from '../docs/cutting-proxy.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { inTerminal, startKontor } from '../processes/npm.ts';
import { work } from '../webhooks/receiver.ts';

// The real command line in a process of its own, against a real service by HTTP.

let service: Service;
let worker: Awaited<ReturnType<typeof work>>;
let folder: string;
let acme: Integrator;
const run = (args: string[], { input, url = service.url }: { input?: string; url?: string } = {}) =>
  kontor(['bulk', ...args], { KONTOR_URL: url, KONTOR_TOKEN: acme.token }, input);

beforeAll(async () => {
  service = await startService();
  worker = await work(service);
  folder = await mkdtemp(join(tmpdir(), 'kontor-bulk-'));
  await writeFile(join(folder, 'good.jsonl'), lines('Good', 3));
  await writeFile(join(folder, 'some.jsonl'), `${lines('Some', 2)}\n{"type":"customer"}\nno JSON\n`);
});
afterAll(async () => {
  await worker.stop();
  await service.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  acme = await service.integrator();
});

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `{"type":"customer","company_name":"${name} ${at + 1}"}\n`).join('');
const names = async (): Promise<(string | null)[]> =>
  (await acme.db.customer.findMany({ orderBy: { id: 'asc' } })).map(({ companyName }) => companyName);
const parse = (text: string): { line: number; status: number }[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

it('does what a file says, and prints a result for each line where no person reads', async () => {
  const { code, out, err } = await run(['customers', 'create', join(folder, 'good.jsonl')]);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(
      /^Bulk operation [-\da-f]{36}: 3 lines\.\ncompleted: 3 of 3 lines succeeded, 0 failed\.\n$/,
    ),
  });
  const ids = (await acme.db.customer.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);
  expect(parse(out)).toEqual(ids.map((id, at) => ({ line: at + 1, status: 201, id })));
  expect(await names()).toEqual(['Good 1', 'Good 2', 'Good 3']);
});

it('refuses a file for results that can’t be written before anything is sent', async () => {
  const results = join(folder, 'no such folder', 'results.jsonl');
  const { code, out, err } = await run(['customers', 'create', join(folder, 'good.jsonl'), '--results', results]);
  expect({ code, out, err }).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^kontor: The results can't be written: ENOENT.*\.\n$/),
  });
  expect(await names()).toEqual([]);
});

it('goes on to its end where nobody reads its output any more', async () => {
  const started = startKontor(['bulk', 'customers', 'create', join(folder, 'some.jsonl')], {
    KONTOR_URL: service.url,
    KONTOR_TOKEN: acme.token,
  });
  started.child.stdout?.destroy();
  expect(await started.exited).toEqual({ code: 5, signal: null });
  expect(started.err()).toMatch(/^Bulk operation .*\ncompleted: 2 of 4 lines succeeded, 2 failed\.\n$/);
  expect(await names()).toEqual(['Some 1', 'Some 2']);
});

it('ends with 5 if lines failed, and writes results to a file', async () => {
  const results = join(folder, 'results.jsonl');
  const { code, out, err } = await run([
    'customers',
    'create',
    join(folder, 'some.jsonl'),
    '--results',
    results,
    '--failed',
  ]);
  expect({ code, out, err }).toMatchObject({
    code: 5,
    out: '',
    err: expect.stringContaining('2 of 4 lines succeeded'),
  });
  expect(parse(await readFile(results, 'utf8'))).toMatchObject([
    { line: 4, status: 422, errors: { company_name: [expect.any(String)] } },
    { line: 5, message: expect.any(String) },
  ]);
  expect(await names()).toEqual(['Some 1', 'Some 2']);
});

it('writes no results over the file that is sent, nor over former ones before there are new ones', async () => {
  const [sent, link, results] = ['own.jsonl', 'own-link.jsonl', 'former.jsonl'].map((name) => join(folder, name));
  await writeFile(sent!, lines('Own', 1));
  await symlink(sent!, link!);
  await writeFile(results!, 'former\n'.repeat(100));
  for (const same of [sent!, link!])
    expect(await run(['customers', 'create', sent!, '--results', same])).toEqual({
      code: 2,
      out: '',
      err: 'kontor: --results must be another file than the one that is sent.\n',
    });
  expect(await readFile(sent!, 'utf8')).toBe(lines('Own', 1));
  expect((await run(['customers', 'create', join(folder, 'none.jsonl'), '--results', results!])).code).toBe(2);
  expect(await readFile(results!, 'utf8')).toBe('former\n'.repeat(100));
  expect((await run(['customers', 'create', sent!, '--results', results!])).code).toBe(0);
  expect(parse(await readFile(results!, 'utf8'))).toMatchObject([{ line: 1, status: 201 }]);
  expect(await names()).toEqual(['Own 1']);
});

it('interrupted, leaves no copy of standard input, and the terminal as it was', async () => {
  const counts = { lines: 1, processed_lines: 0, succeeded_lines: 0, failed_lines: 0 };
  const operation = { id: 'x', status: 'running', ...counts, error: null, finished_at: null };
  const server = createServer(async (request, response) => {
    await buffer(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: operation }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const temporary = await mkdtemp(join(folder, 'temporary-'));
  const line = `echo '{}' | sh -c 'echo PID $$; exec ${process.execPath} src/cli.ts bulk customers create -'`;
  const terminal = inTerminal(line, {
    KONTOR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    KONTOR_TOKEN: 'token',
    TMPDIR: temporary,
  });
  try {
    const [, pid] = await terminal.until(/PID (\d+)/);
    await terminal.until(/0 of 1 lines/);
    expect(await readdir(temporary)).toHaveLength(1);
    process.kill(Number(pid), 'SIGINT');
    expect((await terminal.exited).code).toBe(130);
    expect(await readdir(temporary)).toEqual([]);
    const shown = terminal.out();
    const [hideCursor, showCursor] = ['\u001b[?25l', '\u001b[?25h'];
    expect(shown.lastIndexOf(showCursor)).toBeGreaterThan(shown.lastIndexOf(hideCursor));
  } finally {
    terminal.killGroup('SIGKILL');
    server.close();
  }
});

it('reads standard input', async () => {
  const { code, out } = await run(['customers', 'create', '-'], { input: lines('Piped', 500) });
  expect([code, parse(out).length]).toEqual([0, 500]);
  expect(await names()).toHaveLength(500);
});

it('shows its progress and the lines that failed on a terminal', async () => {
  const line = `${process.execPath} src/cli.ts bulk customers create ${join(folder, 'some.jsonl')}`;
  const terminal = inTerminal(line, { KONTOR_URL: service.url, KONTOR_TOKEN: acme.token });
  expect((await terminal.exited).code).toBe(5);
  const shown = terminal.out();
  expect(shown).toMatch(/\d+% sent/);
  expect(shown).toMatch(/\d of 4 lines/);
  expect(shown).toMatch(/line 4: company_name: Required\./);
  expect(shown).toMatch(/line 5: body: .+/);
  expect(shown).not.toContain('"status"');
});

it('sends the file again when the connection breaks, and creates nothing twice', async () => {
  const proxy = await startCuttingProxy(service.url);
  const { code, out } = await run(['customers', 'create', join(folder, 'good.jsonl')], { url: proxy.url });
  await proxy.close();
  expect([code, parse(out).map(({ line }) => line)]).toEqual([0, [1, 2, 3]]);
  expect(await names()).toEqual(['Good 1', 'Good 2', 'Good 3']);
  expect(await acme.db.bulkOperation.count()).toBe(1);
});

it('does the same once in two runs with one key', async () => {
  const twice = [];
  for (let at = 0; at < 2; at += 1)
    twice.push(await run(['customers', 'create', join(folder, 'good.jsonl'), '--idempotency-key', 'a file of ours']));
  expect(twice[0]).toEqual(twice[1]);
  expect(await names()).toHaveLength(3);
});

it('says why it refuses', async () => {
  const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['customers:read'] });
  const good = join(folder, 'good.jsonl');
  const refusals = await Promise.all([
    run(['customers', 'create', join(folder, 'none.jsonl')]),
    run(['customers', 'destroy', good]),
    run(['invoices', 'upsert', good]),
    run(['customers', 'create', good, '--token', token]),
  ]);
  expect(refusals.map(({ code, err }) => [code, err.split('\n')[0]])).toEqual([
    [2, expect.stringContaining('There is no file')],
    [2, expect.stringContaining("'destroy' is invalid")],
    [5, expect.any(String)],
    [3, expect.any(String)],
  ]);
  expect(await names()).toEqual([]);
});
