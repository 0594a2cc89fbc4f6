import { chown, readdir, readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { findPostmaster, makeCluster, start } from '../../src/database/postgres/postgres-server.ts';
import { findServerLocation } from '../../src/database/postgres/postgres-user.ts';
import { prepareRoles, readPasswords, roleUrl } from '../../src/database/postgres/roles.ts';
import { until } from '../webhooks/receiver.ts';

/** A PostgreSQL of a test's own, for faults that others must not feel. */
export interface OwnPostgres {
  /** Of its one database, which is empty at first, for its owner. */
  url: string;
  port: number;
  /** As a superuser, on a connection of its own. */
  // eslint-disable-next-line typescript/no-explicit-any
  query(sql: string, values?: unknown[]): Promise<any[]>;
  /** The same from another database, for what ends or closes that one. */
  queryServer(sql: string): Promise<unknown[]>;
  /** Ends it on the spot: what it was doing is left to recovery. */
  stopImmediately(): Promise<void>;
  /** Ends it in order, without waiting for its clients. */
  stopFast(): Promise<void>;
  start(): Promise<void>;
  /** Its processes hold still, and nobody is told, until they are thawed. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Terminates every client's connection. @returns how many there were */
  terminateAll(): Promise<number>;
  /** Makes a folder and its files the server's own. */
  own(files: string): Promise<void>;
  remove(): Promise<void>;
}

/** @param folder where its data goes, a small file system say; by default a new folder */
export async function startOwnPostgres(folder?: string): Promise<OwnPostgres> {
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'kontor-faults-')));
  const place = await findServerLocation(home, () => {});
  await makeCluster(place, () => {});
  const passwords = await readPasswords(place);

  const running = async () => {
    const found = await findPostmaster(place);
    if (!found?.alive) throw new Error('The test’s PostgreSQL does not run');
    return found;
  };
  const begin = async (wanted?: number): Promise<number> => {
    const problem = await start(place, wanted);
    if (problem) throw new Error(`The test’s PostgreSQL does not start: ${problem}`);
    const { port } = await running();
    if (wanted !== undefined && port !== wanted) throw new Error(`Port ${wanted} was taken by somebody else`);
    return port;
  };
  const port = await begin();
  await prepareRoles(port, passwords);
  const superuserUrl = roleUrl('postgres', passwords.superuser, port, 'kontor');
  const serverUrl = roleUrl('postgres', passwords.superuser, port, 'postgres');

  const stop = async (signal: 'SIGQUIT' | 'SIGINT'): Promise<void> => {
    const { pid } = await running();
    process.kill(pid, signal);
    await until(() => !isAlive(pid), 'PostgreSQL to stop');
  };
  const stopImmediately = (): Promise<void> => stop('SIGQUIT');
  const signalAll = async (signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
    const { pid } = await running();
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    for (const each of [pid, ...children.trim().split(' ').map(Number)]) if (isAlive(each)) process.kill(each, signal);
  };
  return {
    url: roleUrl('kontor', passwords.owner, port, 'kontor'),
    port,
    query: (sql, values) => query(superuserUrl, sql, values),
    queryServer: (sql) => query(serverUrl, sql),
    stopImmediately,
    stopFast: () => stop('SIGINT'),
    start: async () => void (await begin(port)),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    terminateAll: async () => (await query(serverUrl, terminateOthers)).length,
    own: async (files) => {
      const { uid, gid } = place.user ?? {};
      if (uid === undefined || gid === undefined) return;
      await chown(files, uid, gid);
      for (const name of await readdir(files)) await chown(join(files, name), uid, gid);
    },
    remove: async () => {
      if ((await findPostmaster(place))?.alive) await stopImmediately();
      if (folder === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

const terminateOthers = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

async function query(url: string, sql: string, values?: unknown[]): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client.query(sql, values).then(
    async ({ rows }) => {
      await client.end();
      return rows;
    },
    async (error: unknown) => {
      await client.end().catch(() => {});
      throw error;
    },
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
