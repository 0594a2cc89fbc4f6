import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile, chmod } from 'node:fs/promises';
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
  close(): Promise<void>;
}

/**
 * pgbouncer in transaction mode before a server.
 * @param serverConnections how many connections to the server all clients of a database share
 */
export async function startPooler(serverUrl: string, serverConnections: number): Promise<Pooler> {
  if (!poolerIsInstalled()) throw new Error('REQUIRE_PGBOUNCER is set, and pgbouncer is missing');
  const server = new URL(serverUrl);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'kontor-pgbouncer-'));
  const settings = join(folder, 'pgbouncer.ini');
  const login = `user=${server.username} password=${decodeURIComponent(server.password)}`;
  await writeFile(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 200
`,
  );
  // It won't run as root, and then as nobody it must be able to read this.
  await chmod(folder, 0o755);
  const asNobody = process.getuid?.() === 0 && { uid: 65_534, gid: 65_534 };
  const child = spawn(program, [settings], { ...asNobody, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'exit');
  while (!(await listens(Number(port)))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${said}`);
    await sleep(20);
  }
  return {
    through: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    close: async () => {
      child.kill('SIGQUIT'); // at once
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

async function listens(port: number): Promise<boolean> {
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
