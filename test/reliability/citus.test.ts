import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBooks } from '../../prisma/client.ts';
import { Workers } from '../../prisma/distribute/workers.ts';
import { moveToWorker } from '../../prisma/migrate/migrate.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { applySessionSettings, poolTimeouts, replaceBrokenConnections } from '../../prisma/connection/pool-options.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { createWebhook, startReceiver, until, work } from '../webhooks/receiver.ts';
import { clusterUrl } from '../citus/cluster.ts';
import { LocalServer } from '../citus/servers.ts';

// One server of a cluster hangs, or is gone, while tenants of all servers write and get webhooks. It runs where the cluster's
// servers are on this machine, and prints a table.

/** How long each state lasts, in milliseconds. */
const phaseMs = 15_000;
const tenantsPerWorker = 2;
const uuids = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

interface Tenant {
  who: Integrator;
  worker: number;
  /** The ids of customers that were acknowledged. */
  acknowledged: string[];
}

interface Seen {
  requests: number;
  statuses: Record<string, number>;
  withoutRetryAfter: number;
  slowestMs: number;
}

describe.skipIf(clusterUrl === undefined)('while a server of the cluster is away', () => {
  let database: Database;
  let service: Service;
  let worker: Worker;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let broken: LocalServer | undefined;
  let brokenWorker: number;
  let tenants: Tenant[];
  let own: ConnectionPool;
  let workers: Workers;
  const table: Record<string, unknown>[] = [];

  beforeAll(async () => {
    database = await createDatabase();
    const options = { connectionString: database.url, ...poolTimeouts, onConnect: applySessionSettings };
    own = new ConnectionPool({ ...options, max: 4 });
    replaceBrokenConnections(own);
    workers = new Workers(own);
    service = await startService({ database, books: openBooks({ ...options, max: 20 }, 'session', workers) });
    receiver = await startReceiver();
    worker = await work(service);
    const url = inject('workerUrls').at(-1) ?? '';
    const { rows } = await service.pool.query<{ id: number }>(
      'select nodeid as id from pg_dist_node where nodeport = $1',
      [Number(new URL(url).port)],
    );
    brokenWorker = rows[0]?.id ?? 0;
    broken = await LocalServer.find(url);
    tenants = [];
    const nodes = await workers.list();
    while (tenants.length < nodes.length * tenantsPerWorker) {
      const who = await service.integrator();
      const node = await workers.find(who.tenantId);
      if (node === undefined || tenants.filter((each) => each.worker === node).length === tenantsPerWorker) continue;
      await createWebhook(who, { url: receiver.url, events: ['customer.created'] });
      tenants.push({ who, worker: node, acknowledged: [] });
    }
  }, 300_000);
  afterAll(async () => {
    await broken?.goOn().catch(() => {});
    process.stdout.write(`${JSON.stringify(table, null, 1)}\n`);
    await worker.stop();
    await service.close();
    await workers.close();
    await own.end();
    await receiver.close();
    await database.drop();
  }, 120_000);

  const arrived = (): Set<string> => new Set(receiver.requests.flatMap(({ body }) => body.match(uuids) ?? []));
  const isOwn = (tenant: Tenant): boolean => tenant.worker === brokenWorker;
  const missing = (of: Tenant[]): string[] => {
    const ids = arrived();
    return of.flatMap(({ acknowledged }) => acknowledged).filter((id) => !ids.has(id));
  };

  async function writeAndRead(tenant: Tenant, seen: Seen, signal: AbortSignal): Promise<void> {
    const { who } = tenant;
    const ask = async (method: string, path: string, body?: unknown) => {
      const startedAt = performance.now();
      const answer = await who.rest(method, path, body);
      seen.slowestMs = Math.max(seen.slowestMs, Math.round(performance.now() - startedAt));
      seen.requests += 1;
      seen.statuses[answer.status] = (seen.statuses[answer.status] ?? 0) + 1;
      if (answer.status >= 400 && !answer.headers.has('retry-after')) seen.withoutRetryAfter += 1;
      return answer;
    };
    while (!signal.aborted) {
      const { status, body } = await ask('POST', '/customers', { type: 'customer', company_name: 'New' });
      if (status === 201) tenant.acknowledged.push(body.data.id);
      await ask('GET', '/customers');
      await sleep(100);
    }
  }

  /** Several at once for each tenant, as many as could take all connections. */
  async function load(phase: string): Promise<{ ofOwn: Seen; ofOthers: Seen }> {
    const nothing = (): Seen => ({ requests: 0, statuses: {}, withoutRetryAfter: 0, slowestMs: 0 });
    const [ofOwn, ofOthers] = [nothing(), nothing()];
    const signal = AbortSignal.timeout(phaseMs);
    await Promise.all(
      tenants.flatMap((tenant) =>
        Array.from({ length: isOwn(tenant) ? 8 : 2 }, () =>
          writeAndRead(tenant, isOwn(tenant) ? ofOwn : ofOthers, signal),
        ),
      ),
    );
    table.push({ phase, of: 'its own tenants', ...ofOwn }, { phase, of: 'others', ...ofOthers });
    return { ofOwn, ofOthers };
  }

  const breaks: [how: string, (server: LocalServer) => Promise<void>, (server: LocalServer) => Promise<void>][] = [
    ['hangs', (server) => server.hang(), (server) => server.goOn()],
    ['is stopped', (server) => server.stop(), (server) => server.start()],
  ];

  it('all is well before', { timeout: 120_000 }, async () => {
    const { ofOwn, ofOthers } = await load('before');
    expect([...Object.keys(ofOwn.statuses), ...Object.keys(ofOthers.statuses)].toSorted()).toEqual([
      '200',
      '200',
      '201',
      '201',
    ]);
    await until(() => missing(tenants).length === 0, 'all webhooks');
  });

  it('and one’s tenants move to another, everybody’s requests succeed', { timeout: 240_000 }, async () => {
    const nodes = await workers.list();
    const moving = tenants.find(isOwn);
    const elsewhere = nodes.find((node) => node !== brokenWorker) ?? 0;
    const move = (to: number) =>
      moveToWorker(database.url, { tenantId: moving?.who.tenantId ?? '', to, isAlone: false }, () => {});
    const [seen] = await Promise.all([load('a move there'), move(elsewhere)]);
    const [seenBack] = await Promise.all([load('and back'), move(brokenWorker)]);
    for (const { ofOwn, ofOthers } of [seen, seenBack])
      expect([Object.keys(ofOwn.statuses), Object.keys(ofOthers.statuses)]).toEqual([
        ['200', '201'],
        ['200', '201'],
      ]);
    await until(() => missing(tenants).length === 0, 'all webhooks');
    // The service notices after some seconds that a tenant has moved. Its requests then count as those of the other server.
    await until(
      async () => (await workers.find(moving?.who.tenantId ?? '')) === brokenWorker,
      'its move to be noticed',
    );
  });

  it.each(breaks)(
    'and one %s, others’ requests succeed and their webhooks come; its own are told to come again, and nothing is lost',
    { timeout: 240_000 },
    async (how, harm, heal) => {
      expect(broken, 'the cluster runs on another machine').toBeDefined();
      if (!broken) return;
      const server = broken;
      const others = tenants.filter((tenant) => !isOwn(tenant));
      // Requests are under way then.
      const harmed = sleep(1000).then(() => harm(server));
      const { ofOwn, ofOthers } = await Promise.all([load(how), harmed])
        .then(async ([seen]) => {
          await until(() => missing(others).length === 0, 'the others’ webhooks, while it is away');
          return seen;
        })
        .finally(() => heal(server));
      expect(Object.keys(ofOthers.statuses)).toEqual(['200', '201']);
      expect(Object.keys(ofOwn.statuses).filter((status) => !/^(?:20[01]|429|503)$/.test(status))).toEqual([]);
      expect(ofOwn.withoutRetryAfter).toBe(0);
      await until(() => missing(tenants).length === 0, 'all webhooks, once it is back', 120_000);
    },
  );
});
