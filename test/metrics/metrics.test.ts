import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workers } from '../../prisma/distribute/workers.ts';
import { measureDatabase } from '../../src/observability/metrics/database.ts';
import { createMetricsHandler } from '../../src/observability/metrics/endpoint.ts';
import { createMetrics, type Metrics } from '../../src/observability/metrics/metrics.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { createPoster } from '../../src/webhooks/post.ts';
import { onCluster } from '../citus/cluster.ts';
import { ready, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { create, customer } from '../rest/samples.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';

let service: Service;
let metrics: Metrics;
let acme: Integrator;
const token = 'a-token-for-metrics';

beforeAll(async () => {
  metrics = createMetrics();
  service = await startService({
    metrics,
    limiter: () => createRateLimiter({ limit: 100, store: memoryStore() }),
    metricsHandler: createMetricsHandler(
      () => metrics.registry.metrics(),
      () => token,
    ),
  });
  measureDatabase(metrics, { ...service, ...ready });
  acme = await service.integrator();
});
afterAll(() => service.close());

const ask = (authorization?: string, method = 'GET'): Promise<Answer> =>
  service.request(method, '/metrics', { headers: { ...(authorization !== undefined && { authorization }) } });

/** A time series' value as Prometheus reads it, and 0 without such a series. */
async function valueOf(series: string): Promise<number> {
  const { text } = await ask(`Bearer ${token}`);
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

const requestsTo = (api: string, route: string, method: string, answered: string): string =>
  `kontor_http_request_duration_seconds_count{api="${api}",route="${route}",method="${method}",status="${answered}"}`;

/** By how much a series grows during `act`. */
async function growth(series: string, act: () => Promise<unknown>): Promise<number> {
  const before = await valueOf(series);
  await act();
  return (await valueOf(series)) - before;
}

describe('/metrics', () => {
  it('answers with METRICS_TOKEN only', async () => {
    expect((await ask()).status).toBe(401);
    expect((await ask(`Bearer ${acme.token}`)).status).toBe(401);
    expect((await ask(`Bearer ${token}x`)).status).toBe(401);
    const { status: answered, headers } = await ask(`Bearer ${token}`);
    expect([answered, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect((await ask(`Bearer ${token}`, 'POST')).status).toBe(405);
  });

  it('answers 404 without METRICS_TOKEN set', async () => {
    const other = await startService();
    expect((await other.request('GET', '/metrics', { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      404,
    );
    await other.close();
  });
});

describe('a request is counted', () => {
  it.each<[string, string, string, string, () => Promise<unknown>]>([
    ['rest', '/api/v1/customers', 'GET', '2xx', () => acme.rest('GET', '/customers?q=Bäcker&page=2')],
    ['rest', '/api/v1/customers', 'POST', '4xx', () => acme.rest('POST', '/customers', {})],
    ['rest', '/api/v1/customers/:id', 'GET', '4xx', () => acme.rest('GET', `/customers/${randomUUID()}`)],
    ['rest', 'other', 'GET', '4xx', () => acme.rest('GET', `/customers/${randomUUID()}/secrets`)],
    ['rest', 'other', 'GET', '4xx', () => acme.rest('GET', `/${randomUUID()}`)],
    ['graphql', '/graphql', 'POST', '2xx', () => acme.graphql('{ me { tenant { id } } }')],
    ['auth', '/api/auth/*', 'GET', '2xx', () => service.request('GET', '/api/auth/get-session')],
    ['health', '/health/ready', 'GET', '2xx', () => service.request('GET', '/health/ready')],
    ['page', '*', 'GET', '4xx', () => service.request('GET', `/docs/${randomUUID()}`)],
  ])('by API %s, route %s, method %s and status %s', async (api, route, method, answered, act) => {
    expect(await growth(requestsTo(api, route, method, answered), act)).toBe(1);
  });

  it('without ids, tokens, addresses, or text from clients', async () => {
    const { id } = await create(acme, '/customers', customer);
    await acme.rest('GET', `/customers/${id}?q=${randomUUID()}`);
    await acme.rest('PROPFIND', '/customers').catch(() => undefined);
    const login = { email: `${randomUUID()}@example.com`, password: 'wrong' };
    await service.request('POST', '/api/auth/sign-in/email', {
      body: login,
      headers: { 'x-requested-with': 'kontor' },
    });
    const { text } = await ask(`Bearer ${token}`);
    for (const secret of [acme.tenantId, acme.token, acme.tokenId, id, login.email, token]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}|\d+\.\d+\.\d+\.\d+"|@|PROPFIND/);
  });
});

describe('metrics also have', () => {
  it('results of the rate limiter', async () => {
    const verdict = (outcome: string): string => `kontor_rate_limit_total{outcome="${outcome}"}`;
    const { rest } = await service.integrator();
    const [admitted, refused] = [await valueOf(verdict('admitted')), await valueOf(verdict('refused'))];
    for (let request = 0; request < 103; request++) await rest('GET', '/me');
    expect(await valueOf(verdict('admitted'))).toBe(admitted + 100);
    expect(await valueOf(verdict('refused'))).toBe(refused + 3);
  });

  it('attempts to sign in', async () => {
    const wrong = { email: 'nobody@example.com', password: 'wrong' };
    const signIn = () =>
      service.request('POST', '/api/auth/sign-in/email', { body: wrong, headers: { 'x-requested-with': 'kontor' } });
    expect(await growth('kontor_sign_ins_total{outcome="rejected"}', signIn)).toBe(1);
  });

  it.each<[string, number]>([
    ['success', 204],
    ['3xx', 302],
    ['4xx', 404],
    ['5xx', 500],
  ])('attempts to deliver, by outcome: %s', async (outcome, code) => {
    const receiver = await startReceiver(status(code));
    const poster = createPoster({ allowInsecure: true, timeoutMs: 5000 });
    const post = async () => metrics.attempt(await poster.post({ url: receiver.url, headers: {}, body: '' }));
    const series = `kontor_webhook_attempt_duration_seconds_count{outcome="${outcome}"}`;
    expect(await growth(series, post)).toBe(1);
    await receiver.close();
    const unreachable = 'kontor_webhook_attempt_duration_seconds_count{outcome="no_answer"}';
    expect(await growth(unreachable, post)).toBe(1);
    await poster.close();
  });

  it('the queue: jobs by task, and the age of the oldest due job', async () => {
    await service.pool.query(
      `select graphile_worker.add_job('overdue', run_at => now() - interval '1 hour'),
         graphile_worker.add_job('overdue', run_at => now() + interval '1 hour')`,
    );
    await expect.poll(() => valueOf('kontor_queue_jobs{task="overdue",state="due"}')).toBe(1);
    expect(await valueOf('kontor_queue_jobs{task="overdue",state="later"}')).toBe(1);
    expect(await valueOf('kontor_queue_oldest_due_seconds{task="overdue"}')).toBeGreaterThanOrEqual(3600);
    expect(await valueOf('kontor_workers')).toBe(0);
  });

  it.skipIf(onCluster('what is in the outbox is moved at once'))('what waits in the outbox', async () => {
    await service.pool.query(
      `insert into outbox (tenant_id, channel, announcement, created_at)
       values ($1, 'events', 'x', now() - interval '1 hour')`,
      [acme.tenantId],
    );
    const oldest = 'kontor_queue_oldest_due_seconds{task="outbox"}';
    await expect.poll(() => valueOf(oldest)).toBeGreaterThanOrEqual(3600);
  });

  it('connection pools and waiting requests', async () => {
    const held = await service.pool.connect();
    expect(await valueOf('kontor_database_pool_connections{pool="identity",state="in_use"}')).toBeGreaterThanOrEqual(1);
    held.release();
    expect(await valueOf('kontor_database_pool_connections{pool="books",state="waiting"}')).toBe(0);
  });

  it('database errors by kind, from 0 for those of alerts', async () => {
    expect((await ask(`Bearer ${token}`)).text).toContain('kontor_database_errors_total{code="53300"} 0\n');
    const fail = (sqlstate: string) => () =>
      service.pool.query(`do $$ begin raise sqlstate '${sqlstate}'; end $$`).catch(() => undefined);
    expect(await growth('kontor_database_errors_total{code="53100"}', fail('53100'))).toBe(1);
    expect(await growth('kontor_database_errors_total{code="25006"}', fail('25006'))).toBe(1);
    expect(await growth('kontor_database_errors_total{code="22xxx"}', fail('22012'))).toBe(1);
  });

  it('readiness, event-loop lag, memory, and start time', async () => {
    expect(await valueOf('kontor_ready')).toBe(1);
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
    ])
      expect(await valueOf(name)).toBeGreaterThan(0);
  });
});

it('answers in bounded time as unready when the database doesn’t respond', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const pool = new Pool({ host: '127.0.0.1', port: (silent.address() as AddressInfo).port });
  const lost = createMetrics();
  measureDatabase(lost, {
    pool,
    books: service.books,
    workers: new Workers(pool),
    ...ready,
    unready: () => pool.query('select 1').then(() => undefined),
  });
  const text = await lost.registry.metrics();
  expect(text).toMatch(/^kontor_ready 0$/m);
  expect(text).not.toMatch(/^kontor_queue_jobs\{/m);
  expect(text).not.toMatch(/^kontor_workers /m); // 0 would say that none runs
  silent.close();
});
