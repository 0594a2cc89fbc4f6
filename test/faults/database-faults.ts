import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { OwnPostgres } from './postgres.ts';
import type { Proxy } from './proxy.ts';

/** A fault of the database, or of the network to it. */
export interface DatabaseFault {
  name: string;
  /** The reason that readiness reports. */
  reason: RegExp;
  /** Whether requests fail. They don't if the database is only slow. */
  fails: boolean;
  /** @returns a function that ends the fault */
  begin(stage: { postgres: OwnPostgres; proxy: Proxy; folder: string }): Promise<() => Promise<void>>;
}

const silent = /does not answer/;

export const unreachable: DatabaseFault = {
  name: 'unreachable',
  reason: silent,
  fails: true,
  begin: async ({ proxy }) => {
    await proxy.shut();
    return proxy.clear;
  },
};

export const lostOnTheWay: DatabaseFault = {
  name: 'lost on the way',
  reason: silent,
  fails: true,
  begin: async ({ proxy }) => {
    proxy.silence();
    return proxy.clear;
  },
};

export const hanging: DatabaseFault = {
  name: 'hanging',
  reason: silent,
  fails: true,
  begin: async ({ postgres }) => {
    await postgres.freeze();
    return postgres.thaw;
  },
};

export const slow: DatabaseFault = {
  name: 'slow',
  reason: /is slow|does not answer/,
  fails: false,
  begin: async ({ proxy }) => {
    proxy.slow(3500);
    return proxy.clear;
  },
};

export const readOnly: DatabaseFault = {
  name: 'read-only',
  reason: /read-only/,
  fails: true,
  begin: async ({ postgres }) => {
    await postgres.query('alter system set default_transaction_read_only = on');
    await postgres.query('select pg_reload_conf()');
    return async () => {
      await postgres.query('alter system reset default_transaction_read_only');
      await postgres.query('select pg_reload_conf()');
    };
  },
};

/** Somebody else takes every connection there is, as soon as there is one. */
export const outOfConnections: DatabaseFault = {
  name: 'out of connections',
  reason: /no connection left/,
  fails: true,
  begin: async ({ postgres }) => {
    const taken: Client[] = [];
    const sated = new AbortController();
    const first = await take(postgres.url);
    const taking = (async () => {
      while (!sated.signal.aborted) {
        await take(postgres.url).then(
          (client) => taken.push(client),
          () => new Promise((resolve) => setTimeout(resolve, 20)),
        );
        await first.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'kontor%'`,
        );
      }
    })();
    return async () => {
      sated.abort();
      await taking;
      await Promise.all([first, ...taken].map((client) => client.end()));
    };
  },
};

async function take(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'greedy' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The last block of the database's file system is taken. */
export const outOfDisk: DatabaseFault = {
  name: 'out of disk',
  reason: /no room left|does not answer/,
  fails: true,
  begin: async ({ folder, postgres }) => {
    const empty = await fillDisk(folder);
    return async () => {
      await empty();
      await postgres.start().catch(() => {}); // it may have ended itself, when there was no room for its log
    };
  },
};

const run = promisify(execFile);

/** Takes all room of a folder's file system. @returns what gives it back */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'full');
  await writeFile(file, '');
  await run('sh', ['-c', 'cat /dev/zero > "$0" 2>/dev/null || true', file]);
  return () => rm(file);
}

export interface SmallDisk {
  folder: string;
  remove(): Promise<void>;
}

/** A file system of its own; undefined where we may not mount one. */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder]);
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    remove: async () => {
      await run('umount', ['-l', folder]);
      await rm(folder, { recursive: true });
    },
  };
}
