import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { noPooler, startPooler } from '../pooler/pgbouncer.ts';
import { until } from '../webhooks/receiver.ts';
import { fillDisk, mountSmallDisk } from './database-faults.ts';
import { noNginx, startNginx } from './nginx.ts';
import { startOwnPostgres, type OwnPostgres } from './postgres.ts';
import { kontor, type Kontor } from './processes.ts';
import { startReaders, sum, type Readers } from './readers.ts';
import { makeToken } from './test-system.ts';

// Responses to callers while the database restarts or can't be written to, and while processes are killed.

async function start(): Promise<{ postgres: OwnPostgres; token: string }> {
  const postgres = await startOwnPostgres();
  onTestFinished(postgres.remove);
  await migrate(postgres.url);
  return { postgres, token: await makeToken(postgres.url) };
}

async function serve(databaseUrl: string, settings: Record<string, string> = {}) {
  const process = await kontor('serve', databaseUrl, { LOG_LEVEL: 'warn', ...settings });
  await process.start();
  onTestFinished(process.kill);
  return process;
}

function read(url: string, token: string): Readers {
  const readers = startReaders(url, token);
  onTestFinished(readers.stop);
  return readers;
}

/** Waits until so many more reads were answered, of each client several. */
async function untilMore({ answered }: Readers, count = 30): Promise<void> {
  const before = sum(answered.reads);
  await until(() => sum(answered.reads) >= before + count, 'reads to be answered');
}

const times = 3;

async function restartUnderLoad(postgres: OwnPostgres, { url, faults }: Kontor, token: string): Promise<void> {
  const readers = read(url, token);
  for (let restart = 0; restart < times; restart += 1) {
    await untilMore(readers);
    await postgres.stopImmediately();
    await postgres.start();
  }
  await untilMore(readers);
  await readers.stop();
  const { reads, writes, wrong } = readers.answered;
  expect({ wrong, faults: wrong.length > 0 ? faults() : [] }).toEqual({ wrong: [], faults: [] });
  expect(Object.keys(reads).filter((status) => status !== '200' && status !== '503')).toEqual([]);
  expect(reads['200']).toBeGreaterThan(0);
  expect(Object.keys(writes).filter((status) => status !== '201' && status !== '503')).toEqual([]);
  expect(writes['201']).toBeGreaterThan(0);
}

describe('while PostgreSQL restarts, reads are answered, and writes are done or get 503', { timeout: 240_000 }, () => {
  it('directly', async () => {
    const { postgres, token } = await start();
    const process = await serve(postgres.url, { RATE_LIMIT_PER_MINUTE: '100000' });
    await restartUnderLoad(postgres, process, token);
  });

  it.skipIf(noPooler)('through pgbouncer, by the example for operators', async () => {
    const { postgres, token } = await start();
    const pooler = await startPooler(postgres.url, 20);
    onTestFinished(pooler.close);
    const process = await serve(pooler.through(postgres.url), { DATABASE_DIRECT_URL: postgres.url });
    await restartUnderLoad(postgres, process, token);
  });
});

it.skipIf(noNginx)(
  'behind nginx, by the example for operators, a killed process costs only its own writes, and the log keeps no secret',
  { timeout: 240_000 },
  async () => {
    const { postgres, token } = await start();
    const processes = [await serve(postgres.url), await serve(postgres.url)];
    const nginx = await startNginx(processes.map(({ url }) => url));
    onTestFinished(nginx.close);
    const readers = read(nginx.url, token);
    for (let killed = 0; killed < 4; killed += 1) {
      await untilMore(readers);
      const victim = processes[killed % 2]!;
      await victim.kill();
      await untilMore(readers);
      await victim.start();
    }
    await readers.stop();
    const { reads, writes } = readers.answered;
    // nginx answers for it, as Kontor would. A GraphQL query is a POST, which nginx doesn't repeat: one for each client and kill may be lost.
    const { 200: answered = 0, ...lost } = reads;
    expect(Object.keys(lost).filter((status) => status !== '503')).toEqual([]);
    expect(sum(lost) + (writes['503'] ?? 0)).toBeLessThanOrEqual(4 * 3);
    expect(answered).toBeGreaterThan(100);

    const secrets = [
      '/invitation/s3cret',
      '/%69nvitation/s3cret',
      '//INVITATION/s3cret?x=/invitation/y',
      '/api/auth/invitation/s3cret/invitation/accept',
    ];
    const paths = [...secrets, '/sign-in?to=/invitation/s3cret', '/sign-in?to=%2Finvitation%2Fs3cret'];
    for (const path of paths) await fetch(nginx.url + path, { headers: { referer: `${nginx.url}/invitation/s3cret` } });
    const log = await nginx.readLog();
    expect(log).toContain('"POST /graphql" 200');
    expect(log.match(/"GET .*\/invitation\/\.\.\."/gi)).toHaveLength(secrets.length);
    expect(log.match(/"GET \/sign-in" /g)).toHaveLength(2);
    expect(log).not.toContain('s3cret');
  },
);

it('with a full disk, reads are answered, and writes get 503', { timeout: 240_000 }, async (context) => {
  const disk = await mountSmallDisk(64);
  if (!disk) return context.skip('a small file system can be mounted by root only');
  onTestFinished(disk.remove);
  const { postgres, token } = await start();
  // The log stays on the large disk: without room for it, PostgreSQL ends itself.
  await postgres.own(disk.folder);
  await postgres.query(`create tablespace small location '${disk.folder}'`);
  const { url } = await serve(postgres.url, { RATE_LIMIT_PER_MINUTE: '100000', RATE_LIMIT_STORE: 'postgres' });
  for (const table of ['rate_limits', 'customers', 'events', 'changes'])
    await postgres.query(`alter table ${table} set tablespace small`);
  const empty = await fillDisk(disk.folder);
  const readers = read(url, token);
  await until(() => (readers.answered.writes['503'] ?? 0) > 10, 'writes to fail');
  await untilMore(readers, 100);
  await readers.stop();
  expect(readers.answered.wrong).toEqual([]);
  expect(Object.keys(readers.answered.reads)).toContain('200');
  expect(Object.keys(readers.answered.reads).filter((status) => status !== '200' && status !== '503')).toEqual([]);
  await empty();
  const after = read(url, token);
  await until(() => (after.answered.writes['201'] ?? 0) > 0, 'writes to be done again');
});
