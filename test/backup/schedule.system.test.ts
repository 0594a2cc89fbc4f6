import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openBooks } from '../../prisma/client.ts';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { attachmentKey } from '../../schema/resources/attachment/files.ts';
import { openBackup } from '../../src/backup/restore.ts';
import { joinEmbeddedPostgres, type EmbeddedPostgres } from '../../src/database/postgres/embedded-postgres.ts';
import { backUpIfDue, startBackups, type BackupsOptions } from '../../src/jobs/backups.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { attach, makePdf, sending } from '../attachments/files.ts';
import { mountSmallDisk } from '../faults/database-faults.ts';
import { makeCustomer, makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';

const secret = 'the secret of the tests, long enough';
const passphrase = 'correct horse battery';
const day = 86_400_000;

let dataDir: string;
let postgres: EmbeddedPostgres;
let service: Service;
let acme: Integrator;
let folder: string;
let logged: Record<string, unknown>[];
const folders: string[] = [];

beforeAll(async () => {
  dataDir = await makeFolder();
  postgres = await joinEmbeddedPostgres(dataDir);
  await migrate(postgres.url, undefined, { superuserUrl: postgres.superuserUrl });
  service = await startService({
    database: { url: postgres.url, drop: async () => {} },
    books: openBooks({ connectionString: postgres.booksUrl, max: 4 }),
  });
  acme = await service.integrator();
});
afterAll(async () => {
  await service.close();
  await postgres.leave();
  for (const each of folders) await rm(each, { recursive: true, force: true });
});

async function makeFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'kontor-schedule-'));
  folders.push(made);
  return made;
}

/** Daily backups into a new folder, unless it is named. */
async function schedule(more: { keep?: number; at?: Date; into?: string } = {}): Promise<BackupsOptions> {
  folder = more.into ?? (await makeFolder());
  logged = [];
  return {
    setting: { folder, everyMs: day, keep: more.keep ?? 7, passphrase },
    url: postgres.url,
    booksUrl: postgres.booksUrl,
    superuserUrl: postgres.superuserUrl,
    dataDir,
    readSecret: async () => secret,
    webhooks: service.webhooks,
    files: service.fileStorage,
    log: pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) }),
    now: () => more.at ?? new Date(),
  };
}

async function asSuperuser(sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: postgres.superuserUrl });
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows;
}

const listTrials = () => asSuperuser(`select from pg_database where datname like '%trial%'`);

it('a backup is made once it is due, was restored before it has its name, and old ones go', async () => {
  const at = new Date('2026-11-28T03:00:00Z');
  const file = 'kontor-2026-11-28T03-00-00Z.backup';
  const old = ['kontor-2026-11-26T03-00-00Z.backup', 'kontor-2026-11-27T03-00-00Z.backup'];
  const left = ['kontor-2026-11-27T03-00-00Z.unproven', 'kontor-2026-11-27T03-00-00Z.unproven.0a1b2c3d.partial'];
  const others = ['kontor-2999-01-01T00-00-00Z.backup', 'mine.backup'];
  const options = await schedule({ at, keep: 2 });
  for (const name of [...old, ...left, ...others]) await writeFile(join(folder, name), '');
  expect(await backUpIfDue({ ...options, now: () => new Date(at.getTime() - 1) }), 'it is not due').toBeUndefined();
  expect(await backUpIfDue(options)).toBe(join(folder, file));
  expect(await listTrials()).toEqual([]);
  expect((await readdir(folder)).toSorted()).toEqual([old[1], file, ...others]);
  expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  const backup = await openBackup(join(folder, file));
  expect((await backup.authenticate(passphrase))?.secret).toBe(secret);
  backup.close();
  expect(logged.map(({ msg }) => msg)).toEqual(['backup']);
});

it('a backup that can’t be restored gets no name: here the file of a receipt was changed', async () => {
  const { body } = await attach(sending(service, acme), await makeReceipt(acme), makePdf());
  const key = attachmentKey(acme.tenantId, body.data.id);
  const options = await schedule();
  const { files } = options;
  const forged = { length: 5, content: Readable.from([Buffer.from('other')]) };
  const changed = { ...files, read: async (of: string) => (of === key ? forged : files.read(of)) };
  await expect(backUpIfDue({ ...options, files: changed })).rejects.toThrow(`The backup is damaged, at files/${key}`);
  expect([await readdir(folder), await listTrials()]).toEqual([[], []]);
});

it('differences of the books are reported, and the backup is kept', async () => {
  const id = await makeCustomer(acme);
  await asSuperuser(`set session_replication_role = replica;
    update customers set company_name = 'Changed past the service' where id = '${id}'`);
  const options = await schedule();
  const failures: string[] = [];
  const metrics = { jobFailed: (task: string, reason: string) => void failures.push(`${task} ${reason}`) };
  expect(await backUpIfDue({ ...options, metrics })).toBeDefined();
  expect(failures).toEqual(['verify_backup DIFFERENCES']);
  expect(logged).toContainEqual(
    expect.objectContaining({ level: 50, tenantId: acme.tenantId, differences: expect.any(Number) as number }),
  );
});

it('a full disk leaves no file', async (context) => {
  const disk = await mountSmallDisk(1);
  if (!disk) return context.skip('a small file system can be mounted by root only');
  try {
    await asSuperuser(`create table public.filler as
      select string_agg(md5(n::text), '') as text from generate_series(1, 100000) n`);
    await expect(backUpIfDue(await schedule({ into: disk.folder }))).rejects.toThrow('ENOSPC');
    expect(await readdir(disk.folder)).toEqual([]);
  } finally {
    await asSuperuser('drop table public.filler');
    await disk.remove();
  }
});

it('without room for the trial, one untried backup is kept, proven ones stay, and it counts as failed', async (context) => {
  const disk = await mountSmallDisk(1);
  if (!disk) return context.skip('a small file system can be mounted by root only');
  try {
    await mkdir(join(disk.folder, 'postgres'));
    const proven = ['kontor-2026-11-26T03-00-00Z.backup', 'kontor-2026-11-27T03-00-00Z.backup'];
    const options = { ...(await schedule({ keep: 2 })), dataDir: disk.folder };
    for (const name of proven) await writeFile(join(folder, name), '');
    const runAt = (at: string, more: Partial<BackupsOptions> = {}) =>
      backUpIfDue({ ...options, ...more, now: () => new Date(at) });
    const noRoom = { code: 'NO_ROOM', message: expect.stringMatching(/lacks \d+ bytes/) as string };

    await expect(runAt('2026-11-28T03:00:00Z')).rejects.toMatchObject(noRoom);
    const untried = 'kontor-2026-11-28T03-00-00Z.untried';
    expect((await readdir(folder)).toSorted()).toEqual([...proven, untried]);
    const backup = await openBackup(join(folder, untried));
    expect((await backup.authenticate(passphrase))?.secret).toBe(secret);
    backup.close();

    await expect(runAt('2026-11-28T03:10:00Z')).rejects.toMatchObject(noRoom);
    expect((await readdir(folder)).toSorted(), 'none is written before it is due').toEqual([...proven, untried]);
    await expect(runAt('2026-11-29T03:00:00Z')).rejects.toMatchObject(noRoom);
    expect((await readdir(folder)).toSorted()).toEqual([...proven, 'kontor-2026-11-29T03-00-00Z.untried']);

    const file = 'kontor-2026-11-29T03-10-00Z.backup';
    expect(await runAt('2026-11-29T03:10:00Z', { dataDir }), 'there is room again').toBe(join(folder, file));
    expect((await readdir(folder)).toSorted()).toEqual([proven[1], file]);

    const failures: string[] = [];
    const metrics = { jobFailed: (task: string, reason: string) => void failures.push(`${task} ${reason}`) };
    const backups = startBackups({ ...options, metrics, now: () => new Date('2026-11-30T03:10:00Z') });
    await vi.waitFor(() => expect(failures).toEqual(['backup NO_ROOM']), 20_000);
    await backups.stop();
  } finally {
    await disk.remove();
  }
});

it('the room is that of the disk which the database is on, where a link leads to it', async (context) => {
  const disk = await mountSmallDisk(1);
  if (!disk) return context.skip('a small file system can be mounted by root only');
  try {
    const linked = await makeFolder();
    await symlink(disk.folder, join(linked, 'postgres'));
    await expect(backUpIfDue({ ...(await schedule()), dataDir: linked })).rejects.toMatchObject({ code: 'NO_ROOM' });
  } finally {
    await disk.remove();
  }
});

it('a process that is killed meanwhile leaves no file with the backup’s name', async () => {
  const target = join(await makeFolder(), 'books.backup');
  const module = new URL('../../src/backup/whole-file.ts', import.meta.url).href;
  const script = `
    const { makeWholeFile } = await import(${JSON.stringify(module)});
    await makeWholeFile(${JSON.stringify(target)}, async (draft) => {
      (await import('node:fs')).writeFileSync(draft, 'half');
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => {});
    });`;
  expect(spawnSync(process.execPath, ['--input-type=module', '--eval', script]).signal).toBe('SIGKILL');
  expect(await readdir(join(target, '..'))).toEqual([expect.stringMatching(/^books\.backup\.[\da-f]{8}\.partial$/)]);
});

it('a stop breaks a backup off, and leaves nothing of it', async () => {
  const options = await schedule();
  const reached = Promise.withResolvers<void>();
  const read = async (key: string) => {
    reached.resolve();
    return service.fileStorage.read(key);
  };
  const backups = startBackups({ ...options, files: { ...options.files, read } });
  await reached.promise;
  await backups.stop();
  expect([await readdir(folder), await listTrials(), logged]).toEqual([[], [], []]);
});

it('the age of the newest is a metric, which is missing without a schedule', async () => {
  const name = 'kontor_backup_last_success_timestamp_seconds';
  const metrics = createMetrics();
  const read = () => metrics.registry.getSingleMetricAsString(name);
  expect(await read()).not.toMatch(/^kontor/m);
  metrics.lastBackup(async () => undefined);
  expect(await read()).toContain(`\n${name} 0`);
  metrics.lastBackup(async () => new Date(1_700_000_000_000));
  expect(await read()).toContain(`\n${name} 1700000000`);
});
