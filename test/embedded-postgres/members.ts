import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, vi } from 'vitest';

// Processes that join an embedded PostgreSQL, and the servers that they start.

export const root = resolve(import.meta.dirname, '../..');
export const isRoot = process.getuid?.() === 0;

/** An ordinary user. */
export function nobody(): { uid: number; gid: number } {
  const [, , uid, gid] = execFileSync('getent', ['passwd', 'nobody'], { encoding: 'utf8' }).split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

export const nobodyReads =
  isRoot && spawnSync('test', ['-r', import.meta.filename], { ...nobody(), cwd: '/' }).status === 0;

/** A process of its own that has joined: with stdin closed it is done, with "leave" it leaves first. */
export interface Member {
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

export const cleanups: (() => unknown)[] = [];
export const folders = new Set<string>();
export const servers = new Map<number, string>();

/** For a file of tests: ends what a test began, its servers too. */
export function cleanUpMembers(): void {
  vi.setConfig({ testTimeout: 60_000 });
  afterEach(async () => {
    await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
    for (const [pid, location] of servers) {
      if (runsIn(pid, location)) process.kill(pid, 'SIGQUIT');
      await until(() => !runsIn(pid, location));
    }
    servers.clear();
    for (const made of folders) rmSync(made, { recursive: true, force: true });
    folders.clear();
  });
}

export function copies(): string[] {
  return (existsSync('/var/lib/kontor') ? readdirSync('/var/lib/kontor') : []).filter((name) =>
    name.startsWith('postgresql-'),
  );
}

export interface Who {
  uid?: number | undefined;
  gid?: number | undefined;
  checkout?: string;
}

export function folder(under = tmpdir()): string {
  const made = realpathSync(mkdtempSync(join(under, 'kontor-test-')));
  chmodSync(made, 0o700);
  folders.add(made);
  return made;
}

export async function enter(dataDir: string, who: Who = {}): Promise<Member> {
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
export async function node(
  dataDir: string,
  script: string,
  who: Who = {},
): Promise<{ code: number | null; stderr: string }> {
  const child = start(dataDir, script, who);
  child.stdin.end();
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const code = await new Promise<number | null>((settle) => child.once('close', settle));
  return { code, stderr };
}

export function start(
  dataDir: string,
  script: string,
  { uid, gid, checkout = root }: Who,
): ReturnType<typeof spawnNode> {
  return spawnNode(
    `
    import { joinEmbeddedPostgres } from ${JSON.stringify(join(checkout, 'src/database/postgres/embedded-postgres.ts'))};
    import { Client } from ${JSON.stringify(join(root, 'node_modules/pg/esm/index.mjs'))};
    const dataDir = ${JSON.stringify(dataDir)};
    ${script}`,
    uid === undefined ? {} : { uid, gid },
  );
}

export function spawnNode(script: string, who: { uid?: number; gid?: number | undefined }) {
  // Not this process's own Node, which may be an older one.
  const program = realpathSync(join(root, 'node_modules/.bin/node'));
  return spawn(program, ['--input-type=module', '--eval', script], { ...who, cwd: '/', stdio: 'pipe' });
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

export function session(pid: number): { group: number; session: number } {
  const [, , group, id] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number);
  return { group: group ?? NaN, session: id ?? NaN };
}

export function runsIn(pid: number, location: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === join(location, 'postgres/cluster');
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not in time: ${condition.toString()}`);
    await sleep(20);
  }
}
