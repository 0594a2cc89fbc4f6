import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, createEmptyDatabase, type Database } from '../harness.ts';
import { kontor as kontorInHost } from './command-lines.ts';
import { freePort, kontor, npm, startKontor, type Run } from './npm.ts';

const secret = 'not-a-secret-but-long-enough-for-one';

describe('with DATABASE_URL', () => {
  let database: Database;
  let env: Record<string, string>;
  const runs: Run[] = [];

  beforeAll(async () => {
    database = await createEmptyDatabase();
    env = { DATABASE_URL: database.url, KONTOR_SECRET: secret, PORT: '0' };
  });
  afterAll(async () => {
    for (const run of runs) {
      run.killGroup('SIGINT');
      await run.exited;
    }
    await database.drop();
  });

  const serve = async (): Promise<string> => {
    const run = npm(['run', '-s', 'kontor', '--', 'serve'], env);
    runs.push(run);
    return (await run.until(/answers at (\S+)/))[1] ?? '';
  };

  const newToken = async (): Promise<string> => {
    const tenant = JSON.parse((await kontorInHost(['tenant', 'create', '--name', 'Acme', '--json'], env)).out) as {
      id: string;
    };
    await kontorInHost(['user', 'create', '--email', `${tenant.id}@example.com`, '--tenant', tenant.id], env);
    const made = JSON.parse((await kontorInHost(['token', 'create', '--tenant', tenant.id, '--json'], env)).out) as {
      token: string;
    };
    return made.token;
  };

  it('/health/ready answers 503 until migrations are applied; /health/live always answers 200', async () => {
    const url = await serve();
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    const before = await fetch(`${url}/health/ready`);
    expect(before.status).toBe(503);
    expect(await before.json()).toMatchObject({ message: expect.stringContaining('Migrations are missing') });

    expect(await kontor(['tenant', 'list'], env)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^kontor: .*migrate\n$/),
    });
    expect(await kontor(['migrate'], env)).toMatchObject({ code: 0 });
    const after = await fetch(`${url}/health/ready`);
    expect([after.status, await after.json()]).toEqual([200, { status: 'ready' }]);
  });

  it.each(['serve', 'work'])('%s refuses a database that does not write dates in ISO 8601', async (command) => {
    const german = await createDatabase();
    const operator = new Client({ connectionString: german.url });
    await operator.connect();
    await operator.query(`alter database ${operator.database} set datestyle = 'German'`);
    await operator.end();
    expect(await kontor([command], { ...env, DATABASE_URL: german.url })).toMatchObject({
      code: 1,
      err: `kontor: The database writes dates as German, DMY. Set datestyle = 'ISO, YMD' in its configuration.\n`,
    });
    await german.drop();
  });

  it('a worker answers probes at HEALTH_PORT, as the image asks them, until its database is gone', async () => {
    const own = await createDatabase();
    const settings = { ...env, DATABASE_URL: own.url };
    const run = npm(['run', '-s', 'kontor', '--', 'work'], { ...settings, HEALTH_PORT: '0' });
    runs.push(run);
    const [, url = ''] = await run.until(/Health is at (\S+)/);
    const checkImage = (HEALTH_PORT: string): number | null => {
      const PORT = '1'; // nothing serves HTTP
      return spawnSync(process.execPath, ['docker/healthcheck.ts'], { env: { ...process.env, PORT, HEALTH_PORT } })
        .status;
    };
    const ask = async (path: string) => {
      const answer = await fetch(new URL(path, url));
      return { status: answer.status, body: await answer.text() };
    };
    expect(await ask('/health/live')).toEqual({ status: 200, body: '{"status":"ok"}' });
    expect(await ask('/health/ready')).toEqual({ status: 200, body: '{"status":"ready"}' });
    expect(await ask('/metrics')).toEqual({ status: 404, body: '' });
    expect([checkImage(new URL(url).port), checkImage('')]).toEqual([0, 1]);

    await own.drop();
    await expect.poll(() => ask('/health/ready')).toMatchObject({ status: 503 });
    expect(checkImage(new URL(url).port)).toBe(1);
    expect((await ask('/health/live')).status).toBe(200);
  });

  // graphile-worker waits for minutes to try a statement again, after the database was away.
  it.each([
    ['serve', {}],
    ['serve', { WEB_CONCURRENCY: '2' }],
    ['work', {}],
  ])('%s ends with its parts, whatever still waits: %j', async (command, settings) => {
    const NODE_OPTIONS = '--import=data:text/javascript,setInterval(()=>{},1000)';
    const run = startKontor([command], { ...env, ...settings, NODE_OPTIONS });
    runs.push(run);
    await run.until(/answers at|works on the queue/);
    run.child.kill('SIGTERM');
    expect(await run.exited).toEqual({ code: 0, signal: null });
    expect(run.out()).toMatch(/Stopped\.\n$/);
  });

  it('start never creates demo data', async () => {
    const run = npm(['start'], env);
    runs.push(run);
    await run.until(/Ctrl-C stops everything/);
    expect(run.out()).not.toContain('Password');
    expect(JSON.parse((await kontorInHost(['tenant', 'list', '--json'], env)).out)).toEqual([]);
  });

  it('all processes on one database share the rate limit: exactly 60 of 200 concurrent requests are admitted', async () => {
    const token = await newToken();
    const urls = await Promise.all([serve(), serve()]);
    const addresses = urls.flatMap((url) => [`${url}/api/v1/me`, `${url}/graphql?query={me{user{id}}}`]);
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_each, index) => {
        const answer = await fetch(addresses[index % addresses.length] ?? '', {
          headers: { authorization: `Bearer ${token}` },
        });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(140);
  });

  it('a graceful shutdown ends subscriptions at once and finishes requests in flight', async () => {
    const headers = { authorization: `Bearer ${await newToken()}`, 'content-type': 'application/json' };
    const address = new URL('/graphql', await serve());
    const subscribing = request(address, { method: 'POST', headers: { ...headers, accept: 'text/event-stream' } });
    subscribing.end(JSON.stringify({ query: 'subscription { deliveryChanged { id } }' }));
    const [stream] = (await once(subscribing, 'response')) as [IncomingMessage];
    await once(stream, 'data');

    const body = JSON.stringify({ query: '{ me { tenant { name } } }' });
    const inFlight = request(address, {
      method: 'POST',
      headers: { ...headers, 'content-length': body.length, expect: '100-continue' },
    });
    inFlight.write(body.slice(0, 10));
    await once(inFlight, 'continue'); // the server has it
    const run = runs.at(-1)!;
    run.killGroup('SIGINT');
    await new Promise((resolve) =>
      stream
        .on('error', () => {})
        .once('close', resolve)
        .resume(),
    );
    inFlight.end(body.slice(10));
    const [answer] = (await once(inFlight, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.resume();
    await run.exited;
    expect(run.out()).toContain('Stopped.');
  });
});

// Together, because one waits ten seconds for its port.
describe.concurrent('an invalid setting stops the start with one line', () => {
  it.each([
    [{ PORT: 'http' }, 'PORT'],
    [{ RATE_LIMIT_PER_MINUTE: '-1' }, 'RATE_LIMIT_PER_MINUTE'],
    [{ RATE_LIMIT_STORE: 'redis' }, 'RATE_LIMIT_STORE'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ CORS_ORIGINS: '*' }, 'CORS_ORIGINS'],
    [{ WEBHOOK_ALLOW_INSECURE: 'yes' }, 'WEBHOOK_ALLOW_INSECURE'],
    [{ WEBHOOK_RETRY_DELAYS: '1,x' }, 'WEBHOOK_RETRY_DELAYS'],
    [{ DATABASE_URL: 'mysql://localhost' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://localhost/kontor' }, 'KONTOR_SECRET'],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/kontor', KONTOR_SECRET: secret }, '127.0.0.1:1'],
  ])('%o', async (env, named) => {
    const { code, out, err } = await kontor(['start'], env as Record<string, string>);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^kontor: [^\n]+\n$/);
    expect(err).toContain(named);
  });

  describe('with a database that was used', () => {
    let database: Database;
    let env: Record<string, string>;
    let first: Run;
    beforeAll(async () => {
      database = await createDatabase();
      env = { DATABASE_URL: database.url, KONTOR_SECRET: secret, PORT: await freePort() };
      first = npm(['run', '-s', 'start'], env);
      await first.until(/Ctrl-C stops everything/);
    });
    afterAll(async () => {
      first.killGroup('SIGINT');
      await first.exited;
      await database.drop();
    });

    it.each(['start', 'work'])('another KONTOR_SECRET than the database was used with: %s', async (command) => {
      const second = await kontor([command], { ...env, KONTOR_SECRET: `${secret}, but another` });
      expect(second.code).toBe(1);
      expect(second.err).toMatch(/^kontor: KONTOR_SECRET is not the one that this database was used with: [^\n]+\n$/);
    });

    it('a port in use', async () => {
      const second = await kontor(['start'], env);
      expect(second.code).toBe(1);
      expect(second.err).toMatch(new RegExp(`^kontor: Port ${env['PORT']} on 127.0.0.1 is in use[^\n]*\n$`));
    });
  });
});
