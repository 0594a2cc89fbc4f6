import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstLogin } from '../first-login.ts';
import { dataFolder, freePort, kontor, npm, type Run } from './npm.ts';

// One start in three processes beside the first: two that serve, one that works on the queue.

let run: Run;
let data: Awaited<ReturnType<typeof dataFolder>>;
let env: Record<string, string>;
let url: string;
let token: string;
let metricsUrl: string;

beforeAll(async () => {
  data = await dataFolder();
  env = { DATA_DIR: data.path, PORT: '0', WEB_CONCURRENCY: '2', METRICS_PORT: '0', DATABASE_URL: '' };
  run = npm(['start'], env);
  await run.until(/Ctrl-C stops everything/, 80_000); // four processes one after the other, and a database
  ({ token, url } = firstLogin(run.out())!);
  metricsUrl = (await run.until(/Metrics are at (\S+)/))[1] ?? '';
});
afterAll(async () => {
  run.killGroup('SIGKILL');
  await data.remove();
});

const parentOf = (pid: string): string =>
  /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8').toString())?.[1] ?? '';

/** The processes whose parent is the one that this test started, through npm, by what each is for. */
function children(): { pid: number; role: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, role] = /KONTOR_PROCESS=(\w+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? [];
        const mine = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${data.path}\0`);
        return role && mine && parentOf(pid) !== '1' ? [{ pid: Number(pid), role }] : [];
      } catch {
        return []; // gone meanwhile
      }
    });
}

const roles = (): string[] =>
  children()
    .map(({ role }) => role)
    .toSorted();

const ask = (path = '/api/v1/me', bearer = token, patienceMs = 60_000): Promise<Response> =>
  fetch(url + path, {
    headers: { authorization: `Bearer ${bearer}` },
    signal: AbortSignal.timeout(patienceMs),
  });

/** The status of an answer on a connection of its own; undefined without an answer. */
const statusAlone = (): Promise<number | undefined> =>
  new Promise((resolve) => {
    request(`${url}/health/live`, { agent: false, timeout: 120_000 }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('timeout', function (this: ClientRequest) {
        this.destroy();
      })
      .on('error', () => resolve(undefined))
      .end();
  });

async function valueOf(series: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

async function newToken(...options: string[]): Promise<{ id: string; token: string }> {
  const [tenant] = JSON.parse((await kontor(['tenant', 'list', '--json'], env)).out) as { id: string }[];
  return JSON.parse((await kontor(['token', 'create', '--tenant', tenant?.id ?? '', '--json', ...options], env)).out);
}

it('two processes serve, and one works on the queue', async () => {
  expect(roles()).toEqual(['serve', 'serve', 'work']);
  expect((await ask('/health/ready')).status).toBe(200);
});

it('limits are exact across processes, and metrics are aggregated', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask('/api/v1/me')));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(60);
  expect(statuses.filter((status) => status === 429)).toHaveLength(140);
  expect(await valueOf('kontor_rate_limit_total{outcome="admitted"}')).toBe(60);
  expect(await valueOf('kontor_rate_limit_total{outcome="refused"}')).toBe(140);
  expect(await valueOf('kontor_workers')).toBe(1);
});

it('a token’s own limit is exact across processes, and changed on the command line', async () => {
  const { id, token: own } = await newToken('--requests-per-minute', '90');
  const askMany = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask('/api/v1/me', own)));
    return answers.filter(({ status }) => status === 200).length;
  };
  expect(await askMany(150)).toBe(90);
  expect(await kontor(['token', 'limit', id, '100'], env)).toMatchObject({
    code: 0,
    out: `Token ${id} has 100 requests a minute.\n`,
  });
  expect(await askMany(30)).toBe(10);
  const refused = { err: `kontor: A token's limit must be a whole number from 1 to 600, not "601"\n` };
  expect(await kontor(['token', 'limit', id, '601'], env)).toMatchObject(refused);
  expect(await kontor(['token', 'limit', id, 'default'], env)).toMatchObject({ code: 0 });
  expect((await ask('/api/v1/me', own)).headers.get('x-ratelimit-limit')).toBe('60');
});

it('no process accepts a token whose revocation is acknowledged', async () => {
  const made = await newToken();
  const askAll = () =>
    Promise.all(Array.from({ length: 20 }, async () => (await ask('/api/v1/me', made.token)).status));
  expect(new Set(await askAll())).toEqual(new Set([200]));
  expect(await kontor(['token', 'revoke', made.id], env)).toMatchObject({ code: 0 });
  expect(new Set(await askAll())).toEqual(new Set([401]));
});

it('a process that is told to stop is replaced, which is no error', async () => {
  const logged = run.out().length;
  const victim = children().find(({ role }) => role === 'work');
  process.kill(victim?.pid ?? 0, 'SIGTERM');
  const lines = (): string[] => run.out().slice(logged).split('\n');
  await expect
    .poll(() => lines().filter((line) => line.includes('a process was stopped: another is started')))
    .toHaveLength(1);
  await expect.poll(roles).toEqual(['serve', 'serve', 'work']);
  expect(lines().filter((line) => line.includes('"level":50'))).toEqual([]);
});

it.each(['serve', 'work'])('a killed process is replaced: %s', async (role) => {
  const before = await valueOf('kontor_process_restarts_total');
  const victim = children().find((each) => each.role === role);
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  await expect.poll(() => children().some(({ pid }) => pid === victim?.pid)).toBe(false);
  await expect.poll(roles).toEqual(['serve', 'serve', 'work']);
  expect(await valueOf('kontor_process_restarts_total')).toBe(before + 1);
  expect((await ask('/health/ready')).status).toBe(200);
});

it('requests are answered while a process takes no connections, and once it has died', async () => {
  const victim = children().find(({ role }) => role === 'serve');
  process.kill(victim!.pid, 'SIGSTOP');
  const askEight = () => Promise.all(Array.from({ length: 8 }, statusAlone));
  expect(await askEight()).toEqual(Array<number>(8).fill(200));
  const statuses = askEight();
  process.kill(victim!.pid, 'SIGKILL');
  expect(await statuses).toEqual(Array<number>(8).fill(200));
  await expect.poll(roles, { timeout: 60_000 }).toEqual(['serve', 'serve', 'work']);
}, 180_000);

it('at a graceful shutdown, processes finish requests in flight and stop the database last', async () => {
  const { token: fresh } = await newToken();
  const headers = { authorization: `Bearer ${fresh}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ customers(first: 1) { totalCount } }' });
  const inFlight = request(new URL('/graphql', url), {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length, expect: '100-continue' },
  });
  inFlight.write(body.slice(0, 10));
  await once(inFlight, 'continue'); // a server has it
  const pids = new Set(children().map(({ pid }) => pid));
  const logged = run.out().length;
  run.killGroup('SIGTERM'); // all processes at once, as Ctrl-C does
  // The port takes a connection until the last process has closed it, and then nobody answers.
  const live = async () => (await ask('/health/live', token, 1000).catch(() => undefined))?.status;
  await expect.poll(live).toBeUndefined();
  inFlight.end(body.slice(10));
  const [answer] = (await once(inFlight, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.resume();
  await run.exited;
  await run.until(/Stopped\./).catch(() => expect(run.out()).toContain('Stopped.'));
  expect(children().filter(({ pid }) => pids.has(pid))).toEqual([]);
  expect(run.err() + run.out().slice(logged)).not.toContain('"level":50');
});

it('an error at the start of all processes is printed once', async () => {
  const port = await freePort();
  const first = npm(['start'], { ...env, PORT: port, WEB_CONCURRENCY: '1', METRICS_PORT: '' });
  await first.until(/Ctrl-C stops everything/);
  const second = npm(['run', '-s', 'start'], { ...env, PORT: port, METRICS_PORT: '', RATE_LIMIT_STORE: 'postgres' });
  expect(await second.exited).toMatchObject({ code: 1 });
  expect(second.err()).toMatch(/^kontor: [^\n]+\n$/);
  first.killGroup('SIGINT');
  await first.exited;
});
