import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataFolder, freePort, npm, type Run } from './npm.ts';

// In a copy of what the service consists of, as files are changed. All tests use one run, which the last one ends.

const root = fileURLToPath(new URL('../..', import.meta.url));
const needed = ['package.json', 'tsconfig.json', 'src', 'schema', 'rest-shim', 'prisma'];

let copy: Awaited<ReturnType<typeof dataFolder>>;
let data: Awaited<ReturnType<typeof dataFolder>>;
let port: string;
let run: Run;

beforeAll(async () => {
  copy = await dataFolder();
  data = await dataFolder();
  port = await freePort();
  for (const name of needed) await cp(join(root, name), join(copy.path, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy.path, 'node_modules'));
  run = npm(['run', '-s', 'dev'], { DATA_DIR: data.path, PORT: port, LOG_SQL: '1' }, undefined, copy.path);
  await run.until(/Ctrl-C stops everything/);
});

afterAll(async () => {
  run.killGroup('SIGINT');
  await run.exited;
  await copy.remove();
  await data.remove();
});

async function edit(path: string, from: string, to: string): Promise<void> {
  const file = join(copy.path, path);
  const text = await readFile(file, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

const text = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return `${answer.status} ${await answer.text()}`;
};

/** The updates that Vite sends to an open page. */
async function listen(): Promise<{ updates: () => string[] }> {
  const [, token = ''] = /wsToken = "([^"]+)"/.exec(await text('/@vite/client')) ?? [];
  const socket = new WebSocket(`ws://127.0.0.1:${port}/?token=${token}`, 'vite-hmr');
  const paths: string[] = [];
  socket.addEventListener('message', ({ data: message }) => {
    const { updates = [] } = JSON.parse(String(message)) as { updates?: { path: string }[] };
    paths.push(...updates.map(({ path }) => path));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  return { updates: () => paths };
}

it('npm run dev restarts the server and reloads the dashboard, on one address, when files change', async () => {
  expect(run.out()).toContain(`Kontor, for development: http://127.0.0.1:${port}/`);

  // All of it is at one address: a page, the API with the demo tenant, and guides.
  expect(await text('/customers', { accept: 'text/html' })).toContain('src="/main.tsx');
  const [, token = ''] = /API token +(\S+)/.exec(await readFile(join(data.path, 'demo-login'), 'utf8')) ?? [];
  const authorization = `Bearer ${token}`;
  const invoices = await text('/api/v1/invoices?status=issued', { authorization });
  expect(invoices).toMatch(/^200 \{"data":\[\{/);
  const [, id] = /"id":"([^"]+)/.exec(invoices) ?? [];
  expect(await text(`/api/v1/invoices/${id}/pdf`, { authorization })).toMatch(/^200 %PDF/);
  expect(await text('/docs/quick-start')).toContain('<h1');

  // The log is for people, and has statements with their values.
  await run.until(/\[\d\d:\d\d:\d\d\] INFO: request GET \/api\/v1\/invoices 200 in [\d.]+ ms/);
  await expect.poll(run.err).toMatch(/INFO: SQL .* from "public"\."invoices".*"values":\[/);
  // Each line is whole, also beside those that write a file.
  await expect.poll(run.err).toMatch(/insert into "public"\."invoice_files" .*<\d+ bytes>/);
  expect(`${run.out()}${run.err()}`).not.toContain('{"level":');

  const page = await listen();
  for (const module of ['/main.tsx', '/app.tsx', '/layout/not-found.tsx']) expect(await text(module)).toMatch(/^200 /);
  await edit('src/dashboard/layout/not-found.tsx', "title={t('Page not found')}", 'title="Edited: "');
  await expect.poll(page.updates).toContain('/layout/not-found.tsx');
  expect(await text('/layout/not-found.tsx')).toContain('Edited: ');

  await edit('src/server/server.ts', "{ status: 'ok' }", "{ status: 'changed' }");
  await expect.poll(() => text('/health/live')).toBe('200 {"status":"changed"}');

  // A mistake doesn't end it.
  await edit('src/server/server.ts', "{ status: 'changed' }", '{ status: }');
  await expect.poll(run.err).toContain('The server has failed');
  await edit('src/server/server.ts', '{ status: }', "{ status: 'mended' }");
  await expect.poll(() => text('/health/live')).toBe('200 {"status":"mended"}');
});

it('a port in use is reported in one line', async () => {
  const second = npm(['run', '-s', 'dev'], { DATA_DIR: data.path, PORT: port }, undefined, copy.path);
  expect(await second.exited).toMatchObject({ code: 1 });
  expect(second.err()).toBe(`Port ${port} is already in use\n`);
});

it('Ctrl-C stops all processes', async () => {
  run.killGroup('SIGINT');
  await run.exited;
  await expect(text('/health/live')).rejects.toThrow('fetch failed');
  expect(run.out()).toContain('Stopped.');
});
