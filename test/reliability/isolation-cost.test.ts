import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PoolClient } from 'pg';
import { booksOn } from '../../prisma/client.ts';
import { PooledConnection } from '../../prisma/tenant/pooled-connection.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startLoad, type Get, type Load } from './load.ts';
import { size } from './size.ts';

const rounds = size('ROUNDS', { suite: 2, full: 25 });
const roundMs = size('ROUND_MS', { suite: 100, full: 600 });
const tenants = size('TENANTS', { suite: 20, full: 1000 });

let database: Database;
let guarded: Service;
/** The same service on connections of a superuser, for whom row-level security is not applied. */
let bare: Service;
let load: Load;
const customers: { who: Integrator; id: string }[] = [];

beforeAll(async () => {
  database = await createDatabase();
  guarded = await startService({ database });
  const pool = new ConnectionPool({ connectionString: database.url, max: 10, Client: PooledConnection });
  const acquire = async () => (await pool.connect()) as PoolClient & PooledConnection;
  const books = booksOn(Object.assign(pool, { acquire }));
  bare = await startService({ database, books });
  load = startLoad();
  for (let count = 0; count < tenants; count += 20) {
    const some = Array.from({ length: 20 }, async () => {
      const who = await guarded.integrator();
      customers.push({ who, id: await makeCustomer(who) });
    });
    await Promise.all(some);
  }
});
afterAll(async () => {
  await load.end();
  await bare.close();
  await guarded.close();
  await database.drop();
});

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

it.each([
  ['one tenant', 1],
  [`${tenants} tenants in turn`, tenants],
])('row-level security’s cost on a get by id over REST: %s', async (name, count) => {
  const getsOf = (service: Service): Get[] =>
    customers.slice(0, count).map(({ who, id }) => ({
      url: `${service.url}/api/v1/customers/${id}`,
      authorization: `Bearer ${who.token}`,
    }));
  const rates: [guarded: number, bare: number][] = [];
  for (let round = -3; round < rounds; round++) {
    const pair = { guarded: 0, bare: 0 };
    for (const which of round % 2 ? (['guarded', 'bare'] as const) : (['bare', 'guarded'] as const)) {
      const gets = getsOf(which === 'guarded' ? guarded : bare);
      pair[which] = await load.run({ gets, ms: roundMs, concurrency: 16 });
    }
    if (round >= 0) rates.push([pair.guarded, pair.bare]);
  }
  const [with_, without] = [median(rates.map(([rate]) => rate)), median(rates.map(([, rate]) => rate))];
  const cost = median(rates.map(([guardedRate, bareRate]) => bareRate / guardedRate - 1));
  process.stdout.write(
    `  ${name}: ${Math.round(with_)}/s with, ${Math.round(without)}/s without; ${(cost * 100).toFixed(1)} % dearer\n`,
  );
  expect(rates).toHaveLength(rounds);
});
