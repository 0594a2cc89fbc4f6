import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConnectionPool, createConnection, observeStatements } from '../prisma/connection/connection.ts';
import { applySessionSettings } from '../prisma/connection/pool-options.ts';
import { createDatabase, startService, type Database } from './harness.ts';

let database: Database;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

async function connect(options: { query_timeout?: number } = {}): Promise<Client> {
  const connection = createConnection({ connectionString: database.url, ...options });
  connection.on('error', () => {});
  await connection.connect();
  onTestFinished(() => connection.end().catch(() => {}));
  return connection;
}

const numbered = (number: number): string => `select ${number}::int as number`;

describe('a connection', () => {
  it('sends one statement at a time, in the order of the calls', async () => {
    const connection = await connect();
    const events: string[] = [];
    onTestFinished(
      observeStatements(({ text }) => {
        events.push(`sent ${text}`);
        return () => void events.push(`answered ${text}`);
      }),
    );
    const [first, second, third, fourth] = [numbered(1), numbered(2), numbered(3), numbered(4)];
    const answers = await Promise.all([
      connection.query(first),
      new Promise((resolve, reject) => {
        connection.query(second, (error, result) => (error ? reject(error) : resolve(result)));
      }),
      connection.query({ text: third }),
      connection.query(fourth),
    ]);
    expect(answers).toMatchObject([1, 2, 3, 4].map((number) => ({ rows: [{ number }] })));
    expect(events).toEqual([first, second, third, fourth].flatMap((text) => [`sent ${text}`, `answered ${text}`]));
  });

  it('sends the statements that wait behind a failed one', async () => {
    const connection = await connect();
    const failed = connection.query('select 1 / 0');
    const others = [connection.query(numbered(2)), connection.query(numbered(3))];
    await expect(failed).rejects.toThrow('division by zero');
    expect(await Promise.all(others)).toMatchObject([{ rows: [{ number: 2 }] }, { rows: [{ number: 3 }] }]);
  });

  it('rejects all waiting statements when it is lost', async () => {
    const connection = await connect();
    const [sleeping, ...others] = ['select pg_sleep(60)', numbered(2), numbered(3)].map((text) =>
      connection.query(text).catch((error: Error) => error),
    );
    const { processID } = connection as Client & { processID: number };
    const operator = await connect();
    await operator.query('select pg_terminate_backend($1::int)', [processID]);
    for (const answer of [sleeping, ...others]) expect(await answer).toBeInstanceOf(Error);
  });

  it('closes when a statement times out', async () => {
    const connection = await connect({ query_timeout: 100 });
    const ended = new Promise<void>((resolve) => connection.once('end', resolve));
    const waiting = connection.query('select pg_sleep(60)');
    const next = connection.query(numbered(2)).catch((error: Error) => error);
    await expect(waiting).rejects.toThrow('Query read timeout');
    await ended;
    expect(await next).toBeInstanceOf(Error);
  });
});

describe('an observer of statements', () => {
  it('is called in the context of the caller, also where the statement had to wait', async () => {
    const connection = await connect();
    const caller = new AsyncLocalStorage<number>();
    const callers: unknown[] = [];
    onTestFinished(observeStatements(() => void callers.push(caller.getStore())));
    await Promise.all([1, 2, 3].map((number) => caller.run(number, () => connection.query(numbered(number)))));
    expect(callers).toEqual([1, 2, 3]);
  });

  it('gets values, results, and errors, also of a pool’s statements', async () => {
    const pool = new ConnectionPool({ connectionString: database.url, max: 1 });
    onTestFinished(() => pool.end());
    const seen: unknown[] = [];
    const stop = observeStatements(({ text, values }) => (error, result) => {
      seen.push({ text, values, error: error instanceof Error ? error.message : error, rows: result?.rowCount });
    });
    await pool.query('select $1::int', [5]);
    await pool.query({ text: 'select 1 where $1', values: [false] });
    await pool.query('select 1 / 0').catch(() => {});
    stop();
    await pool.query('select 1');
    expect(seen).toEqual([
      { text: 'select $1::int', values: [5], error: undefined, rows: 1 },
      { text: 'select 1 where $1', values: [false], error: undefined, rows: 0 },
      { text: 'select 1 / 0', values: undefined, error: 'division by zero', rows: undefined },
    ]);
  });
});

it('a pool reports the errors of its connections and of connecting', async () => {
  const codes: string[] = [];
  const pool = new ConnectionPool({ connectionString: database.url, max: 1 });
  pool.observeErrors((code) => void codes.push(code));
  await pool.query('select 1 / 0').catch(() => {});
  await pool.end();
  const missing = new ConnectionPool({ connectionString: new URL('/no_such_database', database.url).href });
  missing.observeErrors((code) => void codes.push(code));
  await missing.query('select 1').catch(() => {});
  await missing.end();
  expect(codes).toEqual(['22012', '3D000']);
});

it('PostgreSQL compiles no statement of a session, and none of a report in any session', async () => {
  const connection = await connect();
  await connection.query(`set jit = on`);
  await applySessionSettings(connection);
  expect((await connection.query('show jit')).rows).toEqual([{ jit: 'off' }]);
  const service = await startService({ database, limitsOfDatabase: true });
  onTestFinished(() => service.close());
  const { db } = await service.integrator();
  const read = `select current_setting('jit') as jit from (values ($1::uuid)) as one (tenant_id) where tenant_id = $1`;
  const rows = await db.$transaction(async (inside) => {
    await inside.planForManyRows();
    return inside.$rows(read, []);
  });
  expect(rows).toEqual([{ jit: 'off' }]);
});
