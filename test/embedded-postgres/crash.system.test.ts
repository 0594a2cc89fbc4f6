import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { cleanups, cleanUpMembers, folder, enter, node, query, runsIn, until } from './members.ts';

cleanUpMembers();

describe('a crash', () => {
  it('of the service leaves the server running, and the next process joins it', async () => {
    const dir = folder();
    const victim = await enter(dir);
    await query(victim.url, 'create table kept as select 42 as answer');
    await victim.kill();
    expect(runsIn(victim.server, dir)).toBe(true);
    const next = await enter(dir);
    expect(next.server).toBe(victim.server);
    expect(await query(next.url, 'table kept')).toEqual([{ answer: 42 }]);
  });

  it('of service and server loses nothing, also if another process has the server’s pid', async () => {
    const dir = folder();
    const victim = await enter(dir);
    await query(victim.url, 'create table kept as select 42 as answer');
    await victim.kill();
    process.kill(victim.server, 'SIGKILL');
    await until(() => !runsIn(victim.server, dir));

    const pidFile = join(dir, 'postgres/cluster/postmaster.pid');
    const { uid, gid } = statSync(pidFile);
    const bystander = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
    cleanups.push(() => bystander.kill());
    writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(bystander.pid)));

    const [next, other] = await Promise.all([enter(dir), enter(dir)]);
    expect(next.server).toBe(other.server);
    expect(await query(next.url, 'table kept')).toEqual([{ answer: 42 }]);
    expect(bystander.exitCode).toBe(null);
  });

  it('of the server is repaired by the processes that use it, at the same address', async () => {
    const dir = folder();
    const members = [await enter(dir), await enter(dir)] as const;
    const [{ url, server }] = members;
    await query(url, 'create table kept as select 42 as answer');
    process.kill(server, 'SIGKILL');
    await until(() =>
      query(url, 'table kept').then(
        () => true,
        () => false,
      ),
    );
    expect(await query(url, 'table kept')).toEqual([{ answer: 42 }]);

    const later = await enter(dir);
    expect(later.server).not.toBe(server);
    await Promise.all(members.map((member) => member.leave()));
    expect(runsIn(later.server, dir)).toBe(true);
    await later.leave();
    await until(() => !runsIn(later.server, dir)); // it removes its pid file shortly before it ends
  });
});

it('after a crash the address stays the same, also if a process of the old server ends late', async () => {
  const dir = folder();
  const member = await enter(dir);
  const client = new Client(member.url);
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const { pid } = rows[0]!;
  process.kill(pid, 'SIGSTOP');
  process.kill(member.server, 'SIGKILL');
  const log = join(dir, 'postgres/log');
  await until(() => readFileSync(log, 'utf8').includes('is still in use'));
  process.kill(pid, 'SIGCONT');
  await until(() =>
    query(member.url, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  await member.leave();
});

describe('an error', () => {
  it('is one line with the server’s message', async () => {
    const dir = folder();
    await (await enter(dir)).leave();
    writeFileSync(join(dir, 'postgres/cluster/PG_VERSION'), '17\n');
    const { stderr } = await node(
      dir,
      'await joinEmbeddedPostgres(dataDir).catch((error) => console.error(error.message))',
    );
    expect(stderr).toMatch(
      /^PostgreSQL does not work: .*initialized by PostgreSQL version 17.* \(log: \S+\/postgres\/log\)\n$/,
    );
  });
});
