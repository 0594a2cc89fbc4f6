import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../prisma/migrate.ts';
import { joinEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The superuser's URL of the temporary server, without a database. */
    serverUrl: string;
  }
}

/** Starts the suite's PostgreSQL with a migrated template database. Each test file clones its database from it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-test-'));
  const postgres = await joinEmbeddedPostgres(folder);
  const serverUrl = new URL(postgres.superuserUrl);
  serverUrl.pathname = '';

  const client = new Client({ connectionString: postgres.superuserUrl });
  await client.connect();
  // A temporary database need not survive a power failure.
  await client.query('alter system set fsync = off');
  await client.query('alter system set synchronous_commit = off');
  await client.query('select pg_reload_conf()');
  await client.query('create database template_kontor');
  await client.end();
  await migrate(new URL('/template_kontor', serverUrl).href);

  project.provide('serverUrl', serverUrl.href);
  return async () => {
    await postgres.leave();
    await rm(folder, { recursive: true, force: true });
  };
}
