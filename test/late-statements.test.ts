import type { Socket } from 'node:net';
import { Client, Pool, type QueryConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeCustomer, makeInvoice } from './graphql/books.ts';
import { startService, type Answer, type Integrator, type Service } from './harness.ts';
import { signedIn, type Browser } from './identity/browser.ts';
import * as sample from './rest/samples.ts';
import { onCluster } from './citus/cluster.ts';

// Each statement of a request comes too late once, for each reason for which one can. The request is then answered, or gets
// 503: never an internal error, wherever the statement was: in identity, a transaction, or a savepoint.

let service: Service;
let acme: Integrator;
let browser: Browser;
/** Of the superuser. */
let admin: Client;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  ({ browser } = await signedIn(service));
  admin = new Client({ connectionString: service.pool.options.connectionString });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await service.close();
});

type Query = (this: Client, ...args: unknown[]) => unknown;
/** Sends another statement in place of one of the service. */
type Replace = (send: (statement: string | QueryConfig) => unknown, client: Connection, text: string) => unknown;
type Connection = Client & { processID: number; connection: { stream: Socket } };

/** As PostgreSQL ends a transaction whose end fails. */
const failing =
  (sqlstate: string): Replace =>
  (send, _client, text) =>
    send(
      `${/^(?:commit|rollback)$/i.test(text) ? 'rollback; ' : ''}do $$ begin raise exception 'late' using errcode = '${sqlstate}'; end $$`,
    );

/** By what a statement is too late. */
const reasons: Record<string, Replace> = {
  'PostgreSQL’s time for statements': failing('57014'),
  'a connection that PostgreSQL ends': (send, { processID }) => {
    void admin.query('select pg_terminate_backend($1)', [processID]);
    return send('select pg_sleep(10)');
  },
  'a connection that the network ends': (send, client) => {
    const result = send('select pg_sleep(0.1)');
    client.connection.stream.destroy();
    return result;
  },
  'our own time for statements': (send) => send({ text: 'select pg_sleep(0.2)', query_timeout: 20 } as QueryConfig),
};

/** Has the statement at this place be late, of those that the service sends from now on. @returns whether it was sent */
function delay(place: number, replace: Replace): () => boolean {
  const { query } = Client.prototype as unknown as { query: Query };
  let sent = 0;
  const spy = vi.spyOn(Client.prototype as unknown as { query: Query }, 'query');
  onTestFinished(() => spy.mockRestore());
  spy.mockImplementation(function (this: Client, ...args) {
    const callback = args.find((each) => typeof each === 'function');
    if (this === admin || (sent += 1) !== place || !callback) return query.apply(this, args);
    const [statement] = args as [string | QueryConfig];
    const text = typeof statement === 'string' ? statement : statement.text;
    return replace((other) => query.call(this, other, callback), this as Connection, text);
  });
  return () => {
    spy.mockRestore();
    return sent >= place;
  };
}

/** Has each connection that is taken from a pool at this place be too late. */
function delayConnection(place: number): () => boolean {
  type Connect = (this: Pool, callback?: (error: Error) => void) => unknown;
  const prototype = Pool.prototype as unknown as { connect: Connect };
  const { connect } = prototype;
  let taken = 0;
  const spy = vi.spyOn(prototype, 'connect').mockImplementation(function (this: Pool, callback) {
    taken += 1;
    if (taken !== place) return connect.call(this, callback);
    const error = new Error('timeout exceeded when trying to connect');
    return callback ? callback(error) : Promise.reject(error);
  });
  onTestFinished(() => spy.mockRestore());
  return () => {
    spy.mockRestore();
    return taken >= place;
  };
}

const createCustomer = 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "Late" }) { id } }';
let keys = 0;
const newKey = (): Record<string, string> => ({ 'idempotency-key': `late ${(keys += 1)}` });
const inGraphql = (query: string, variables: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('POST', '/graphql', {
    body: { query, variables },
    headers: { authorization: `Bearer ${acme.token}`, ...headers },
  });

/** Requests, each with what it needs made before. */
const requests: Record<string, () => Promise<() => Promise<Answer>>> = {
  'a document of a session whose variable is invalid': async () => () =>
    browser.graphql('mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { token } }', {
      input: 'x',
    }),
  'a new API token in a session': async () => () =>
    browser.graphql('mutation { createApiToken(input: { name: "Late" }) { token } }'),
  'a list by REST': async () => () => acme.rest('GET', '/invoices'),
  'a list by GraphQL': async () => () => inGraphql('{ invoices { totalCount nodes { id customer { companyName } } } }'),
  'a customer by REST, with a key': async () => () => acme.rest('POST', '/customers', sample.customer, newKey()),
  'a customer by GraphQL, with a key': async () => () => inGraphql(createCustomer, {}, newKey()),
  'an issued invoice, with a key': async () => {
    const invoice = sample.invoice(await makeCustomer(acme));
    return () => acme.rest('POST', '/invoices', { ...invoice, status: 'issued' }, newKey());
  },
  'a transition': async () => {
    const id = await makeInvoice(acme);
    return () => acme.rest('POST', `/invoices/${id}/issue`);
  },
  'a deletion': async () => {
    const id = await makeCustomer(acme);
    return () => acme.rest('DELETE', `/customers/${id}`);
  },
};

const mostStatements = 40;

async function expectNoFault(prepare: () => Promise<() => Promise<Answer>>, begin: (place: number) => () => boolean) {
  const found: unknown[] = [];
  let places = 0;
  const { status: usual } = await (await prepare())();
  for (let place = 1; place <= mostStatements; place += 1) {
    // A connection that was ended may be in the pool still.
    const send = await prepare().catch(prepare);
    const logged = service.log.length;
    const end = begin(place);
    const answer = await send();
    if (!end()) break;
    places = place;
    const codes = (answer.body?.errors ?? []).map?.((error: { extensions: { code: string } }) => error.extensions.code);
    const faults = service.log
      .slice(logged)
      .filter((line) => /"msg":"(?:fault|request)"/.test(line) && line.includes('"level":50'));
    if (![usual, 503].includes(answer.status) || codes?.includes('INTERNAL_SERVER_ERROR') || faults.length > 0)
      found.push({ place, status: answer.status, codes, faults });
  }
  expect(found).toEqual([]);
  expect(places).toBeGreaterThan(0);
  expect(places).toBeLessThan(mostStatements);
}

describe.skipIf(onCluster('statements are sent to other servers, too')).each(Object.keys(requests))('%s', (name) => {
  const prepare = requests[name]!;

  it.each(Object.keys(reasons))('each statement is late by %s', (reason) =>
    expectNoFault(prepare, (place) => delay(place, reasons[reason]!)),
  );

  it('each connection of a pool is late', () => expectNoFault(prepare, delayConnection));
});
