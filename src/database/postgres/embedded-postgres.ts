import { mkdir, open, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { createConnection } from '../../../prisma/connection/connection.ts';
import { findPostmaster, forgetPostmaster, logFile, makeCluster, start, stop } from './postgres-server.ts';
import { findServerLocation, type ServerLocation } from './postgres-user.ts';
import { isRefused, prepareRoles, readPasswords, rolesAreReady, roleUrl, type Passwords } from './roles.ts';

export interface EmbeddedPostgres {
  /** postgres:// address of the database `kontor` for its owner, who is no superuser; with password */
  url: string;
  /** the same for the role that requests and jobs run as: it owns nothing, and sees one tenant's rows */
  booksUrl: string;
  /** the same for the server's superuser: for migrations and backups, never for requests */
  superuserUrl: string;
  /** the cluster's folder (differs from dataDir if the user postgres can't reach that) */
  location: string;
  /** Leaves the server; the last process to leave stops it, in order. */
  leave(): Promise<void>;
}

/** pg's ref and unref are missing from its types. */
type LockHolder = Client & { ref(): void; unref(): void };

interface Server {
  client: LockHolder;
  port: number;
}

const startTimeoutMs = 30_000;
const lockKey = 0x6b6f6e746f72; // "kontor"

/**
 * Runs the database of a data folder: creates it at first use, starts it unless it runs, and keeps it running until the last
 * process has left. Any number of processes can join at any time.
 *
 * Each joined process holds a shared advisory lock on the server, which ends with the process. Joining and leaving are
 * serialized, so that no process joins a server that is being stopped. If the server dies, it is started again on its old
 * port.
 * @param onStarting is called while the server starts, if it has to
 */
export async function joinEmbeddedPostgres(
  dataDir: string,
  report: (line: string) => void = () => {},
  onStarting: () => void = () => {},
): Promise<EmbeddedPostgres> {
  const folder = await makeFolder(dataDir);
  const gate = join(folder, 'postgres.lock');

  const { location, server, passwords } = await alone(gate, async () => {
    const found = await findServerLocation(folder, report);
    if (!(await stat(found.home).catch(() => undefined))) await makeCluster(found, report);
    const read = await readPasswords(found);
    return { location: found, passwords: read, server: await enter(found, read, undefined, onStarting) };
  });

  let left: Promise<void> | undefined;
  let held: Promise<Server | undefined>;
  const hold = (current: Server): Server => {
    current.client.unref();
    current.client.once('end', () => {
      if (left) return;
      held = alone(gate, () => enter(location, passwords, server.port)).then(hold, (error: unknown) => {
        report(`The database server is gone: ${getMessage(error)}`);
        return undefined;
      });
    });
    if (current.port !== server.port)
      report(`The database server had to move to port ${current.port}: restart this process`);
    return current;
  };
  held = Promise.resolve(hold(server));

  return {
    url: roleUrl('kontor', passwords.owner, server.port, 'kontor'),
    booksUrl: roleUrl('kontor_books', passwords.books, server.port, 'kontor'),
    superuserUrl: roleUrl('postgres', passwords.superuser, server.port, 'kontor'),
    location: dirname(location.home),
    leave: () => (left ??= held.then((current) => current && alone(gate, () => leave(current.client, location)))),
  };
}

async function makeFolder(dataDir: string): Promise<string> {
  const folder = resolve(dataDir);
  try {
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return await realpath(folder);
  } catch (error) {
    throw new Error(
      `The data folder ${folder} can't be made (${getMessage(error)}): set DATABASE_URL to your PostgreSQL, or DATA_DIR to another folder`,
      { cause: error },
    );
  }
}

/**
 * Runs `work` while no other process holds the same lock file. An exclusive transaction of SQLite serves as the file lock,
 * which Node doesn't have: it ends with its process, even after a kill -9.
 */
async function alone<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  // Created here with mode 0600, because other users who can read the file could block us. It is only created and not opened:
  // closing a file would release the locks that this process holds on it.
  await open(lockFile, 'wx', 0o600).then(
    (file) => file.close(),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  const lock = openLock(lockFile);
  try {
    const deadline = Date.now() + startTimeoutMs;
    while (!taken(lock)) {
      if (Date.now() > deadline)
        throw new Error(
          `Another process has been starting or stopping the database for ${startTimeoutMs / 1000} s: see who has ${lockFile} open`,
        );
      await sleep(10 + Math.random() * 20);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function openLock(lockFile: string): DatabaseSync {
  try {
    return new DatabaseSync(lockFile);
  } catch (error) {
    throw new Error(`${lockFile} can't be opened (${getMessage(error)}): start Kontor as the user it belongs to`, {
      cause: error,
    });
  }
}

function taken(lock: DatabaseSync): boolean {
  try {
    lock.exec('pragma journal_mode = off; begin exclusive');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === 5 /* SQLITE_BUSY */) return false;
    throw error;
  }
}

/** Starts the server unless it runs, and takes the shared lock. A server in transition is waited for. */
async function enter(
  location: ServerLocation,
  passwords: Passwords,
  oldPort?: number,
  onStarting?: () => void,
): Promise<Server> {
  let deadline = Date.now() + startTimeoutMs;
  let port = oldPort;
  let problem = '';
  while (Date.now() < deadline) {
    const running = await findPostmaster(location);
    if (running?.alive) {
      try {
        return { client: await connect(running.port, passwords), port: running.port };
      } catch (error) {
        problem = `process ${running.pid} can't be reached at 127.0.0.1:${running.port}: ${getMessage(error)}`;
      }
    } else {
      // PostgreSQL would mistake another process of its user with the old pid for a running server.
      await forgetPostmaster(location);
      problem = await start(location, port ?? running?.port, onStarting);
      // Retries after remains of a server that was just killed, and after a port that another program took first.
      const passing = /still in use|Address already in use/.test(problem);
      if (problem && !passing) break;
      if (!problem) deadline = Date.now() + startTimeoutMs; // recovery may have used the whole time
      // Clients know the old port. Another one is chosen only if a different program uses it.
      if (problem.includes('Address already in use')) port = undefined;
    }
    await sleep(problem ? 50 : 0);
  }
  throw new Error(`PostgreSQL does not work: ${problem} (log: ${logFile(location)})`);
}

async function connect(port: number, passwords: Passwords): Promise<LockHolder> {
  const ready = await connectAsOwner(port, passwords.owner).catch((error: unknown) => {
    if (isRefused(error)) return undefined;
    throw error;
  });
  if (ready) return ready;
  await prepareRoles(port, passwords);
  const prepared = await connectAsOwner(port, passwords.owner);
  if (!prepared) throw new Error("The database's roles are not as they must be");
  return prepared;
}

/** @returns undefined if the roles have to be prepared first */
async function connectAsOwner(port: number, password: string): Promise<LockHolder | undefined> {
  // Not to the database `kontor`: this connection must not block dropping it, or using it as a template.
  const client = createConnection({
    host: '127.0.0.1',
    port,
    user: 'kontor',
    password,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: 5000,
    application_name: 'kontor: keeps the server',
  }) as LockHolder;
  client.on('error', () => {}); // 'end' follows
  try {
    await client.connect();
    if (await rolesAreReady(client)) {
      await client.query('select pg_advisory_lock_shared($1)', [lockKey]);
      return client;
    }
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  await client.end();
  return undefined;
}

async function leave(client: LockHolder, location: ServerLocation): Promise<void> {
  client.ref();
  let last = false;
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [lockKey]);
    const { rows } = await client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [lockKey]);
    last = rows[0]?.last ?? false;
  } catch {
    return; // the server is gone already
  }
  if (last) await stop(location);
  await client.end().catch(() => {});
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
