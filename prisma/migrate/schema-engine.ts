import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, DriverAdapterError } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';
import { __wbg_set_wasm as setWasm } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Pool, QueryArrayConfig, QueryArrayResult } from 'pg';
import { takeAdvisoryLock } from '../connection/advisory-lock.ts';
import { ConnectionPool } from '../connection/connection.ts';
import { forCitus, hasCitus } from '../distribute/distributed.ts';
import { lockLimits, LockWatch, type LockLimits } from '../connection/lock-waits.ts';
import { liftTimeouts, replaceBrokenConnections } from '../connection/pool-options.ts';
import { splitStatements } from './split-statements.ts';
import { isLockTimeout } from '../connection/transaction-retry.ts';

declare const WebAssembly: {
  // in TypeScript's DOM library only
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/** The shortest wait for a lock, and the step in which waits get shorter, in milliseconds. */
const leastWaitMs = 100;
const stepMs = 100;

export type Migration = { name: string; script: string };

/** The content of Prisma's migration_lock.toml. */
export const lockfile = 'provider = "postgresql"\n';

const schema = new URL('../schema.prisma', import.meta.url);
const filters = { externalTables: [], externalEnums: [] };

// An attempt that failed or was cut short leaves only its record: see `finish`.
const giveUpUnfinished = `update _prisma_migrations set rolled_back_at = now() where finished_at is null and rolled_back_at is null`;

// In the script's own transaction, so that a killed process leaves both the migration and its record, or neither.
const finish = `update _prisma_migrations set finished_at = now() where finished_at is null and rolled_back_at is null`;

export interface ApplyOptions {
  /** Receives a line now and then about what a migration waits for. */
  report?: (line: string) => void;
  limits?: LockLimits;
}

/**
 * The name of the index where a migration consists of one `create index concurrently`. It runs outside a transaction, so that
 * it doesn't lock the table.
 */
export function concurrentIndex(script: string): string | undefined {
  const [statement = '', ...others] = splitStatements(script);
  if (others.length > 0) return undefined;
  return /^\s*create (?:unique )?index concurrently "?(\w+)"? on /i.exec(statement)?.[1];
}

/**
 * Applies the `migrations` that the database at `url` lacks, oldest first, and records them in `_prisma_migrations`. Each is
 * one transaction, except for a `concurrentIndex()`. A migration that failed or was interrupted in an earlier run is retried.
 * One that would wait long for a lock gives up its locks and is tried again for a while.
 *
 * @returns the names applied
 * @throws Error of one line: which migration, and PostgreSQL's reason. Those before it stay applied.
 */
export async function applyMigrations(
  url: string,
  migrations: Migration[],
  { report = () => {}, limits = lockLimits }: ApplyOptions = {},
): Promise<string[]> {
  const beside = new ConnectionPool({ connectionString: url, max: 1, onConnect: liftTimeouts });
  replaceBrokenConnections(beside);
  try {
    return await applyWatched(url, migrations, new LockWatch(beside, report, limits));
  } finally {
    await beside.end();
  }
}

function applyWatched(url: string, migrations: Migration[], watch: LockWatch): Promise<string[]> {
  const names = new Map(migrations.map(({ name, script }) => [script, name]));
  const formatName = (script: string): string => `migration ${names.get(script) ?? 'of the history'}`;
  return withEngine(url, { watch, formatName }, async (engine, pool) => {
    // The engine's own lock. After a process was killed, the server may still be running its script under this lock.
    await takeAdvisoryLock(pool, 72_707_369);
    const {
      rows: [found],
    } = await pool.query<{ history: string | null }>(`select to_regclass('_prisma_migrations') as history`);
    if (found?.history) await pool.query(giveUpUnfinished);
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir: fileURLToPath(new URL('../migrations', import.meta.url)),
        lockfile: { path: 'migration_lock.toml', content: lockfile },
        shadowDbInitScript: '',
        migrationDirectories: migrations.map(({ name, script }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
        })),
      },
      filters,
    });
    return appliedMigrationNames;
  });
}

/**
 * The SQL that changes the database at `url` to the models of schema.prisma; '' if there is no difference. It considers only
 * the schema `public`, and only what Prisma can express: no checks, triggers or extensions.
 *
 * @throws Error of one line when schema.prisma is invalid
 */
export function drift(url: string): Promise<string> {
  return withEngine(url, undefined, async (engine) => {
    const files = [{ path: fileURLToPath(schema), content: await readFile(schema, 'utf8') }];
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: fileURLToPath(new URL('..', import.meta.url)) },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true, // 0 for no difference, which `stdout` tells only in prose
      filters,
    });
    return exitCode === 0 ? '' : (stdout ?? '');
  });
}

/** How scripts wait for locks, and what they are called in reports. */
interface Waits {
  watch: LockWatch;
  formatName(script: string): string;
}

/** @param waits undefined where the engine runs no script */
async function withEngine<T>(
  url: string,
  waits: Waits | undefined,
  work: (engine: SchemaEngine, pool: Pool) => Promise<T>,
): Promise<T> {
  // One connection for all: the engine's lock is its own.
  const pool = new EnginePool({ connectionString: url, max: 1, idleTimeoutMillis: 0, onConnect: liftTimeouts });
  pool.on('error', () => {}); // the next query reports the error
  const adapter = new EngineAdapter(pool, waits);
  try {
    const { SchemaEngine } = await load();
    const datamodels: [string, string][] = [['schema.prisma', await readFile(schema, 'utf8')]];
    const engine = await SchemaEngine.new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(adapter));
    return await work(engine, pool);
  } catch (error) {
    throw adapter.gaveUp ?? new Error(onOneLine(error), { cause: error });
  } finally {
    await pool.end();
  }
}

let loaded: Promise<typeof glue> | undefined;

/** Loaded by hand, because Node warns of an experimental feature when a .wasm file is imported. */
function load(): Promise<typeof glue> {
  return (loaded ??= (async () => {
    const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
    const imports = Object.entries(glue).map(([name, value]) => [
      name,
      name.startsWith('__wbg_setTimeout_') ? setIdleTimeout : value,
    ]);
    const { instance } = await WebAssembly.instantiate(await readFile(file), {
      './schema_engine_bg.js': Object.fromEntries(imports),
    });
    setWasm(instance.exports);
    const start = instance.exports['__wbindgen_start'];
    if (typeof start === 'function') start();
    return glue;
  })());
}

/** The engine leaves its 10 s time limit for a lock running; the process must not wait for that. */
function setIdleTimeout(callback: () => void, milliseconds: number): NodeJS.Timeout {
  return setTimeout(callback, milliseconds).unref();
}

type Run = (sql: string) => Promise<unknown>;

/** adapter-pg, adapted to the engine. */
class EngineAdapter extends PrismaPg {
  readonly #pool: Pool;
  readonly #waits: Waits | undefined;
  /** Why a script was given up. The engine can't say: it knows only PostgreSQL's own errors. */
  gaveUp: Error | undefined;

  constructor(pool: Pool, waits: Waits | undefined) {
    super(pool);
    this.#pool = pool;
    this.#waits = waits;
  }

  override async connect() {
    const adapter = await super.connect();

    // adapter-pg splits scripts at every semicolon, even inside function bodies.
    adapter.executeScript = async (script) => {
      const run: Run = (sql) => adapter.executeRaw({ sql, args: [], argTypes: [] });
      if (!this.#waits) return void (await run(script));
      const what = this.#waits.formatName(script);
      const pid = await this.#readPid();
      try {
        await this.#waits.watch.during(what, pid, () => this.#execute(script, what, run));
      } catch (error) {
        if (!(error instanceof DriverAdapterError)) this.gaveUp = error as Error;
        throw error;
      }
    };

    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (parameters) => {
      const result = await queryRaw(parameters);
      const columnTypes = result.columnTypes.map((type) =>
        type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    return adapter;
  }

  async #readPid(): Promise<number> {
    const { rows } = await this.#pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid ?? 0;
  }

  async #execute(script: string, what: string, run: Run): Promise<void> {
    const watch = this.#waits?.watch;
    if (!watch) return;
    const index = concurrentIndex(script);
    if (index !== undefined) return await buildIndex({ index, script, what, watch, run });
    const onCluster = await hasCitus(this.#pool);
    await watch.retry(what, () => inTransaction(script, { onCluster, waitMs: watch.limits.waitMs, run }));
  }
}

/**
 * Builds an index outside a transaction. It waits for all transactions that are under way, but holds up neither readers nor
 * writers meanwhile. The engine itself records the end.
 */
async function buildIndex({
  index,
  script,
  what,
  watch,
  run,
}: {
  index: string;
  script: string;
  what: string;
  watch: LockWatch;
  run: Run;
}): Promise<void> {
  const start = performance.now();
  await run(`set lock_timeout = ${watch.limits.totalMs}`);
  try {
    // An interrupted attempt leaves an index that is never used.
    await run(`drop index concurrently if exists "${index}"`);
    await run(script);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new Error(watch.giveUp(what, performance.now() - start), { cause: error });
  } finally {
    await run('reset lock_timeout').catch(() => {}); // of a lost connection
  }
}

/**
 * Runs a script and records its end, in one transaction. All its statements together may wait for locks as long as one may:
 * each holds the locks of those before it.
 */
async function inTransaction(
  script: string,
  { onCluster, waitMs, run }: { onCluster: boolean; waitMs: number; run: Run },
): Promise<void> {
  // Citus passes settings on to its workers.
  const settings = onCluster ? [forCitus, `set local citus.propagate_set_commands = 'local'`] : [];
  const start = performance.now();
  let timeoutMs = 0;
  await run('begin');
  try {
    for (const statement of [...settings, ...splitStatements(script), finish]) {
      const leftMs = Math.max(leastWaitMs, waitMs - Math.floor((performance.now() - start) / stepMs) * stepMs);
      if (leftMs !== timeoutMs) await run(`set local lock_timeout = ${leftMs}`);
      timeoutMs = leftMs;
      await run(statement);
    }
    await run('commit');
  } catch (error) {
    await run('rollback').catch(() => {}); // of a lost connection, PostgreSQL does so itself
    throw error;
  }
}

/** Constraints have "char" columns in the catalogs, a type that adapter-pg doesn't know. It knows arrays of them. */
class EnginePool extends ConnectionPool {
  override query(...args: never[]): never {
    return this.#query(...(args as unknown as [QueryArrayConfig])) as never;
  }

  async #query(config: QueryArrayConfig): Promise<QueryArrayResult> {
    const result = await super.query(config);
    for (const field of result.fields ?? []) if (field.dataTypeID === charType) field.dataTypeID = charArrayType;
    return result;
  }
}

// pg_type's oids
const charType = 18;
const charArrayType = 1002;

/** The engine's errors carry a trace of its Rust code, which names the migration. */
function onOneLine(error: unknown): string {
  const [message = '', trace = ''] = String(error instanceof Error ? error.message : error).split(/\n\s+0: /);
  const migration = /migration_name="([^"]+)"/.exec(trace)?.[1];
  const reason = message
    .replace(/^(external connector error|Error querying the database:|ERROR:|\s)+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return migration ? `migration ${migration} failed and was rolled back: ${reason}` : reason;
}
