import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defaultTimeouts } from '../src/server/http/timeouts.ts';
import { camt, upload } from './bank/statement.ts';
import { makeDelivery } from './graphql/books.ts';
import { createDatabase, startService, type Answer, type Database, type Integrator, type Service } from './harness.ts';
import { openBrowser, signedIn } from './identity/browser.ts';
import { answers, head, json, last } from './rest/raw.ts';
import * as sample from './rest/samples.ts';
import { until } from './webhooks/receiver.ts';

// A request that exceeds its deadline is answered with the documented 503, and writes nothing afterwards.

/** The deadline while a table is locked. Otherwise the usual one applies, as a busy machine takes longer than this. */
const responseMs = 400;
const timeouts = { ...defaultTimeouts };

let database: Database;
let service: Service;
let holder: Client;
let acme: Integrator;

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database, timeouts });
  acme = await service.integrator();
  holder = new Client({ connectionString: database.url });
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await service.close();
  await database.drop();
});

/** Runs `work` while a lock blocks all queries of a table. Then releases the lock. */
async function held<T>(table: string, work: () => Promise<T>): Promise<T> {
  await holder.query(`begin; lock table ${table} in access exclusive mode`);
  timeouts.responseMs = responseMs;
  try {
    return await work();
  } finally {
    timeouts.responseMs = defaultTimeouts.responseMs;
    await holder.query('rollback');
    await until(async () => (await atWork()) === 0, 'connections to be given back');
  }
}

/** The number of the service's connections that are not idle. */
const atWork = async (): Promise<number> => {
  const { rows } = await holder.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and state <> 'idle'`,
  );
  return rows[0]?.count ?? -1;
};

/** Expects that the service can't answer at the moment, and the reason in the log. */
function isOverdue(answer: Answer): void {
  const requestId = answer.headers.get('x-request-id');
  expect({ status: answer.status, wait: answer.headers.get('retry-after') }).toEqual({ status: 503, wait: '5' });
  const [error] = answer.body.errors ?? [];
  if (error) expect(error.extensions).toEqual({ code: 'UNAVAILABLE', retryAfter: 5, requestId });
  else expect(answer.body).toEqual({ message: expect.stringContaining('Try again'), request_id: requestId });
  const lines = service.log.filter((line) => line.includes('"level":40') && line.includes(requestId ?? '?'));
  expect(lines.join('\n')).toMatch(/Not answered within 0.4 seconds/);
}

describe('a request that isn’t answered in time gets the documented 503', () => {
  it('over each API, for any table', async () => {
    const { browser } = await signedIn(service);
    const query = '{ customers { nodes { id } } }';
    const waits: [table: string, send: () => Promise<Answer>][] = [
      ['customers', () => acme.rest('GET', '/customers')],
      ['customers', () => acme.graphqlAnswer(query)],
      ['customers', () => browser.graphql(query)],
      ['api_tokens', () => acme.rest('GET', '/customers')],
      ['api_tokens', () => acme.graphqlAnswer(query)],
      ['sessions', () => browser.graphql(query)],
      ['sessions', () => browser.request('GET', '/api/auth/get-session')],
      ['users', () => openBrowser(service).signIn('ada@example.com')],
    ];
    for (const [table, send] of waits) isOverdue(await held(table, send));
  });

  it('with an Idempotency-Key writes nothing, as its duplicates, and runs once when sent again', async () => {
    const send = (): Promise<Answer> => acme.rest('POST', '/customers', sample.customer, { 'idempotency-key': 'late' });
    const before = await sample.rows(service);
    for (const answer of await held('events', () => Promise.all([send(), send(), send()]))) isOverdue(answer);
    expect(await sample.rows(service)).toEqual(before);
    expect((await send()).status).toBe(201);
    expect((await send()).headers.get('idempotent-replayed')).toBe('true');
    expect(await acme.db.customer.count()).toBe(1);
  });

  it('in a transaction that ends too late is rolled back', async () => {
    const { id } = await sample.create(acme, '/customers', sample.customer);
    const before = await sample.rows(service);
    const body = { ...sample.invoice(id), status: 'paid' };
    isOverdue(await held('payments', () => acme.rest('POST', '/invoices', body)));
    const mutation = `mutation { one: deleteCustomer(id: "${id}") { id } }`;
    isOverdue(await held('customers', () => acme.graphqlAnswer(mutation)));
    expect(await sample.rows(service)).toEqual(before);
  });

  it('also if more requests wait than there are connections; others are served afterwards', async () => {
    const crowd = (): Promise<Answer[]> =>
      Promise.all(Array.from({ length: 40 }, () => acme.rest('GET', '/customers')));
    for (const answer of await held('customers', crowd)) isOverdue(answer);
    expect((await crowd()).map(({ status }) => status)).toEqual(Array<number>(40).fill(200));
  });
});

describe('other timeouts apply to', () => {
  it('a slow body', async () => {
    // Long enough for a busy machine to answer.
    const patient = await startService({ database, timeouts: { ...defaultTimeouts, responseMs: 1500 } });
    onTestFinished(patient.close);
    const body = JSON.stringify(sample.customer);
    const socket = connect(Number(new URL(patient.url).port), '127.0.0.1');
    const received = text(socket);
    socket.write(head(acme, 'POST /api/v1/customers', json, last, `Content-Length: ${body.length}`));
    for (const piece of [body.slice(0, 5), body.slice(5, 10), body.slice(10)]) {
      await sleep(1000);
      socket.write(piece);
    }
    expect(answers(await received).map(({ status }) => status)).toEqual([201]);
  });

  it('an upload', async () => {
    const file = camt([{ amount: '5.00' }]);
    const imported = await held('bank_transactions', async () => {
      const answer = upload(service, acme, file);
      await sleep(3 * responseMs);
      return { answer };
    });
    expect((await imported.answer).body).toMatchObject({ data: { imported: { imported: 1 } } });
  });

  it('a stream that has begun', async () => {
    const { webhookId } = await makeDelivery(acme);
    const headers = {
      authorization: `Bearer ${acme.token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    };
    timeouts.responseMs = 1500; // as above
    const sending = httpRequest(new URL('/graphql', service.url), { method: 'POST', headers });
    sending.end(JSON.stringify({ query: 'subscription { deliveryChanged { event { type } } }' }));
    const [stream] = (await once(sending, 'response')) as [IncomingMessage];
    timeouts.responseMs = defaultTimeouts.responseMs;
    let received = '';
    stream.on('data', (chunk: Buffer) => (received += chunk.toString())).on('error', () => {});
    await sleep(2000);
    await acme.graphql(`mutation { pingWebhook(id: "${webhookId}") { id } }`);
    await until(() => received.includes('webhook.ping'), 'the ping on the stream');
    stream.destroy();
  });
});
