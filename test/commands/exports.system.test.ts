import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { startCuttingProxy } from '../docs/cutting-proxy.ts';
import { type Integrator, type Service } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { inTerminal } from '../processes/npm.ts';
import { startWithWorker } from '../with-worker.ts';

// The real command line in a process of its own, against a real service by HTTP.

let service: Service;
let folder: string;
let acme: Integrator;
const environment = (url = service.url) => ({ KONTOR_URL: url, KONTOR_TOKEN: acme.token });
const run = (args: string[], url?: string) => kontor(args, environment(url));
const create = (...args: string[]) => run(['create', 'exports', ...args]);

startWithWorker((started) => (service = started));
beforeEach(async () => {
  acme = await service.integrator();
  await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Bäckerei' });
  folder = await mkdtemp(join(tmpdir(), 'kontor-exports-'));
  return () => rm(folder, { recursive: true });
});

it('create exports --out waits for the end, and saves the file', async () => {
  const out = join(folder, 'customers.csv');
  const { code, out: printed, err } = await create('--type', 'list', '--resource', 'customers', '--out', out, '--json');
  const content = await readFile(out, 'utf8');
  expect({ code, err, printed: JSON.parse(printed), content }).toEqual({
    code: 0,
    err: expect.stringMatching(
      new RegExp(`^Export [-\\da-f]{36} has begun\\.\nSaved: .+, ${Buffer.byteLength(content)} bytes\\.\n$`),
    ),
    printed: expect.objectContaining({ status: 'completed', rows: 1, file_name: 'customers.csv' }),
    content: expect.stringContaining('Bäckerei'),
  });
});

it('download exports saves the file of one that has ended, or prints it', async () => {
  const { out: printed } = await create(
    '--type',
    'open_items',
    '--at',
    '2026-01-31',
    '--out',
    join(folder, 'one'),
    '--json',
  );
  const { id } = JSON.parse(printed);
  const second = join(folder, 'two');
  expect(await run(['download', 'exports', id, '--out', second])).toMatchObject({ code: 0, out: '' });
  const content = await readFile(second, 'utf8');
  expect(content).toBe(await readFile(join(folder, 'one'), 'utf8'));
  expect(await run(['download', 'exports', id])).toMatchObject({ code: 0, out: content });
});

it('shows progress on a terminal', async () => {
  const out = join(folder, 'customers.xlsx');
  const args = `create exports --type list --resource customers --format xlsx --out ${out}`;
  const terminal = inTerminal(`${process.execPath} src/cli.ts ${args}`, environment());
  expect((await terminal.exited).code).toBe(0);
  expect(terminal.out()).toMatch(/1 of 1 rows/);
  expect(terminal.out()).toMatch(/status +completed/);
  expect((await readFile(out)).subarray(0, 2).toString()).toBe('PK');
});

it('fails with the reason, and leaves no file', async () => {
  const out = join(folder, 'file');
  expect(await create('--type', 'datev', '--out', out)).toMatchObject({
    code: 5,
    err: expect.stringMatching(/--chart: Required for this type\.\n/),
  });
  const missing = await create('--type', 'list', '--resource', 'invoices', '--out', join(folder, 'missing/file'));
  expect(missing).toMatchObject({ code: 1, err: expect.not.stringContaining('has begun') });
  const { id } = (await acme.rest('POST', '/exports', { type: 'list', resource: 'invoices' })).body.data;
  await acme.rest('POST', `/exports/${id}/cancel`);
  expect(await run(['download', 'exports', id, '--out', out])).toMatchObject({ code: 5 });
  expect(await run(['download', 'exports', crypto.randomUUID(), '--out', out])).toMatchObject({ code: 4 });
  expect(await readdir(folder)).toEqual([]);
});

it('a file that breaks off is none, and one that was there stays', async () => {
  const { out: printed } = await create(
    '--type',
    'list',
    '--resource',
    'customers',
    '--out',
    join(folder, 'whole'),
    '--json',
  );
  const { id } = JSON.parse(printed);
  const proxy = await startCuttingProxy(service.url);
  const out = join(folder, 'second');
  await writeFile(out, 'an earlier one');
  const download = () => run(['download', 'exports', id, '--out', out], proxy.url);
  expect(await download()).toMatchObject({ code: 1, err: expect.stringContaining("can't be reached") });
  expect(await download()).toMatchObject({ code: 1, err: expect.stringContaining('broke off') });
  expect(await readdir(folder)).toEqual(['second', 'whole']);
  expect(await readFile(out, 'utf8')).toBe('an earlier one');
  expect(await download()).toMatchObject({ code: 0 });
  await proxy.close();
  expect(await readFile(out, 'utf8')).toBe(await readFile(join(folder, 'whole'), 'utf8'));
});
