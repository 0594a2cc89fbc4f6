import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../src/observability/metrics/metrics.ts';
import { withFallback } from '../src/security/rate-limit-fallback.ts';
import { createRateLimiter, memoryStore, postgresStore } from '../src/security/rate-limit.ts';
import { createDatabase, startService, type Answer, type Database, type Integrator, type Service } from './harness.ts';
import * as sample from './rest/samples.ts';
import { onCluster } from './citus/cluster.ts';

// Answers while the database can't be used, over both APIs. test/faults has the same with processes and restarts.

let database: Database;
let service: Service;
let acme: Integrator;
const metrics = createMetrics();

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({
    database,
    metrics,
    limiter: (pool) => createRateLimiter({ limit: 1000, store: withFallback(postgresStore(pool), memoryStore()) }),
  });
  acme = await service.integrator();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const create = 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "Out of luck" }) { id } }';

function expectUnavailable(answer: Answer): void {
  const requestId = answer.headers.get('x-request-id');
  expect({ status: answer.status, wait: answer.headers.get('retry-after') }).toEqual({ status: 503, wait: '5' });
  const message = "The service can't answer at the moment. Try again in 5 seconds.";
  const [error] = answer.body.errors ?? [];
  if (!error) return expect(answer.body).toEqual({ message, request_id: requestId });
  expect(error).toMatchObject({ message, extensions: { code: 'UNAVAILABLE', retryAfter: 5 } });
}

/** Has every insert into a table fail by this SQLSTATE, while `work` runs. */
async function failing<T>(table: string, sqlstate: string, work: () => Promise<T>): Promise<T> {
  await service.pool.query(`
    create function fail_on_purpose() returns trigger language plpgsql as $$
      begin raise exception 'on purpose' using errcode = '${sqlstate}'; end $$;
    create trigger fail_on_purpose before insert or update on ${table}
      for each row execute function fail_on_purpose()`);
  try {
    return await work();
  } finally {
    await service.pool.query('drop function fail_on_purpose cascade');
  }
}

describe.skipIf(onCluster('triggers of a test are made on one server'))(
  'a write that can’t be done now gets 503',
  () => {
    it.each([
      ['a statement out of time', '57014'],
      ['a lock that is not to be had', '55P03'],
      ['a connection that is ended', '57P01'],
      ['a full disk', '53100'],
      ['a server out of memory', '53200'],
      ['a server that is read-only', '25006'],
      ['a deadlock, again and again', '40P01'],
    ])('%s', async (_name, sqlstate) => {
      const before = await sample.rows(service);
      const [rest, graphql, keyed] = await failing('events', sqlstate, async () => [
        await acme.rest('POST', '/customers', sample.customer),
        await acme.graphqlAnswer(create),
        await acme.rest('POST', '/customers', sample.customer, { 'idempotency-key': sqlstate }),
      ]);
      for (const answer of [rest, graphql, keyed]) expectUnavailable(answer!);
      expect(await sample.rows(service)).toEqual(before);
      // Not stored: the same key works later.
      const later = await acme.rest('POST', '/customers', sample.customer, { 'idempotency-key': sqlstate });
      expect(later.status).toBe(201);
      sample.expectNoInternalError(service);
    });
  },
);

it.skipIf(onCluster('triggers of a test are made on one server'))(
  'metrics count 500s, and no 503 among them',
  async () => {
    const post = () => acme.rest('POST', '/customers', sample.customer);
    const counted = async () =>
      (await metrics.registry.getSingleMetric('kontor_internal_errors_total')?.get())?.values[0]?.value;
    expect([(await failing('events', '53100', post)).status, await counted()]).toEqual([503, 0]);
    const logged = service.log.length;
    expect([(await failing('events', 'XX000', post)).status, await counted()]).toEqual([500, 1]);
    service.log.length = logged; // the error is meant
  },
);

it('while no count can be written, reads are answered, and still limited', async () => {
  const { id } = await sample.create(acme, '/customers', sample.customer);
  const answers = await failing('rate_limits', '53100', async () => [
    await acme.rest('GET', `/customers/${id}`),
    await acme.graphqlAnswer('{ customers { totalCount } }'),
    await acme.rest('GET', '/me'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['999', '998', '997']);
  sample.expectNoInternalError(service);
});

it('reads outlast the end of all connections, again and again', async () => {
  await sample.create(acme, '/customers', sample.customer);
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
  for (let wave = 0; wave < 5; wave += 1) {
    const reads = Array.from({ length: 6 }, (_, index) =>
      index % 2 === 0 ? acme.rest('GET', '/customers') : acme.graphqlAnswer('{ customers { nodes { id } } }'),
    );
    await service.pool.query(end);
    for (const answer of await Promise.all(reads)) {
      expect(answer.status).toBe(200);
      expect(answer.body.errors).toBeUndefined();
    }
  }
  sample.expectNoInternalError(service);
});
