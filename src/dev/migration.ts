import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConnection } from '../../prisma/connection/connection.ts';
import { joinEmbeddedPostgres } from '../database/postgres/embedded-postgres.ts';

// `npm run migration -- NAME`: drafts a migration, in an empty database that is made for it and deleted again.

const script = fileURLToPath(new URL('../../prisma/migrate/draft-migration.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'kontor-migration-'));
const postgres = await joinEmbeddedPostgres(folder);
try {
  const shadow = new URL('/shadow', postgres.superuserUrl);
  const client = createConnection({ connectionString: postgres.superuserUrl });
  await client.connect();
  await client.query('create database shadow');
  await client.end();
  const env = { ...process.env, SHADOW_DATABASE_URL: shadow.href };
  process.exitCode =
    spawnSync(process.execPath, [script, ...process.argv.slice(2)], { env, stdio: 'inherit' }).status ?? 1;
} finally {
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
}
