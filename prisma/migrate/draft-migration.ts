// node prisma/migrate/draft-migration.ts NAME
//
// Writes a migration for the difference between the existing migrations and schema.prisma. SHADOW_DATABASE_URL names an
// empty database, in which the migrations are tried; it is emptied afterwards.

import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ConnectionPool } from '../connection/connection.ts';
import { migrations } from './migrate.ts';
import { countedRows, getStateColumn } from '../row-counts.ts';
import { applyMigrations, drift, lockfile } from './schema-engine.ts';
import { getTable, type Table } from '../tables.ts';
import { tenantModels } from '../tenant/client.ts';

const folder = new URL('../migrations/', import.meta.url);

/** `TimeEntry` becomes `time_entry`. */
const toSnakeCase = (model: string): string => model.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase();

/** Adds row-level security for the new tables of the books, and row counts and the change feed for the new resources. */
function withIsolation(script: string): string {
  const isNew = ({ table }: Table): boolean => script.includes(`CREATE TABLE "${table}" (`);
  const isolated = [...tenantModels].map(getTable).filter(isNew);
  const tracked = (Object.keys(countedRows) as (keyof typeof countedRows)[]).flatMap((model) => {
    const table = getTable(model);
    const column = getStateColumn(model);
    if (!isNew(table)) return [];
    const state = column === null ? '' : `, '${column}'`;
    return [
      `select count_rows('${table.table}'${state});`,
      `select track_changes('${table.table}', '${toSnakeCase(model)}');`,
    ];
  });
  if (isolated.length === 0) return script;
  const calls = [...isolated.map(({ table }) => `select isolate('${table}');`), ...tracked];
  return `${script.trimEnd()}\n\n-- Row-level security, row counts for lists, and the change feed\n${calls.join('\n')}\n`;
}

async function draft(name: string | undefined, shadow: string | undefined): Promise<string> {
  if (!name || !/^[a-z0-9_]+$/.test(name))
    throw new Error('usage: node prisma/migrate/draft-migration.ts NAME (lower case, digits, _)');
  if (!shadow) throw new Error('SHADOW_DATABASE_URL is missing: the URL of an empty database to try the migrations in');

  await mkdir(folder, { recursive: true });
  await writeFile(new URL('migration_lock.toml', folder), lockfile);

  const pool = new ConnectionPool({ connectionString: shadow });
  try {
    const { rowCount } = await pool.query(`select from pg_class where relnamespace = 'public'::regnamespace limit 1`);
    if (rowCount) throw new Error('SHADOW_DATABASE_URL must lead to an empty database: this one has tables');
    try {
      await applyMigrations(shadow, await migrations());
      const script = await drift(shadow);
      const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
      const target = new URL(`${timestamp}_${name}/migration.sql`, folder);
      await mkdir(new URL('.', target), { recursive: true });
      const sql = script && withIsolation(script);
      await writeFile(target, sql || "-- schema.prisma asks for nothing here: this is for what Prisma can't say\n");
      return fileURLToPath(target);
    } finally {
      await pool.query('drop schema public cascade; create schema public');
    }
  } finally {
    await pool.end();
  }
}

try {
  const file = await draft(process.argv[2], process.env['SHADOW_DATABASE_URL']);
  process.stdout.write(`${file}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
