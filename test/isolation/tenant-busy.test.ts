import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PoolClient } from 'pg';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { openBooks, type Books } from '../../prisma/client.ts';
import { TenantQueues } from '../../prisma/tenant/connection-limit.ts';
import { measureDatabase } from '../../src/observability/metrics/database.ts';
import { createMetrics, type Metrics } from '../../src/observability/metrics/metrics.ts';
import { camt, upload } from '../bank/statement.ts';
import {
  createDatabase,
  ready,
  startService,
  type Answer,
  type Database,
  type Integrator,
  type Service,
} from '../harness.ts';
import { signedIn } from '../identity/browser.ts';
import { customer } from '../rest/samples.ts';
import { startTestTenant } from '../test-tenants/make.ts';

// Who waits in vain for one of the tenant's connections is told to come again. That is no fault of ours.

let database: Database;
let books: Books;
let service: Service;
let metrics: Metrics;
let acme: Integrator;
let held: PoolClient;

beforeAll(async () => {
  database = await createDatabase();
  // One connection for each tenant.
  books = openBooks({ connectionString: database.url, max: 4, connectionTimeoutMillis: 300 });
  metrics = createMetrics();
  service = await startService({ database, books, metrics });
  measureDatabase(metrics, { ...service, ...ready });
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
beforeEach(async () => {
  acme = await service.integrator();
});

/** All that the tenant asks meanwhile waits in vain. */
async function whileHeld<Result>(work: () => Promise<Result>): Promise<Result> {
  held = await asTenant(acme.tenantId, () => books.pool.connect());
  try {
    return await work();
  } finally {
    held.release();
  }
}

const faults = (): string[] => service.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 40);
const key = { 'idempotency-key': 'a key' };
const graphql = (query: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('POST', '/graphql', {
    body: { query },
    headers: { authorization: `Bearer ${acme.token}`, ...headers },
  });
const makeOne = `mutation { createCustomer(input: { type: CUSTOMER, companyName: "One" }) { id } }`;

const message = 'This tenant has too many requests under way. Try again in 5 seconds.';

describe('while a tenant uses all connections that it can have', () => {
  it.each<[string, () => Promise<Answer>, number]>([
    ['a list', () => acme.rest('GET', '/customers'), 200],
    ['a row', () => acme.rest('GET', `/customers/${acme.tenantId}`), 404],
    ['a search', () => acme.rest('GET', '/customers?q=some&page=2'), 200],
    ['a write', () => acme.rest('POST', '/customers', customer), 201],
    ['a write with a key', () => acme.rest('POST', '/customers', customer, key), 201],
  ])('REST answers 429 with Retry-After to %s, and runs it once a connection is free', async (_what, ask, usual) => {
    const refused = await whileHeld(ask);
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
      429,
      '5',
      { message, request_id: refused.headers.get('x-request-id') },
    ]);
    expect((await ask()).status).toBe(usual);
    expect(faults()).toEqual([]);
  });

  it.each<[string, () => Promise<Answer>, number]>([
    ['a query', () => graphql('{ customers { nodes { id } } }'), 200],
    ['a mutation', () => graphql(makeOne), 200],
    ['a mutation with a key', () => graphql(makeOne, key), 429],
    ['an upload', () => upload(service, acme, camt([{ amount: '1.00' }])), 200],
  ])('GraphQL answers RATE_LIMITED to %s, and runs it once a connection is free', async (_what, ask, status) => {
    const refused = await whileHeld(ask);
    expect([refused.status, refused.body.errors]).toEqual([
      status,
      [
        expect.objectContaining({
          message,
          extensions: expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: 5 }),
        }),
      ],
    ]);
    if (status === 429) expect(refused.headers.get('retry-after')).toBe('5');
    expect((await ask()).body.errors).toBeUndefined();
    expect(faults()).toEqual([]);
  });

  it('a compiled query gets the same error as any other, and waits once', async () => {
    const query = '{ customers { nodes { id companyName } } }';
    for (let count = 0; count < 5; count += 1) expect((await graphql(query)).body.errors).toBeUndefined();
    const waits = vi.spyOn(TenantQueues.prototype, 'wait');
    onTestFinished(() => waits.mockRestore());
    const { body } = await whileHeld(() => graphql(query));
    expect(body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED' });
    expect(waits).toHaveBeenCalledTimes(1);
    expect(faults()).toEqual([]);
  });

  it('its test tenants wait for the same ones, with a token and in a session; those of others don’t', async () => {
    const globex = await service.integrator();
    const [own, other] = [await startTestTenant(service, acme), await startTestTenant(service, globex)];
    const { browser } = await signedIn(service, acme.tenantId, own.tenantId, globex.tenantId);
    const inSession = async (tenantId: string): Promise<string | undefined> =>
      (await browser.graphql('{ customers { nodes { id } } }', {}, tenantId)).body.errors?.[0].extensions.code;
    const ask = async (): Promise<unknown[]> => [
      (await own.rest('GET', '/customers')).status,
      await inSession(own.tenantId),
      (await other.rest('GET', '/customers')).status,
      await inSession(globex.tenantId),
    ];
    expect(await whileHeld(ask)).toEqual([429, 'RATE_LIMITED', 200, undefined]);
    expect(await ask()).toEqual([200, undefined, 200, undefined]);
  });

  it('another tenant is served, and a metric counts the rejected requests', async () => {
    const name = 'kontor_tenant_busy_total';
    const count = async (): Promise<number> =>
      (await metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value ?? NaN;
    const before = await count();
    const globex = await service.integrator();
    const [mine, other] = await whileHeld(() =>
      Promise.all([acme.rest('GET', '/customers'), globex.rest('GET', '/customers')]),
    );
    expect([mine.status, other.status]).toEqual([429, 200]);
    expect(await count()).toBe(before + 1);
  });
});
