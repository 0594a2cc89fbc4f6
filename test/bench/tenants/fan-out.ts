import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../bench.ts';
import type { Installation, Tenant } from './installation.ts';
import { startWorker, type KontorProcess } from './processes.ts';
import { figure, type ReportRow } from './report.ts';

/** How long a delivery may take at most before this gives up. */
const givenUpAfterMs = 120_000;

/**
 * How long an event takes to reach its endpoint: with nothing else to do, and while another tenant's events wait.
 * @param waiting how many events of the other tenant wait
 */
export async function fairFanOut(
  installation: Installation,
  server: KontorProcess,
  waiting: number,
  seconds: number,
): Promise<ReportRow> {
  const { pool, tenants } = installation;
  const [busy, ...others] = tenants.filter(({ webhookId }) => webhookId !== null);
  const innocent = others.at(-1)!;
  const receiver = await receive();
  await pool.query(`update webhooks set url = $1 || id`, [receiver.url]);

  let worker = await startWorker(installation);
  const measureDelay = async (): Promise<number> => {
    const start = performance.now();
    const arrived = receiver.next(innocent.webhookId!);
    await createCustomer(server, innocent);
    return (await arrived) - start;
  };
  await measureDelay();
  const quiet = await measure(measureDelay, Math.ceil(seconds / 2));
  await worker.stop();

  await pool.query(
    `insert into events (tenant_id, id, type, body)
     select $1::uuid, uuidv7(), 'customer.updated', '{"event":"customer.updated","tenant_id":"' || $1::text || '","data":{}}'
     from generate_series(1, $2)`,
    [busy!.id, waiting],
  );
  const before = receiver.arrived;
  const start = performance.now();
  worker = await startWorker(installation);
  const beside: number[] = [];
  while (receiver.arrived - before < waiting && (beside.length === 0 || performance.now() - start < seconds * 4000)) {
    beside.push(await measureDelay());
    await sleep(200);
  }
  const delivered = receiver.arrived - before - beside.length;
  const elapsed = (performance.now() - start) / 1000;
  await worker.stop();
  await receiver.close();
  await emptyQueue(installation, busy!);
  const [worstQuiet, worstBeside] = [Math.max(...quiet), Math.max(...beside)];
  return {
    work: `an event, while ${waiting.toLocaleString('en')} of another tenant wait`,
    figures: [
      figure('without them', median(quiet), 'ms'),
      figure('at most', worstQuiet, 'ms'),
      figure('beside them', median(beside), 'ms'),
      figure('at most', worstBeside, 'ms'),
      figure('more at most', worstBeside - median(quiet), 'ms'),
      figure("the other's deliveries per second", delivered / elapsed),
    ],
  };
}

async function measure(measureDelay: () => Promise<number>, seconds: number): Promise<number[]> {
  const delays: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    delays.push(await measureDelay());
    await sleep(100);
  }
  return delays;
}

async function createCustomer({ url }: KontorProcess, { token }: Tenant): Promise<void> {
  const response = await fetch(new URL('/api/v1/customers', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ type: 'customer', company_name: 'New' }),
  });
  if (response.status !== 201) throw new Error(`The customer was not created: ${await response.text()}`);
}

/** Deletes the jobs and deliveries that wait for the busy tenant. They would disturb the next measurement. */
async function emptyQueue({ pool }: Installation, { id }: Tenant): Promise<void> {
  await pool.query(`delete from graphile_worker._private_jobs where payload ->> 'tenantId' = $1`, [id]);
  await pool.query(
    `update deliveries set state = 'set_aside', next_attempt_at = null, finished_at = now()
     where tenant_id = $1 and state = 'waiting'`,
    [id],
  );
}

/** Answers deliveries, whose URL ends in their webhook's id. */
async function receive() {
  const waiting = new Map<string, (time: number) => void>();
  let arrived = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.end();
      arrived += 1;
      const webhookId = request.url?.slice(1) ?? '';
      waiting.get(webhookId)?.(performance.now());
      waiting.delete(webhookId);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    get arrived() {
      return arrived;
    },
    /** When the next delivery to a webhook arrives. */
    next: (webhookId: string): Promise<number> => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const timer = setTimeout(() => reject(new Error('The event was not delivered')), givenUpAfterMs);
      waiting.set(webhookId, resolve);
      return promise.finally(() => clearTimeout(timer));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
