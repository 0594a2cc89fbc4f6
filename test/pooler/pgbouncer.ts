import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile, chmod } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../processes/npm.ts';

/** Set where the tests through pgbouncer must not be left out: `.ci/run`. */
export const requirePooler = process.env['REQUIRE_PGBOUNCER'] === '1';

/** Debian's pgbouncer, or another named by PGBOUNCER. */
const program = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';

export const poolerIsInstalled = (): boolean => spawnSync(program, ['--version']).status === 0;

/** Whether there is nothing to test with, and nobody minds. */
export const noPooler = !poolerIsInstalled() && !requirePooler;

export interface Pooler {
  /** A database's address through the pooler, given its own. */
  through(databaseUrl: string): string;
  /** Ends it at once, with all connections. */
  stop(): Promise<void>;
  /** Starts it again, where it was. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * pgbouncer in transaction mode before a server.
 * @param serverConnections how many connections to the server all clients of a database share
 * @param more lines for its settings
 */
export async function startPooler(serverUrl: string, serverConnections: number, more = ''): Promise<Pooler> {
  if (!poolerIsInstalled()) throw new Error('REQUIRE_PGBOUNCER is set, and pgbouncer is missing');
  const server = new URL(serverUrl);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'kontor-pgbouncer-'));
  const settings = join(folder, 'pgbouncer.ini');
  const login = `user=${server.username} password=${decodeURIComponent(server.password)}`;
  // The example for operators, on this machine.
  const example = await readFile(new URL('../../docker/pgbouncer.ini', import.meta.url), 'utf8');
  const here: [pattern: RegExp, setting: string][] = [
    [/^kontor = .*$/m, `* = host=${server.hostname} port=${server.port} ${login}`],
    [/^listen_port = .*$/m, `listen_port = ${port}\nunix_socket_dir =`],
    [/^auth_type = .*\nauth_file = .*$/m, 'auth_type = any'],
    [/^default_pool_size = .*$/m, `default_pool_size = ${serverConnections}`],
  ];
  await writeFile(settings, `${adapt(example, here)}\n${more}`);
  // It won't run as root, and then as nobody it must be able to read this.
  await chmod(folder, 0o755);
  const asNobody = process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 };
  let child: ChildProcess | undefined;
  let exited: Promise<unknown> | undefined;
  const start = async (): Promise<void> => {
    const started = spawn(program, [settings], { ...asNobody, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    started.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    [child, exited] = [started, once(started, 'exit')];
    while (!(await listens(Number(port)))) {
      if (started.exitCode !== null) throw new Error(`pgbouncer did not start: ${said}`);
      await sleep(20);
    }
  };
  const stop = async (): Promise<void> => {
    child?.kill('SIGQUIT');
    await exited;
  };
  await start();
  return {
    through: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    stop,
    start,
    close: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Replaces settings of an example. Each pattern must occur. */
export function adapt(example: string, replacements: readonly (readonly [RegExp, string])[]): string {
  let text = example;
  for (const [pattern, setting] of replacements) {
    if (!pattern.test(text)) throw new Error(`The example has no ${pattern.source}`);
    text = text.replace(pattern, () => setting);
  }
  return text;
}

export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
