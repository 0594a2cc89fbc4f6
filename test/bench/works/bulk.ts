import { deepStrictEqual } from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, type Bench, type Work } from '../bench.ts';
import { kontorWorker, stop, type Running } from '../contenders.ts';
import { folder } from '../database.ts';
import { perSecond } from '../race.ts';

const customers = 20_000;
const manyCustomers = 100_000;

/** From the request until all are written: by a bulk operation, against COPY by hand. */
export const bulkLoad: Work = {
  name: `REST bulk load of ${customers} customers, with their events`,
  async run(bench) {
    const [kontor, byHand] = await Promise.all([bench.contender('kontorRest'), bench.contender('fastifyPg')]);
    const worker = startWorker(bench);
    const sides = [
      {
        name: kontor.name,
        load: (body: string) => loadInBulk(bench, kontor, body, customers),
        seconds: [] as number[],
      },
      { name: byHand.name, load: (body: string) => loadByHand(bench, byHand, body), seconds: [] as number[] },
    ];
    try {
      for (let round = 0; round <= bench.pace.rounds; round++) {
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          bench.say(`${this.name}: ${side.name}, round ${round} of ${bench.pace.rounds}`);
          const seconds = await measure(bench, side.name, side.load);
          if (round > 0) side.seconds.push(seconds); // the first is for V8 to compile
        }
      }
    } finally {
      await stop(worker);
    }
    const [ours = NaN, theirs = NaN] = sides.map(({ seconds }) => customers / median(seconds));
    return [
      {
        work: this.name,
        against: `${byHand.name}, COPY`,
        ours: perSecond(ours),
        theirs: perSecond(theirs),
        ratio: ours / theirs,
        goal: 0.5,
      },
    ];
  },
};

/** Until as many are written as a business brings along when it changes its system. */
export const bulkLoadOfMany: Work = {
  name: `REST bulk load of ${manyCustomers} customers, s`,
  long: true,
  async run(bench) {
    const kontor = await bench.contender('kontorRest');
    const worker = startWorker(bench);
    try {
      await idle(bench);
      bench.say(this.name);
      const body = lines(manyCustomers);
      const from = performance.now();
      await loadInBulk(bench, kontor, body, manyCustomers);
      const seconds = (performance.now() - from) / 1000;
      const figures = { ours: `${seconds.toFixed(1)} s`, theirs: '', ratio: seconds };
      return [{ work: this.name, against: '–', ...figures, goal: 60, atMost: 60 }];
    } finally {
      await stop(worker);
    }
  },
};

/** For all: it does the bulk operation, and what follows from the events of each side. */
const startWorker = ({ database }: Bench): ChildProcess =>
  spawn(process.execPath, kontorWorker.run, {
    env: { ...process.env, NODE_ENV: 'production', ...kontorWorker.env, DATABASE_URL: database.url },
    stdio: ['ignore', 'ignore', openSync(join(folder, 'stderr.log'), 'w')],
  });

async function measure(bench: Bench, name: string, load: (body: string) => Promise<void>): Promise<number> {
  await idle(bench);
  const before = await written(bench);
  const body = lines(customers);
  const from = performance.now();
  await load(body);
  const seconds = (performance.now() - from) / 1000;
  const after = await written(bench);
  deepStrictEqual(
    after.map((count, at) => count - before[at]!),
    [customers, customers],
    `${name} writes other customers or events`,
  );
  return seconds;
}

async function loadInBulk(bench: Bench, { url }: Running, body: string, count: number): Promise<void> {
  let operation = await request(bench, 'POST', `${url}/api/v1/bulk-operations?resource=customers&action=create`, body);
  while (operation['status'] === 'pending' || operation['status'] === 'running') {
    await sleep(20);
    operation = await request(bench, 'GET', `${url}/api/v1/bulk-operations/${String(operation['id'])}`);
  }
  const { status, succeeded_lines: succeeded } = operation;
  deepStrictEqual({ status, succeeded }, { status: 'completed', succeeded: count });
}

async function loadByHand(bench: Bench, { url }: Running, body: string): Promise<void> {
  deepStrictEqual(await request(bench, 'POST', `${url}/api/v1/customers/load`, body), { loaded: customers });
}

async function request(bench: Bench, method: string, url: string, body?: string): Promise<Record<string, unknown>> {
  const { tokens } = bench.tenant(0);
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${tokens[0]}`,
      ...(body !== undefined && { 'content-type': 'application/jsonl' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} to ${method} ${url}: ${text}`);
  return (JSON.parse(text) as { data: Record<string, unknown> }).data;
}

let loads = 0;

/** Customers that no earlier load has. */
function lines(count: number): string {
  loads += 1;
  const customer = (at: number): string =>
    JSON.stringify({
      external_id: `load-${loads}-${at}`,
      type: 'customer',
      company_name: `Bäckerei Nordlicht ${at}`,
      email: `buero${at}@firma.example`,
      address_line1: `Hauptstraße ${at % 200}`,
      postal_code: String(10_000 + at),
      city: 'Kiel',
      country: 'DE',
      vat_id: null,
    });
  return Array.from({ length: count }, (_, at) => `${customer(at)}\n`).join('');
}

async function written(bench: Bench): Promise<number[]> {
  const { rows } = await bench.database.pool.query<{ counts: number[] }>(
    `select array[(select count(*) from customers where tenant_id = $1 and external_id is not null),
       (select count(*) from events where tenant_id = $1 and type = 'customer.created')]::int[] as counts`,
    [bench.tenant(0).id],
  );
  return rows[0]?.counts ?? [];
}

/** Waits until the worker has done what followed from the load before. */
async function idle({ database: { pool } }: Bench): Promise<void> {
  const sql = 'select from graphile_worker._private_jobs where attempts < max_attempts and run_at <= now() limit 1';
  while ((await pool.query(sql)).rowCount !== 0) await sleep(50);
}
