import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { startOwnPostgres } from '../faults/postgres.ts';

// Point-in-time recovery as OPERATING.md says, with a real archive. The statements and settings are its own.

const run = promisify(execFile);
const page = await readFile(new URL('../../OPERATING.md', import.meta.url), 'utf8');
const [, settings = ''] = /^```ini\n(archive_mode = on\n[^]*?)^```$/m.exec(page) ?? [];
const [, recovery = ''] = /^```ini\n(restore_command = [^]*?)^```$/m.exec(page) ?? [];

it('a database is restored to the moment before somebody deleted rows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-pitr-'));
  await chmod(folder, 0o755);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [archive, base] = [join(folder, 'wal'), join(folder, 'base')];
  await run('mkdir', ['-m', '777', archive]);
  const here = (text: string): string => text.replaceAll('/archive', archive);

  const postgres = await startOwnPostgres();
  onTestFinished(() => postgres.remove());
  const [{ cluster: reported }] = (await postgres.query(`select current_setting('data_directory') as cluster`)) as [
    { cluster: string },
  ];
  const cluster = await realpath(reported);
  for (const line of here(settings).trim().split('\n')) await postgres.query(`alter system set ${line}`);
  await postgres.stopImmediately();
  await postgres.start();
  await migrate(postgres.url);

  // pg_basebackup does the same.
  const superuser = new Client({ connectionString: await superuserUrl(postgres.url, cluster) });
  await superuser.connect();
  await superuser.query(`select pg_backup_start('base', fast => true)`);
  await run('cp', ['-a', cluster, base]);
  const { rows } = await superuser.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
  await superuser.end();

  const add = (name: string) =>
    postgres.query(`insert into tenants (id, name, country) values (gen_random_uuid(), '${name}', 'DE')`);
  const names = async () => (await postgres.query('select name from tenants order by 1')).map(({ name }) => name);
  await add('After the base backup');
  const [{ now }] = (await postgres.query('select clock_timestamp()::text as now')) as [{ now: string }];
  await postgres.query('delete from tenants');
  await add('After the mistake');
  const [{ wal }] = (await postgres.query('select pg_walfile_name(pg_switch_wal()) as wal')) as [{ wal: string }];
  await expect.poll(() => run('ls', [archive]).then(({ stdout }) => stdout)).toContain(wal);
  expect(await names()).toEqual(['After the mistake']);
  await postgres.stopImmediately();

  await run('rm', ['-rf', cluster]);
  await run('cp', ['-a', base, cluster]);
  await run('find', [join(cluster, 'pg_wal'), join(cluster, 'postmaster.pid'), '-type', 'f', '-delete']);
  await writeFile(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(join(cluster, 'recovery.signal'), '');
  const configured = await readFile(join(cluster, 'postgresql.auto.conf'), 'utf8');
  await writeFile(
    join(cluster, 'postgresql.auto.conf'),
    `${configured}\n${here(recovery).replace('2026-11-28 02:59:00+00', now)}`,
  );
  await run('chown', ['-R', '--reference', join(cluster, 'base'), cluster]);
  await postgres.start();
  await expect.poll(() => postgres.query('select pg_is_in_recovery() as busy')).toEqual([{ busy: false }]);
  expect(await names()).toEqual(['After the base backup']);
  await postgres.query('select start_change_epoch()');
});

/** Backup statements need one session; the helper has one for each statement. */
async function superuserUrl(ownerUrl: string, cluster: string): Promise<string> {
  const url = new URL(ownerUrl);
  url.username = 'postgres';
  url.password = (await readFile(join(cluster, '../superuser-password'), 'utf8')).trim();
  return url.href;
}
