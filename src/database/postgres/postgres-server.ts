import { chown, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { oneLine, run, type ServerLocation } from './postgres-user.ts';
import { makePasswords, superuserPasswordFile } from './roles.ts';
import { findFreePort, isFree } from './free-port.ts';

/** Creates a cluster atomically: it gets its name, with its passwords, once it is complete. */
export async function makeCluster({ home, bin, user }: ServerLocation, report: (line: string) => void): Promise<void> {
  report(`Making a database in ${home}`);
  const prefix = `${basename(home)}.new-`;
  for (const name of await readdir(dirname(home))) {
    if (name.startsWith(prefix)) await rm(join(dirname(home), name), { recursive: true, force: true }).catch(() => {});
  }
  const temporary = await mkdtemp(join(dirname(home), prefix));
  try {
    await makePasswords(temporary, user);
    if (user) await chown(temporary, user.uid, user.gid);
    const initdb = (letters: string): ReturnType<typeof run> =>
      run(
        join(bin, 'initdb'),
        [
          `--pgdata=${join(temporary, 'cluster')}`,
          '--encoding=UTF8',
          // This locale folds the case of all letters, unlike C. Unlike the system's locales, it never changes.
          '--locale-provider=builtin',
          '--builtin-locale=C.UTF-8',
          `--lc-ctype=${letters}`,
          '--username=postgres',
          `--pwfile=${superuserPasswordFile(temporary)}`,
          '--auth=scram-sha-256',
          '--set=listen_addresses=127.0.0.1',
          '--set=unix_socket_directories=', // their paths may be too long
          '--set=max_connections=200',
        ],
        user,
      );
    // Only for pg_trgm, which asks the system whether a character is a letter. In the locale C, only ASCII letters are: a
    // search for others has the same result, but reads every row.
    let done = await initdb('C.UTF-8');
    if (!done.ok && done.output.includes('invalid locale name')) done = await initdb('C');
    if (!done.ok)
      throw new Error(
        `PostgreSQL's initdb failed in ${home}: ${oneLine(done.output.split('\n').slice(-3).join('\n'))}`,
      );
    await rename(temporary, home);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const pidFile = ({ home }: ServerLocation): string => join(home, 'cluster/postmaster.pid');
export const logFile = ({ home }: ServerLocation): string => join(home, 'log');

/** A longer log is set aside when the server starts, in place of the one before. In bytes. */
const longestLog = 10_000_000;

export async function findPostmaster(
  location: ServerLocation,
): Promise<{ pid: number; port: number; alive: boolean } | undefined> {
  const lines = (await readFile(pidFile(location), 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid && port ? { pid, port, alive: await isPostmaster(pid, location) } : undefined;
}

/** Removes the pid file of a server that has ended, even if another process has its pid now. */
export async function forgetPostmaster(location: ServerLocation): Promise<void> {
  await rm(pidFile(location), { force: true });
}

/** Whether the process with this pid is the server: its working folder is the cluster. */
async function isPostmaster(pid: number, { home, user }: ServerLocation): Promise<boolean> {
  if (process.platform === 'linux') {
    // Checked as the server's user, because root may not be allowed to in a container. In doubt it counts as the server, and
    // connecting decides.
    const cwd = await run('sh', ['-c', 'cd "$0" 2>/dev/null && pwd -P; true', `/proc/${pid}/cwd`], user);
    return !cwd.ok || cwd.output === join(home, 'cluster');
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * @param onStarting is called once the server is starting, which takes a while
 * @returns the error's message, or ''
 */
export async function start(
  location: ServerLocation,
  wantedPort: number | undefined,
  onStarting: () => void = () => {},
): Promise<string> {
  const port = wantedPort && (await isFree(wantedPort)) ? wantedPort : await findFreePort();
  const log = logFile(location);
  const sizeOf = (file: string): Promise<number> =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    );
  if ((await sizeOf(log)) > longestLog) await rename(log, `${log}.old`);
  const before = await sizeOf(log);
  // -t: recovery after a crash may take its time
  const starting = pgCtl(location, ['start', '-t', '300', '-l', log, '-o', `-p ${port}`]);
  onStarting();
  const { ok, output } = await starting;
  if (ok) return '';
  const written = (await readFile(log).catch(() => Buffer.alloc(0))).subarray(before).toString();
  const errorLines = written.split('\n').filter((line) => !/ LOG: /.test(line) || line.includes('could not'));
  const reasons = errorLines.slice(-5).map((line) => line.replace(/^.* \[\d+\] /, ''));
  return oneLine(reasons.join('\n')) || oneLine(output);
}

export async function stop(location: ServerLocation): Promise<void> {
  const { ok, output } = await pgCtl(location, ['stop', '-t', '60', '-m', 'fast']);
  if (!ok) throw new Error(`PostgreSQL does not stop: ${oneLine(output)} (log: ${logFile(location)})`);
}

/** pg_ctl starts the server in a session of its own, so that Ctrl-C reaches only our process group. */
function pgCtl({ bin, home, user }: ServerLocation, args: string[]): Promise<{ ok: boolean; output: string }> {
  return run(join(bin, 'pg_ctl'), [...args, '-w', '-D', join(home, 'cluster')], user);
}
