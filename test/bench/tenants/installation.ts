import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client, Pool } from 'pg';
import { migrate } from '../../../prisma/migrate/migrate.ts';
import { mintToken } from '../../../src/identity/token.ts';
import { joinEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/database/postgres/embedded-postgres.ts';
import { fill } from './fill.ts';
import { findSizeClass, tenantSizes, type SizeClass } from './sizes.ts';

/** Where the benchmark keeps its installation. Safe to delete. */
export const defaultFolder = fileURLToPath(new URL('.data', import.meta.url));

export const secret = 'a secret that keeps no secrets here';

export interface Tenant {
  id: string;
  /** How many it was filled with. */
  invoices: number;
  size: SizeClass;
  token: string;
  webhookId: string | null;
}

/** A filled database of its own, with a token for each tenant. */
export interface Installation {
  folder: string;
  url: string;
  pool: Pool;
  tenants: Tenant[];
  /** How long filling took; null if the database was kept from before. */
  seconds: number | null;
  close(): Promise<void>;
}

export interface InstallationOptions {
  folder: string;
  scale: number;
  /** Keep the database, and use one that was kept. */
  keep: boolean;
}

/** Settings while the database is filled. If it is lost meanwhile, it is filled again. */
const fillingSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
};

/** For a machine with some memory and a solid-state disk. */
const settings = { shared_buffers: '2GB', max_wal_size: '8GB', random_page_cost: '1.1' };

/** Opens the installation, and makes it first unless it was kept. */
export async function openInstallation(
  { folder, scale, keep }: InstallationOptions,
  report: (line: string) => void,
): Promise<Installation> {
  await mkdir(folder, { recursive: true });
  let postgres = await joinEmbeddedPostgres(folder);
  let seconds: number | null = null;
  if (!keep || (await comment(postgres)) !== `filled at scale ${scale}`) {
    await postgres.leave();
    await rm(folder, { recursive: true });
    postgres = await joinEmbeddedPostgres(folder);
    await migrate(postgres.url, () => {}, { superuserUrl: postgres.superuserUrl });
    postgres = await restart(postgres, folder, { ...settings, ...fillingSettings });
    const start = performance.now();
    await fill(postgres.superuserUrl, scale, secret, report);
    await run(postgres, `comment on database kontor is 'filled at scale ${scale}'`, 'checkpoint');
    seconds = (performance.now() - start) / 1000;
    postgres = await restart(postgres, folder, settings);
  }
  await migrate(postgres.url, report, { superuserUrl: postgres.superuserUrl }); // a database that was kept
  const pool = new Pool({ connectionString: postgres.superuserUrl, max: 5 });
  return {
    folder,
    url: postgres.url,
    pool,
    tenants: await makeTokens(pool, scale),
    seconds,
    close: async () => {
      // The pool ends before PostgreSQL has closed its connections: it may still report that the server has ended them.
      pool.on('error', () => {});
      await pool.end();
      await postgres.leave();
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function run(postgres: EmbeddedPostgres, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: postgres.superuserUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function comment(postgres: EmbeddedPostgres): Promise<string | null> {
  const client = new Client({ connectionString: postgres.superuserUrl });
  await client.connect();
  const { rows } = await client.query<{ comment: string | null }>(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = 'kontor'`,
  );
  await client.end();
  return rows[0]?.comment ?? null;
}

async function restart(
  postgres: EmbeddedPostgres,
  folder: string,
  wanted: Record<string, string>,
): Promise<EmbeddedPostgres> {
  const set = Object.entries(wanted).map(([name, value]) => `alter system set ${name} = '${value}'`);
  await run(postgres, 'alter system reset all', ...set);
  await postgres.leave();
  return joinEmbeddedPostgres(folder);
}

/** A token for each tenant. Those of earlier runs are deleted: nobody knows their values any more. */
async function makeTokens(pool: Pool, scale: number): Promise<Tenant[]> {
  const { rows } = await pool.query<{ id: string; userId: string; webhookId: string | null }>(
    `select tenants.id, user_id as "userId", webhooks.id as "webhookId"
     from tenants join memberships on memberships.tenant_id = tenants.id
     left join webhooks on webhooks.tenant_id = tenants.id
     order by tenants.id`,
  );
  const tokens = rows.map(() => mintToken());
  await pool.query('delete from api_tokens');
  await pool.query(
    `insert into api_tokens (id, user_id, tenant_id, name, abilities, hash, last_four)
     select uuidv7(), user_id, tenant_id, 'Benchmark', '{*}', hash, last_four
     from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[]) as made (user_id, tenant_id, hash, last_four)`,
    [
      rows.map(({ userId }) => userId),
      rows.map(({ id }) => id),
      tokens.map(({ hash }) => Buffer.from(hash)),
      tokens.map(({ lastFour }) => lastFour),
    ],
  );
  const sizes = tenantSizes(scale);
  return rows.map(({ id, webhookId }, index) => {
    const invoices = sizes[index]!;
    return { id, invoices, webhookId, size: findSizeClass(invoices, scale), token: tokens[index]!.value };
  });
}
