import { execFile } from 'node:child_process';
import { access, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinEmbeddedPostgres } from '../../src/database/postgres/embedded-postgres.ts';
import { firstLogin } from '../first-login.ts';
import { dataFolder, freePort, inTerminal, kontor, npm, type Run } from './npm.ts';

const shell = promisify(execFile);

let folder: Awaited<ReturnType<typeof dataFolder>>;
let env: Record<string, string>;
const runs: Run[] = [];

async function prepare(): Promise<void> {
  folder = await dataFolder();
  env = { DATA_DIR: folder.path, PORT: await freePort() };
}

async function cleanUp(): Promise<void> {
  for (const run of runs.splice(0)) {
    run.killGroup('SIGINT');
    await run.exited;
  }
  // The last to leave stops the database, whatever became of those before.
  if (await databaseRuns()) await kontor(['tenant', 'list'], env);
  await folder.remove();
}

function start(): Run {
  const run = npm(['start'], env);
  runs.push(run);
  return run;
}

async function startAndWait(): Promise<Run> {
  const run = start();
  await run.until(/Ctrl-C stops everything/);
  return run;
}

const pasted = async (run: Run): Promise<string> => {
  const [, line = ''] = await run.until(/^ *(curl .*)$/m);
  return (await shell('sh', ['-c', line])).stdout;
};

const databaseRuns = (): Promise<boolean> =>
  access(join(folder.path, 'postgres', 'cluster', 'postmaster.pid')).then(
    () => true,
    () => false,
  );

interface Books {
  /** The ids of all tenants, the demo tenant's first. */
  tenants: string[];
  users: number;
  invoices: number;
}

async function readBooks(): Promise<Books> {
  const postgres = await joinEmbeddedPostgres(folder.path);
  const client = new Client({ connectionString: postgres.superuserUrl });
  try {
    await client.connect();
    const { rows } = await client.query<Books>(
      `select array(select id::text from tenants order by id) as tenants, (select count(*)::int from users) as users,
         (select count(*)::int from invoices) as invoices`,
    );
    return rows[0]!;
  } finally {
    await client.end();
    await postgres.leave();
  }
}

/**
 * Starts it, and ends it by a signal once the demo tenant's books are as wanted.
 * @returns the tenants
 */
async function interruptFilling(signal: NodeJS.Signals, isWanted: (books: Books) => boolean): Promise<string[]> {
  const run = start();
  await expect.poll(() => run.err(), { timeout: 60_000 }).toContain("Filling the demo tenant's books");
  let books: Books | undefined;
  await vi.waitUntil(async () => isWanted((books = await readBooks())), { timeout: 60_000, interval: 5 });
  run.killGroup(signal);
  await run.exited;
  expect(run.out()).not.toContain('Kontor is running');
  return books?.tenants ?? [];
}

// Filling the demo tenants' books takes longest, so these share them. The last two stop it, and start it again.
describe('npm start on an empty database', () => {
  let run: Run;
  let login: NonNullable<ReturnType<typeof firstLogin>>;
  beforeAll(async () => {
    await prepare();
    run = await startAndWait();
    login = firstLogin(run.out())!;
  });
  afterAll(cleanUp);

  it('creates a demo tenant on an empty database, and prints a curl command that works', async () => {
    const invoices = JSON.parse(await pasted(run)) as { data: { status: string }[]; meta: { total: number } };
    expect(invoices.meta.total).toBeGreaterThan(0);
    expect(new Set(invoices.data.map(({ status }) => status))).toEqual(new Set(['issued']));
    const { email, password } = login;
    const post = (path: string, body: object, cookie = ''): Promise<Response> =>
      fetch(`http://127.0.0.1:${env['PORT']}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      });
    const { headers } = await post('/api/auth/sign-in/email', { email, password });
    const [cookie = ''] = headers.getSetCookie();
    const answer = await post('/graphql', { query: '{ me { tenants { name } } }' }, cookie.split(';', 1)[0]);
    const { data } = (await answer.json()) as { data: { me: { tenants: object[] } } };
    expect(data.me.tenants, 'one to switch to').toHaveLength(2);
  });

  it('writes secrets of the first start to a file for its user alone where the output is redirected', async () => {
    const { file, email, password, token } = login;
    expect(file).toBe(join(folder.path, 'demo-login'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect({ email, password, token }).toEqual({
      email: expect.stringMatching(/@/),
      password: expect.stringMatching(/^\S{12,}$/),
      token: expect.stringMatching(/^kontor_\w{46}$/),
    });
    expect(run.out()).toContain(email);
    for (const secret of [password, token]) expect(run.out() + run.err()).not.toContain(secret);
  });

  it('accepts a token that the command line creates meanwhile, and rejects it once revoked', async () => {
    const [, address = ''] = await run.until(/REST +(\S+)/);
    const [tenant] = JSON.parse((await kontor(['tenant', 'list', '--json'], env)).out) as { id: string }[];
    const made = await kontor(['token', 'create', '--tenant', tenant?.id ?? '', '--json'], env);
    const { id, token } = JSON.parse(made.out) as { id: string; token: string };
    const ask = async (): Promise<number> =>
      (await fetch(`${address}/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask()).toBe(200);
    expect(await kontor(['token', 'revoke', id], env)).toMatchObject({ code: 0 });
    expect(await ask()).toBe(401);
    expect(run.out()).not.toContain(token);
  });

  it('passes npm run demo', async () => {
    const demo = npm(['run', '-s', 'demo'], env);
    expect(await demo.exited).toMatchObject({ code: 0 });
    expect(demo.err()).not.toContain('demo:');
    expect(demo.out()).toContain('verified by the standardwebhooks package');
    expect(demo.out()).toContain('All as expected.');
  });

  it('logs one line per request, with its id and without its token', async () => {
    const { token } = login;
    const [, address = ''] = await run.until(/REST +(\S+)/);
    const answer = await fetch(`${address}/customers?q=secret`, { headers: { authorization: `Bearer ${token}` } });
    await answer.text();
    const id = answer.headers.get('x-request-id') ?? '';
    await run.until(new RegExp(`"requestId":"${id}"`));
    const lines = run
      .out()
      .split('\n')
      .filter((line) => line.includes(id));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      method: 'GET',
      path: '/api/v1/customers',
      status: 200,
      requestId: id,
    });
    const logged = run
      .out()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .join('\n');
    expect(logged).not.toContain(token);
    expect(logged).not.toContain('secret');
  });
  it('after kill -9 of the whole group, or of the parent alone, the next start works and nothing committed is lost', async () => {
    const { token, url } = login;
    const address = `${url}/api/v1`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const kills = {
      'The whole group': () => run.killGroup('SIGKILL'),
      'The parent alone': () => process.kill(run.pid, 'SIGKILL'),
    };
    for (const [name, kill] of Object.entries(kills)) {
      const body = JSON.stringify({ type: 'customer', company_name: name });
      const created = await fetch(`${address}/customers`, { method: 'POST', headers, body });
      expect(created.status).toBe(201);
      kill();
      await run.exited;
      run = await startAndWait();
      const found = await fetch(`${address}/customers?q=${encodeURIComponent(name)}`, { headers });
      expect(((await found.json()) as { meta: object }).meta).toMatchObject({ total: 1 });
    }
  });

  it('stops everything at Ctrl-C, and shows no token at the next start', async () => {
    run.killGroup('SIGINT');
    await run.exited; // by the signal, as npm and the shell see it; what counts is that ours had its end
    expect(run.out().trimEnd().split('\n').at(-1)).toBe('Stopped.');
    expect(run.err()).not.toContain('kontor:');
    expect(await databaseRuns()).toBe(false);

    run = await startAndWait();
    expect(run.out()).not.toContain('API token  ');
    expect(firstLogin(run.out())).toBeUndefined();
  });
});

describe('npm start', () => {
  beforeEach(prepare);
  afterEach(cleanUp);

  it('shows secrets on a terminal, and writes no file', async () => {
    const run = inTerminal('npm start', env);
    runs.push(run);
    await run.until(/Ctrl-C stops everything/);
    expect(run.out()).toMatch(/Password +\S{12,}\s+API token +kontor_\w{46}/);
    expect(run.out()).toMatch(/curl -s -H 'Authorization: Bearer kontor_\w{46}' 'http/);
    expect(await readdir(folder.path)).not.toContain('demo-login');
  });

  it("begins anew with the demo tenant's books if starts were interrupted while they filled them", async () => {
    const before: string[] = [];
    for (const signal of ['SIGKILL', 'SIGINT'] as const)
      before.push(
        ...(await interruptFilling(signal, (books) => books.invoices > 0 && !before.includes(books.tenants[0]!))),
      );
    expect(before).toHaveLength(4);

    const run = await startAndWait();
    const invoices = JSON.parse(await pasted(run)) as { meta: { total: number } };
    expect(invoices.meta.total).toBeGreaterThan(0);
    const after = await readBooks();
    expect(after.tenants).toHaveLength(2);
    expect(before).not.toEqual(expect.arrayContaining(after.tenants));
    expect(after.users).toBe(1);
    expect(await readdir(folder.path)).not.toContain('demo-unfinished');
  });

  it('deletes no unfinished demo tenant that a program was let into', async () => {
    const [tenant = ''] = await interruptFilling('SIGKILL', ({ users }) => users > 0);
    expect(await kontor(['token', 'create', '--tenant', tenant], env)).toMatchObject({ code: 0 });
    const before = await readBooks();
    const run = await startAndWait();
    expect(firstLogin(run.out())).toBeUndefined();
    expect(await readBooks()).toEqual(before);
    expect(await readdir(folder.path)).not.toContain('demo-unfinished');
  });

  it('runs twice side by side with different DATA_DIR and PORT', async () => {
    const other = await dataFolder();
    const here = start();
    const there = npm(['start'], { DATA_DIR: other.path, PORT: await freePort() });
    try {
      const [ours, theirs] = await Promise.all([pasted(here), pasted(there)]);
      expect(JSON.parse(ours)).not.toEqual(JSON.parse(theirs));
    } finally {
      there.killGroup('SIGINT');
      await there.exited;
      await other.remove();
    }
  });
});
