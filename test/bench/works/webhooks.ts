import { strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, type Bench, type Work } from '../bench.ts';
import { barePipeline, kontorWorker, stop, type Worker } from '../contenders.ts';
import { folder } from '../database.ts';
import { perSecond } from '../race.ts';

const sizes = [0, 1000, 100_000];
const webhooksEach = 10;
const eventsEach = 50;
const deliveries = sizes.length * webhooksEach * eventsEach;

/** From the event's job to the recorded attempt, to thirty webhooks of three tenants, against a job that posts. */
export const webhooks: Work = {
  name: 'webhook deliveries, recorded',
  async run(bench) {
    const receiver = await receive();
    await makeWebhooks(bench, receiver.url);
    const rates: [number[], number[]] = [[], []];
    for (let round = 0; round < bench.pace.rounds; round++) {
      bench.say(`${this.name}: round ${round + 1}`);
      rates[0].push(await deliver(bench, receiver, kontorWorker, addEvents));
      strictEqual(await recorded(bench), deliveries * (round + 1), 'attempts recorded');
      rates[1].push(await deliver(bench, receiver, barePipeline, addBareJobs));
    }
    receiver.close();
    const [ours, theirs] = rates.map(median) as [number, number];
    const figures = { ours: perSecond(ours), theirs: perSecond(theirs), ratio: ours / theirs };
    return [{ work: this.name, against: barePipeline.name, ...figures, goal: 0.75 }];
  },
};

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

/** Deliveries per second, once the first fifth has warmed up. */
async function deliver(
  bench: Bench,
  { arrivals, url }: Receiver,
  worker: Worker,
  add: (bench: Bench, url: string) => Promise<void>,
): Promise<number> {
  await bench.database.pool.query('delete from graphile_worker._private_jobs');
  await add(bench, url);
  arrivals.length = 0;
  const child = spawn(process.execPath, worker.run, {
    env: { ...process.env, NODE_ENV: 'production', ...worker.env, DATABASE_URL: bench.database.url },
    stdio: ['ignore', 'ignore', openSync(join(folder, 'stderr.log'), 'w')],
  });
  while (arrivals.length < deliveries) {
    if (child.exitCode !== null) throw new Error(`${worker.name} stopped`);
    await sleep(20);
  }
  const [from, to] = [arrivals[deliveries / 5] ?? NaN, arrivals[deliveries - 1] ?? NaN];
  await sleep(500);
  await stop(child);
  return ((deliveries * 4) / 5 / (to - from)) * 1000;
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
       select $1, gen_random_uuid(), 'invoice.paid', $2 from generate_series(1, $3)`,
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
