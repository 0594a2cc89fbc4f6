import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../processes/npm.ts';
import { until } from '../webhooks/receiver.ts';

// A PostgreSQL with all its programs, as Debian has it: the embedded one lacks those that dump and copy.

const installed = '/usr/lib/postgresql';
const programs = ['initdb', 'postgres', 'pg_basebackup', 'pg_dump', 'pg_restore', 'psql'];

/** The folder of the programs of the newest version. */
const bin = (existsSync(installed) ? readdirSync(installed) : [])
  .toSorted((a, b) => Number(b) - Number(a))
  .map((version) => join(installed, version, 'bin'))
  .find((folder) => programs.every((name) => existsSync(join(folder, name))));

/** The command that installs the missing programs; undefined if none is missing. */
export const noDebianPostgres = bin === undefined ? 'apt-get install postgresql' : undefined;

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a line of shell to its end. */
export async function shell(
  line: string,
  options: { cwd: string; env: Record<string, string | undefined>; uid?: number; gid?: number },
): Promise<Ended> {
  const most = 100 * 1024 * 1024;
  return await new Promise((resolve) => {
    // bash would take the pipe for a connection from another machine, and read the user's own settings.
    execFile('bash', ['--norc', '-c', line], { ...options, maxBuffer: most }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
    );
  });
}

/** A folder that PostgreSQL's user works in. PostgreSQL refuses root, who then has it run as the user that Debian made. */
export interface Place {
  folder: string;
  user: { uid: number; gid: number } | undefined;
  remove(): Promise<void>;
}

export async function makePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-debian-'));
  await chmod(folder, 0o755);
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
  if (user) await chown(folder, user.uid, user.gid);
  return { folder, user, remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface DebianPostgres {
  port: number;
  /** Runs a line of shell as PostgreSQL's user, in its folder: its programs reach the server as a superuser. */
  shell(line: string): Promise<Ended>;
  /**
   * On a connection of its own, as a superuser.
   * @param settings of the session, such as `-c role=kontor_books`
   */
  // eslint-disable-next-line typescript/no-explicit-any
  query(sql: string, values?: unknown[], settings?: string): Promise<any[]>;
  /** Ends it on the spot. */
  stopImmediately(): Promise<void>;
  running(): boolean;
}

/**
 * Starts a server on data in a folder of the place.
 * @param data its name; a new cluster is made unless it is there
 */
export async function startDebianPostgres({ folder, user }: Place, data: string): Promise<DebianPostgres> {
  const port = Number(await freePort());
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, PGHOST: folder, PGPORT: String(port) };
  const here = { cwd: folder, env: { ...env, PGUSER: 'postgres', PGDATABASE: 'kontor' }, ...user };
  if (!existsSync(join(folder, data))) {
    const made = await shell(`initdb -D ${data} -U postgres --auth-local=trust --auth-host=scram-sha-256`, here);
    if (made.code !== 0) throw new Error(made.err);
  }
  let said = '';
  const args = ['-D', join(folder, data), '-k', folder, '-h', '127.0.0.1', '-p', String(port)];
  const child: ChildProcess = spawn(join(bin ?? '', 'postgres'), args, {
    ...here,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-10_000)));
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  await until(async () => {
    if (!running()) throw new Error(`PostgreSQL did not start: ${said}`);
    return (await shell('pg_isready', here)).code === 0;
  }, 'PostgreSQL to start');
  return {
    port,
    running,
    shell: (line) => shell(line, here),
    query: async (sql, values, settings = '') => {
      const client = new Client({ host: folder, port, user: 'postgres', database: 'kontor', options: settings });
      await client.connect();
      try {
        return (await client.query(sql, values)).rows;
      } finally {
        await client.end();
      }
    },
    stopImmediately: async () => {
      if (!running()) return;
      const exit = once(child, 'exit');
      child.kill('SIGQUIT');
      await exit;
    },
  };
}
