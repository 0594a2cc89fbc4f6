import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { distribute, migrate } from '../prisma/migrate/migrate.ts';
import { closeToClients, clusterUrl, createClusterDatabase, runOn, listServers } from './citus/cluster.ts';
import { joinEmbeddedPostgres } from '../src/database/postgres/embedded-postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's URL of the temporary server, without a database. */
    serverUrl: string;
    /** Those of the other servers, where the suite runs on a cluster. */
    workerUrls: string[];
  }
}

const template = 'template_kontor';

/** All projects of a run share it. */
let started: Promise<Servers> | undefined;

/** Starts the suite's PostgreSQL with a migrated template database. Each test file clones its database from it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  started ??= clusterUrl === undefined ? startServer() : prepareCluster(clusterUrl);
  const { servers, stop } = await started;
  const [serverUrl = '', ...workerUrls] = servers;
  project.provide('serverUrl', serverUrl);
  project.provide('workerUrls', workerUrls);
  return stop;
}

interface Servers {
  servers: string[];
  stop: () => Promise<void>;
}

/** A folder in memory, where it has much room: each test file copies a database of a thousand files. Else the usual one. */
async function findFastFolder(): Promise<string> {
  const room = await statfs('/dev/shm').then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > 6 * 2 ** 30 ? '/dev/shm' : tmpdir();
}

async function startServer(): Promise<Servers> {
  const folder = await mkdtemp(join(await findFastFolder(), 'kontor-test-'));
  const postgres = await joinEmbeddedPostgres(folder);
  const server = new URL(postgres.superuserUrl);
  server.pathname = '';
  // A temporary database need not survive a power failure.
  await runOn(server.href, 'postgres', 'alter system set fsync = off');
  await runOn(server.href, 'postgres', 'alter system set synchronous_commit = off');
  await runOn(server.href, 'postgres', 'alter system set full_page_writes = off');
  await runOn(server.href, 'postgres', 'select pg_reload_conf()');
  await runOn(server.href, 'postgres', `create database ${template}`);
  await migrate(new URL(`/${template}`, server).href);
  // Every project's end comes after all tests, so the first of them may stop it.
  const stop = async (): Promise<void> => {
    await postgres.leave();
    await rm(folder, { recursive: true, force: true });
  };
  return { servers: [server.href], stop };
}

/** Tests make rows by it. PostgreSQL has it from version 18 on, which Citus doesn't support yet. */
const uuidv7 = `
  do $do$ begin
    if to_regproc('uuidv7') is null then
      create function uuidv7() returns uuid language sql volatile as $$
        select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' ||
          substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
      $$;
    end if;
  end $do$`;

async function prepareCluster(url: string): Promise<Servers> {
  const servers = await listServers(url);
  const remove = async (): Promise<void> => {
    for (const server of servers) await runOn(server, 'postgres', `drop database if exists ${template} with (force)`);
  };
  await remove(); // one of a run that was killed
  await createClusterDatabase(servers, template);
  const database = new URL(`/${template}`, servers[0]).href;
  await migrate(database);
  await distribute(database, () => {}, 4);
  await runOn(database, template, uuidv7);
  await closeToClients(servers, template);
  return { servers, stop: remove };
}
