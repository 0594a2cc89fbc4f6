import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { getErrorCode } from '../../../prisma/connection/error-code.ts';
import { findConnectionProblem } from '../../../prisma/connection/connection-problem.ts';
import { ConnectionPool } from '../../../prisma/connection/connection.ts';
import {
  poolTimeouts,
  replaceBrokenConnections,
  applySessionSettings,
} from '../../../prisma/connection/pool-options.ts';
import { isPooled } from '../../../prisma/connection/pooler.ts';
import type { Config } from '../../config/config.ts';
import { joinEmbeddedPostgres } from '../../database/postgres/embedded-postgres.ts';
import { checkArchive } from './archive.ts';
import { checkBackups } from './backups.ts';
import {
  checkClock,
  checkConnections,
  checkExtensions,
  checkIsolation,
  checkMigrations,
  checkRoles,
  checkSettings,
  checkVersion,
  checkWrites,
  forConnections,
} from './database.ts';
import { fail, ok, warn, type Check, type Finding } from './finding.ts';
import { checkDisks, checkProxies } from './machine.ts';
import { checkProcesses, checkQueue } from './queue.ts';
import { checkSecret } from './secret.ts';

/**
 * Looks at everything that an installation needs. Changes nothing, but starts the embedded database if it doesn't run.
 * @param now milliseconds since 1970, by this machine's clock
 */
export async function examine(config: Config, now: () => number = Date.now): Promise<Finding[]> {
  const found: Finding[] = [...checkProxies(config), ...(await run('disk', () => checkDisks(config)))];
  if (config.databaseUrl !== null) return [...found, ...(await examineOwn(config, now))];
  const isMade = await stat(join(config.dataDir, 'postgres')).catch(() => undefined);
  if (!isMade)
    return [...found, warn('database', `There is none in ${config.dataDir}`, 'The first start makes one: npm start')];
  try {
    const embedded = await joinEmbeddedPostgres(config.dataDir);
    try {
      return [...found, ...(await examineAt(embedded.url, config, now))];
    } finally {
      await embedded.leave();
    }
  } catch (error) {
    return [...found, fail('database', oneLine(error), `Read the log of the database in ${config.dataDir}`)];
  }
}

/** The operator's own PostgreSQL, by all its URLs. */
async function examineOwn(config: Config, now: () => number): Promise<Finding[]> {
  const { databaseUrl, databaseDirectUrl, databaseBooksUrl, databaseBooksDirectUrl } = config;
  const given: [setting: string, url: string | null][] = [
    ['DATABASE_URL', databaseUrl],
    ['DATABASE_DIRECT_URL', databaseDirectUrl],
    ['DATABASE_BOOKS_URL', databaseBooksUrl],
    ['DATABASE_BOOKS_DIRECT_URL', databaseBooksDirectUrl],
  ];
  const found: Finding[] = [];
  for (const [setting, url] of given) if (url !== null) found.push(...(await checkUrl(setting, url, config)));
  const direct = databaseDirectUrl ?? databaseUrl ?? '';
  const isAway = found.some(({ check, status }) => check === 'database' && status === 'fail');
  return isAway ? found : [...found, ...(await examineAt(direct, config, now))];
}

/** Whether a URL's database answers, and whether a pooler is between where none may be. */
async function checkUrl(setting: string, url: string, config: Config): Promise<Finding[]> {
  return withPool(url, async (pool) => {
    let pooled: boolean;
    try {
      pooled = await isPooled(pool);
    } catch (error) {
      const reason = findConnectionProblem(error)?.reason ?? 'The database does not answer.';
      const isFull = getErrorCode(error) === '53300';
      const action = isFull ? forConnections : `Start the database, or correct ${setting}`;
      return [fail('database', `${setting}: ${reason} (${oneLine(error)})`, action)];
    }
    const answers = ok('database', `${setting} leads to ${pooled ? 'a pooler' : 'PostgreSQL'}, which answers`);
    if (!pooled) return [answers];
    if (setting.includes('DIRECT'))
      return [answers, fail('pooler', `${setting} leads through a pooler`, 'Let it name PostgreSQL itself')];
    const direct = setting.replace('URL', 'DIRECT_URL');
    const isGiven = setting === 'DATABASE_URL' ? config.databaseDirectUrl : config.databaseBooksDirectUrl;
    return isGiven === null
      ? [answers, fail('pooler', `${setting} leads through a pooler`, `Set ${direct} to PostgreSQL itself`)]
      : [answers, ok('pooler', `${direct} is set`)];
  });
}

async function examineAt(url: string, config: Config, now: () => number): Promise<Finding[]> {
  return withPool(url, async (pool) => {
    const found: Finding[] = [];
    const add = async (name: string, check: Check): Promise<void> => void found.push(...(await run(name, check)));
    if (config.databaseUrl === null) found.push(ok('database', `The embedded one in ${config.dataDir} answers`));
    await add('version', () => checkVersion(pool));
    await add('database settings', () => checkSettings(pool));
    await add('writes', () => checkWrites(pool));
    await add('clock', () => checkClock(pool, now));
    await add('connections', () => checkConnections(pool, countConnections(config)));
    await add('roles', () => checkRoles(pool));
    await add('extensions', () => checkExtensions(pool));
    await add('migrations', () => checkMigrations(pool));
    await add('processes', () => checkProcesses(pool));
    await add('backup', () => (config.databaseUrl === null ? checkBackups(config, now) : checkArchive(pool)));
    // The others look at tables.
    if (found.some(({ check, status }) => check === 'migrations' && status === 'fail')) return found;
    await add('isolation', () => checkIsolation(pool));
    await add('secret', () => checkSecret(pool, config));
    await add('queue', () => checkQueue(pool));
    return found;
  });
}

/** How many connections a start may take. Above one HTTP process, a worker is another process. */
const countConnections = ({ webConcurrency, databaseConnections, databaseBooksConnections }: Config): number =>
  (webConcurrency > 1 ? webConcurrency + 1 : 1) * (databaseConnections + databaseBooksConnections);

/** Runs a check. One that can't look has failed. */
async function run(name: string, check: Check): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [fail(name, `This can't be checked: ${oneLine(error)}`, 'Mend what is above, and run this again')];
  }
}

async function withPool(url: string, work: (pool: Pool) => Promise<Finding[]>): Promise<Finding[]> {
  const pool = new ConnectionPool({
    connectionString: url,
    application_name: 'kontor doctor',
    max: 1,
    onConnect: applySessionSettings,
    ...poolTimeouts,
  });
  replaceBrokenConnections(pool);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

function oneLine(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return (first instanceof Error ? first.message : String(first)).replaceAll(/\s+/g, ' ');
}
