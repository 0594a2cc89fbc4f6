import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { createDatabase, startService, type Integrator, type Service } from '../harness.ts';
import { createWebhook } from './receiver.ts';

const tenants = 10;
const perSecond = 300;
const ticksPerSecond = 10;

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** The requests of a delivery that the receiver has seen. */
interface Seen {
  numbers: Set<number>;
  body: string;
  accepted: boolean;
}

/** One request in ten goes wrong, in one of these ways. */
const faults: ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(500).end('no'),
  (response) => response.socket?.resetAndDestroy(),
  () => {}, // no answer
  (response) => {
    response.writeHead(200, { 'content-length': 10 }).write('half');
    response.socket?.destroySoon();
  },
];

/** An endpoint that keeps account of what it gets, rather than all of it. */
class Accountant {
  readonly seen = new Map<string, Seen>();
  requests = 0;
  readonly wrong: string[] = [];
  readonly #server: Server = createServer((request, response) => {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => {
      const fault = this.requests % 10 === 9 ? faults[Math.floor(this.requests / 10) % faults.length] : undefined;
      this.#note(String(request.headers['x-service-delivery']), Number(request.headers['x-service-attempt']), {
        body: hash.digest('base64'),
        accepted: !fault,
      });
      if (fault) fault(response);
      else response.end('ok');
    });
  });

  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #note(id: string, number: number, { body, accepted }: Pick<Seen, 'body' | 'accepted'>): void {
    this.requests += 1;
    const before = this.seen.get(id) ?? { numbers: new Set(), body, accepted: false };
    if (before.numbers.has(number)) this.wrong.push(`attempt ${number} of ${id} twice`);
    if (before.body !== body) this.wrong.push(`other bytes in attempt ${number} of ${id}`);
    before.numbers.add(number);
    // On a busy machine we may have given it up before its answer came: it is sent again then, at least once.
    this.seen.set(id, { ...before, accepted: before.accepted || accepted });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** MiB that a process holds. */
function readMemory({ pid }: ChildProcess): number {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/**
 * 300 events a second, to a receiver that fails one request in ten; then a burst. Accounts for each: committed events =
 * deliveries, deliveries = what the receiver logged, or a recorded final state.
 */
export async function soak(
  { seconds, burst }: { seconds: number; burst: number },
  say: (line: string) => void,
): Promise<{ steadyMiB: number[]; figures: string }> {
  const database = await createDatabase();
  const service = await startService({ database });
  const receiver = new Accountant();
  const url = await receiver.open();
  const acmes = await Promise.all(Array.from({ length: tenants }, () => service.integrator()));
  for (const [index, acme] of acmes.entries()) await createWebhook(acme, { url: `${url}/${index}` });
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    KONTOR_SECRET: 'the secret of the tests, long enough', // as the service's that sealed the webhooks' secrets
    WEBHOOK_ALLOW_INSECURE: '1',
    WEBHOOK_RETRY_DELAYS: '1,1,2,2,4',
    WEBHOOK_TIMEOUT: '2',
    LOG_LEVEL: 'error',
  };
  const worker = spawn(process.execPath, ['--max-semi-space-size=4', cli, 'work'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const logged: string[] = [];
  worker.stdout.on('data', (chunk: Buffer) => logged.push(chunk.toString()));
  await once(worker.stdout, 'data');

  try {
    let made = 0;
    const steadyMiB: number[] = [];
    const begun = Date.now();
    for (let tick = 0; tick < seconds * ticksPerSecond; tick += 1) {
      await sleep(Math.max(0, begun + (tick * 1000) / ticksPerSecond - Date.now()));
      made += await events(acmes[tick % tenants]!, perSecond / ticksPerSecond);
      if (tick % ticksPerSecond === 0) steadyMiB.push(readMemory(worker));
      if (tick > 0 && tick % (10 * ticksPerSecond) === 0) {
        const behind = made - receiver.seen.size;
        say(
          `soak: ${tick / ticksPerSecond} of ${seconds} s, ${made} events, ${behind} not sent yet, ${median(steadyMiB.slice(-10)).toFixed(0)} MiB`,
        );
      }
    }
    const took = (Date.now() - begun) / 1000;
    await drained(service, say);

    const sent = receiver.seen.size;
    const burstBegun = Date.now();
    for (const acme of acmes) made += await events(acme, burst / tenants);
    await drained(service, say);
    const burstTook = (Date.now() - burstBegun) / 1000;
    await account(service, receiver, made);
    expect(receiver.seen.size - sent).toBe(burst);
    expect(logged.filter((line) => line.includes('"level":50'))).toEqual([]);
    const rates = `${made - burst} events in ${took.toFixed(0)} s; a burst of ${burst} drained in ${burstTook.toFixed(0)} s`;
    return { steadyMiB, figures: `${rates}; ${receiver.requests - made} attempts again` };
  } finally {
    worker.kill('SIGTERM');
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    receiver.close();
    await service.close();
    await database.drop();
  }
}

/** Events that nobody needs to render, and one that is rolled back. @returns how many */
async function events({ db }: Integrator, count: number): Promise<number> {
  for (let left = count; left > 0; left -= 1000) {
    const data = Array.from({ length: Math.min(left, 1000) }, () => ({
      type: 'customer.created',
      body: JSON.stringify({
        event: 'customer.created',
        data: { customer: { name: 'ä'.repeat(200), of: Math.random() } },
      }),
    }));
    await db.event.createMany({ data });
  }
  await db
    .$transaction(async (inside) => {
      await inside.event.create({ data: { type: 'customer.created', body: 'rolled back' } });
      throw new Error('rolled back');
    })
    .catch(() => {});
  return count;
}

/** Waits until nothing is left to do, as long as something still happens. */
async function drained({ pool }: Service, say: (line: string) => void): Promise<void> {
  let told = Date.now();
  let [least, since] = [Infinity, Date.now()];
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      `select ((select count(*) from graphile_worker._private_jobs) + (select count(*) from events where fanned_out_at is null)
         + (select count(*) from deliveries where state = 'waiting'))::int as left`,
    );
    const left = rows[0]?.left ?? NaN;
    if (left === 0) return;
    if (left < least) [least, since] = [left, Date.now()];
    if (Date.now() - since > 60_000) throw new Error(`${left} jobs and deliveries are left, and nothing happens`);
    if (Date.now() - told > 10_000) {
      say(`soak: ${left} jobs and deliveries left`);
      told = Date.now();
    }
    await sleep(250);
  }
}

interface Delivery {
  id: string;
  state: string;
  attempts: number[];
}

async function account({ pool }: Service, receiver: Accountant, made: number): Promise<void> {
  const counted = await pool.query<{ events: number; pairs: number }>(
    `select (select count(*) from events)::int as events, (select count(distinct (webhook_id, event_id)) from deliveries)::int as pairs`,
  );
  expect(counted.rows).toEqual([{ events: made, pairs: made }]);
  const { rows } = await pool.query<Delivery>(
    `select d.id, d.state, array_agg(a.number order by a.number) as attempts
     from deliveries d join delivery_attempts a on (a.tenant_id, a.delivery_id) = (d.tenant_id, d.id) and a.duration_ms is not null
     group by d.tenant_id, d.id`,
  );
  expect(rows).toHaveLength(made);
  const wrong = rows.filter(({ id, state, attempts }) => {
    const seen = receiver.seen.get(id);
    const final = state === 'delivered' ? seen?.accepted : state === 'failed' && attempts.length === 6;
    return !final || attempts.join() !== [...(seen?.numbers ?? [])].toSorted().join();
  });
  expect(wrong).toEqual([]);
  expect(receiver.seen.size).toBe(made);
  expect(receiver.wrong).toEqual([]);
}
