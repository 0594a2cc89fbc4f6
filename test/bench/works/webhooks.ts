import { strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, type Bench, type Work } from '../bench.ts';
import { bareBatches, barePipeline, kontorWorker, stop, type Worker } from '../contenders.ts';
import { readCpu } from '../cpu.ts';
import { folder } from '../database.ts';
import { perSecond } from '../race.ts';

const sizes = [0, 1000, 100_000];
const webhooksEach = 10;
/** So many that most of a round is measured after V8 has compiled the worker. */
const eventsEach = 800;
const deliveries = sizes.length * webhooksEach * eventsEach;

interface Side extends Worker {
  /** The process that delivers. */
  add(bench: Bench, url: string): Promise<void>;
  /** The number of deliveries that it has not recorded, or completed, yet. */
  left(bench: Bench): Promise<number>;
}

const ours: Side = { ...kontorWorker, add: addEvents, left: unrecorded };
const bare = { add: addBareJobs, left: jobs };
const theirs: Side[] = [
  { ...barePipeline, ...bare },
  { ...bareBatches, ...bare },
];

/** From the event's job to the recorded attempt, to thirty webhooks of three tenants, against a job that posts. */
export const webhooks: Work = {
  name: 'webhook deliveries, recorded',
  async run(bench) {
    const receiver = await receive();
    await makeWebhooks(bench, receiver.url);
    const sides = [ours, ...theirs];
    const figures = new Map<Side, Figures[]>(sides.map((side) => [side, []]));
    for (let round = 0; round < bench.pace.rounds; round++) {
      bench.say(`${this.name}: round ${round + 1}`);
      for (const side of sides) figures.get(side)!.push(await deliver(bench, receiver, side));
      strictEqual(await recorded(bench), deliveries * (round + 1), 'attempts recorded');
    }
    receiver.close();
    const of = (side: Side) => {
      const rate = median(figures.get(side)!.map((each) => each.perSecond));
      const cpuMs = median(figures.get(side)!.map((each) => each.cpuMs));
      return { rate, text: `${perSecond(rate)}, ${cpuMs.toFixed(2)} ms CPU` };
    };
    return theirs.map((side, index) => ({
      work: this.name,
      against: side.name,
      ours: of(ours).text,
      theirs: of(side).text,
      ratio: of(ours).rate / of(side).rate,
      goal: [0.75, 0.5][index],
    }));
  },
};

interface Figures {
  perSecond: number;
  /** Of the worker and PostgreSQL, per delivery. */
  cpuMs: number;
}

interface Receiver {
  url: string;
  arrivals: number[];
  close(): void;
}

async function receive(): Promise<Receiver> {
  const arrivals: number[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      arrivals.push(performance.now());
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals, close };
}

/** From when the first fifth has warmed it up until the last is recorded. */
async function deliver(bench: Bench, { arrivals, url }: Receiver, side: Side): Promise<Figures> {
  const { pool, postgresPid } = bench.database;
  await pool.query('delete from graphile_worker._private_jobs');
  await side.add(bench, url);
  arrivals.length = 0;
  const child = spawn(process.execPath, side.run, {
    env: { ...process.env, NODE_ENV: 'production', ...side.env, DATABASE_URL: bench.database.url },
    stdio: ['ignore', 'ignore', openSync(join(folder, 'stderr.log'), 'w')],
  });
  const state = () => ({
    at: performance.now(),
    count: arrivals.length,
    cpuMs: readCpu(child.pid!) + readCpu(postgresPid),
  });
  const until = async (done: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await done())) {
      if (child.exitCode !== null) throw new Error(`${side.name} stopped`);
      await sleep(10);
    }
  };
  await until(() => arrivals.length >= deliveries / 5);
  const from = state();
  await until(() => arrivals.length === deliveries);
  await until(async () => (await side.left(bench)) === 0);
  const to = { ...state(), count: deliveries };
  await stop(child);
  const count = to.count - from.count;
  return { perSecond: (count / (to.at - from.at)) * 1000, cpuMs: (to.cpuMs - from.cpuMs) / count };
}

async function makeWebhooks(bench: Bench, url: string): Promise<void> {
  const kontor = await bench.contender('kontorGraphql');
  const query = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
  for (const size of sizes) {
    for (let count = 0; count < webhooksEach; count++) {
      const variables = { input: { url: `${url}/${size}/${count}`, events: ['*'] } };
      const response = await fetch(`${kontor.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bench.tenant(size).tokens[0]}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const answer = await response.text();
      if (answer.includes('"errors"')) throw new Error(answer);
    }
  }
}

const body = JSON.stringify({ event: 'invoice.paid', data: { invoice: { subject: 'x'.repeat(1000) } } });

/** The tables' triggers add the jobs. */
async function addEvents(bench: Bench): Promise<void> {
  for (const size of sizes)
    await bench.database.pool.query(
      `insert into events (tenant_id, id, type, body)
       select $1, uuidv7(), 'invoice.paid', $2 from generate_series(1, $3)`,
      [bench.tenant(size).id, body, eventsEach],
    );
}

async function addBareJobs({ database }: Bench, url: string): Promise<void> {
  await database.pool.query(
    `select graphile_worker.add_job('bare_post', json_build_object('url', $1::text, 'body', $2::text))
     from generate_series(1, $3)`,
    [url, body, deliveries],
  );
}

async function recorded({ database }: Bench): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int from delivery_attempts a join deliveries d on (d.tenant_id, d.id) = (a.tenant_id, a.delivery_id)
     where d.state = 'delivered' and a.status = 200`,
  );
  return rows[0]?.count ?? 0;
}

async function unrecorded({ database }: Bench): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "select count(*)::int from deliveries where state = 'waiting'",
  );
  return rows[0]?.count ?? NaN;
}

async function jobs({ database }: Bench): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(*)::int from graphile_worker._private_jobs',
  );
  return rows[0]?.count ?? NaN;
}
