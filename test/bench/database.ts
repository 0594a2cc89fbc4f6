import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Presets, SingleBar } from 'cli-progress';
import { Client, Pool } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../prisma/generated/client/client.ts';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { joinEmbeddedPostgres } from '../../src/database/postgres/embedded-postgres.ts';
import { createToken, createUser } from '../../src/identity/index.ts';
import { tables } from './books.ts';
import { findParent } from './cpu.ts';

/** Where the benchmark keeps its PostgreSQL. Safe to delete. */
export const folder = fileURLToPath(new URL('.data', import.meta.url));

export interface Tenant {
  id: string;
  /** How many invoices, and how many customers. */
  size: number;
  /** A limit counts per token, and none may be so high as a benchmark's rate: callers have many. */
  tokens: string[];
}

export interface Database {
  url: string;
  pool: Pool;
  postgresPid: number;
  tenants: Map<number, Tenant>;
  close(): Promise<void>;
}

const callers = 100;

/**
 * A database of our own with a tenant of each size, and one of size 0: nothing but a customer. What was loaded is kept as a template
 * for the next time, until a migration changes or what loads it.
 */
export async function openDatabase(sizes: number[]): Promise<Database> {
  const postgres = await joinEmbeddedPostgres(folder, (text) => process.stderr.write(`${text}\n`));
  const name = `books_${sizes.at(-1)}_${fingerprint()}`;
  const admin = new Client({ connectionString: postgres.superuserUrl });
  await admin.connect();
  const known = await admin.query<{ datname: string }>("select datname from pg_database where datname like 'books_%'");
  if (!known.rows.some(({ datname }) => datname === name)) {
    const old = known.rows.filter(({ datname }) => !datname.endsWith(fingerprint()));
    for (const { datname } of [{ datname: 'loading' }, ...old]) await admin.query(`drop database if exists ${datname}`);
    await admin.query('create database loading');
    await load(new URL('/loading', postgres.superuserUrl).href, sizes);
    await admin.query(`alter database loading rename to ${name}`);
  }
  await admin.query('drop database if exists bench with (force)');
  await admin.query(`create database bench template ${name} strategy file_copy`);
  // As on any solid-state disk. With the default, counting reads tables instead of indexes, and looks too slow.
  await admin.query('alter database bench set random_page_cost = 1.1');
  await admin.query('checkpoint');
  await admin.end();

  const url = new URL('/bench', postgres.superuserUrl).href;
  const pool = new Pool({ connectionString: url, max: 5 });
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    url,
    pool,
    postgresPid: findParent(rows[0]!.pid),
    tenants: await makeTokens(url, [0, ...sizes]),
    close: async () => {
      // The pool ends before PostgreSQL has closed its connections: it may still report that the server has ended them.
      pool.on('error', () => {});
      await pool.end();
      await postgres.leave();
    },
  };
}

function fingerprint(): string {
  const migrations = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));
  const hash = createHash('sha256');
  for (const file of ['books.ts', 'database.ts']) hash.update(readFileSync(new URL(file, import.meta.url)));
  for (const file of readdirSync(migrations, { recursive: true, encoding: 'utf8' }).toSorted())
    if (file.endsWith('.sql')) hash.update(readFileSync(join(migrations, file)));
  return hash.digest('hex').slice(0, 12);
}

const buildTenantId = (size: number): string => `00000000-0000-7000-8000-${String(size).padStart(12, '0')}`;

async function load(url: string, sizes: number[]): Promise<void> {
  await migrate(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("set maintenance_work_mem = '512MB'");
  for (const size of [0, ...sizes])
    await client.query('insert into tenants (id, name, country) values ($1, $2, $3)', [
      buildTenantId(size),
      `Tenant of ${size}`,
      'DE',
    ]);
  await client.query(
    `insert into customers (tenant_id, id, type, company_name, updated_at)
     select $1, '01900000-0000-7000-8000-000000000000', 'customer', 'The only one', now()`,
    [buildTenantId(0)],
  );
  const restore = await dropIndexes(client);
  const track = await disableTracking(client);
  for (const table of Object.keys(tables)) for (const size of sizes) await copy(client, table, size);
  process.stderr.write('building indexes\n');
  await restore();
  await track();
  await client.query('vacuum (analyze)');
  await client.end();
}

async function copy(client: Client, table: string, size: number): Promise<void> {
  const rowsAt = tables[table]!;
  const bar = new SingleBar(
    { format: `{bar} {percentage} % of ${table}, tenant of {total}`, clearOnComplete: true },
    Presets.rect,
  );
  bar.start(size, 0);
  const tenantId = buildTenantId(size);
  function* lines(): Generator<string> {
    for (let from = 0; from < size; from += 100) {
      let chunk = '';
      for (let at = from; at < from + 100; at++)
        for (const row of rowsAt(at, size))
          chunk += `${tenantId}\t${Object.values(row)
            .map((cell) => cell ?? '\\N')
            .join('\t')}\n`;
      bar.update(from);
      yield chunk;
    }
  }
  const columns = ['tenant_id', ...listColumns(rowsAt, size)];
  await pipeline(Readable.from(lines()), client.query(copyFrom(`copy ${table} (${columns.join()}) from stdin`)));
  bar.stop();
}

/** Not every place has a row. */
function listColumns(rowsAt: (at: number, size: number) => object[], size: number): string[] {
  for (let at = 0; at < size; at++) for (const row of rowsAt(at, size)) return Object.keys(row);
  return [];
}

/** Loading and then indexing takes a fraction of the time. Returns what puts indexes and foreign keys back. */
async function dropIndexes(client: Client): Promise<() => Promise<void>> {
  const names = Object.keys(tables);
  const keys = await client.query<{ drop: string; restore: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
     from pg_constraint where contype = 'f' and conrelid = any($1::regclass[])`,
    [names],
  );
  const indexes = await client.query<{ drop: string; restore: string }>(
    `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as restore
     from pg_index where indrelid = any($1::regclass[])
       and not exists (select from pg_constraint where conindid = indexrelid)`,
    [names],
  );
  for (const { drop } of [...keys.rows, ...indexes.rows]) await client.query(drop);
  return async () => {
    for (const { restore } of [...indexes.rows, ...keys.rows]) await client.query(restore);
  };
}

/** Changes are written at once, as the migration writes them. Returns what does that, and enables the triggers again. */
async function disableTracking(client: Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ table: string; trigger: string; resource: string }>(
    `select tgrelid::regclass::text as table, tgname as trigger, encode(tgargs, 'escape') as resource
     from pg_trigger where tgname like 'record\\_%' and tgrelid = any($1::regclass[])`,
    [Object.keys(tables)],
  );
  for (const { table, trigger } of rows) await client.query(`alter table ${table} disable trigger ${trigger}`);
  return async () => {
    for (const { table, trigger, resource } of rows) {
      if (trigger === 'record_change')
        await client.query(
          `insert into changes (tenant_id, resource, id, position, deleted, changed_at)
           select tenant_id, $1, id, nextval('changes_position_seq'), false, updated_at from ${table} order by id
           on conflict do nothing`,
          [resource.replace(/\\000$/, '')],
        );
      await client.query(`alter table ${table} enable trigger ${trigger}`);
    }
  };
}

async function makeTokens(url: string, sizes: number[]): Promise<Map<number, Tenant>> {
  const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  const tenants = new Map<number, Tenant>();
  for (const size of sizes) {
    const id = buildTenantId(size);
    await createUser(client, { email: `caller${size}@example.com`, tenantId: id });
    const tokens: string[] = [];
    for (let count = 0; count < callers; count++) tokens.push((await createToken(client, { tenantId: id })).token);
    tenants.set(size, { id, size, tokens });
  }
  await client.$disconnect();
  return tenants;
}
