import { Client, Pool } from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createDatabase, type Database } from '../harness.ts';

// A database whose clock only the tests move, and the pools of two processes.

let database: Database;
const pools: Pool[] = [];

/** The start time of the tests, in milliseconds. */
export const start = 1_800_000_000_000;

/** Replaces PostgreSQL's clock in the pools' search path. Only the test advances it. */
const heldClock = `
  create schema held;
  create table held.clock (now timestamptz not null);
  insert into held.clock values (to_timestamp(${start / 1000}));`;
export const heldFunction = `
  create or replace function held.clock_timestamp() returns timestamptz volatile language sql
  as 'select now from held.clock'`;

/** For a file of tests. */
export function holdClock(): void {
  beforeAll(async () => {
    database = await createDatabase();
    const owner = new Client({ connectionString: database.url });
    await owner.connect();
    await owner.query(heldClock);
    await owner.query(heldFunction);
    await owner.end();
    for (let i = 0; i < 2; i++) {
      const made = new Pool({
        connectionString: database.url,
        max: 20,
        options: '-c search_path=held,pg_catalog,public',
      });
      made.on('error', () => {}); // it ends before its connections are closed, and the database terminates these
      pools.push(made);
    }
  });

  afterAll(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await database.drop();
  });

  beforeEach(async () => {
    await pool().query('truncate rate_limits, rate_limit_pages');
  });
}

export const pool = (index = 0): Pool => pools[index]!;

/** Advances the database's clock. */
export const pass = (ms: number): Promise<unknown> =>
  pool().query(`update held.clock set now = now + $1 * interval '1 ms'`, [ms]);
