import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileQuery } from '../../src/graphql/compiled-queries.ts';
import type { Context } from '../../schema/context.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import {
  makeBankTransaction,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from './books.ts';
import { questionOf, type Ids } from './documents.ts';

let service: Service;
let acme: Integrator;
let context: () => Context;
const ids: Ids = {};

beforeAll(async () => {
  service = await startService();
  service.clock.now = new Date(); // or the token is used again after a minute
  acme = await service.integrator();
  const made = async (type: string, id: Promise<string>): Promise<string> => {
    (ids[type] ??= []).push(await id);
    return id;
  };
  for (let count = 0; count < 3; count++) {
    const customerId = await made('Customer', makeCustomer(acme, { companyName: `Ä "${count}"\u2028` }));
    const supplierId = await made('Customer', makeCustomer(acme, { type: 'SUPPLIER' }));
    const projectId = await made('Project', makeProject(acme, { customerId }));
    const invoiceId = await made('Invoice', makeInvoice(acme, { customerId, status: 'ISSUED' }));
    await made('Invoice', makeInvoice(acme, { customerId }));
    await makePayment(acme, invoiceId, '1');
    const entry = await made('TimeEntry', makeTimeEntry(acme, { projectId }));
    await acme.db.timeEntry.updateMany({ where: { id: entry }, data: { invoiceId } });
    await made('Receipt', makeReceipt(acme, { supplierId, projectId }));
    await made('BankTransaction', makeBankTransaction(acme));
  }
  const tenant = await service.client.tenant.findUniqueOrThrow({ where: { id: acme.tenantId } });
  const user = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } });
  const token = await service.client.apiToken.findUniqueOrThrow({ where: { id: acme.tokenId } });
  context = () => service.domain.contextFor({ user, tenant, token });
});
afterAll(() => service.close());

const questions = Number(process.env['QUESTIONS'] ?? 300);
const first = Number(process.env['SEED'] ?? 0);

it(
  'what a compiled query answers is what Yoga answers, byte for byte; where there is an error, it answers nothing',
  async () => {
    const { schema } = service.domain;
    const fates = { compiled: 0, answered: 0, left: 0 };
    for (let seed = first; seed < first + questions; seed++) {
      const { query, variables } = questionOf(schema, seed, ids);
      expect({ seed, query, faults: validate(schema, parse(query)) }).toEqual({ seed, query, faults: [] });
      const repeat = compileQuery(schema, query, undefined);
      if (repeat) fates.compiled += 1;
      for (const given of repeat ? variables : []) {
        // A document that hasn't come before.
        const { text, body } = await acme.graphqlAnswer(`${query} # ${JSON.stringify(given)}`, given);
        const answer = await repeat?.answer(given, context());
        expect({ seed, query, given, answer }).toEqual({ seed, query, given, answer: body.errors ? undefined : text });
        fates[answer === undefined ? 'left' : 'answered'] += 1;
      }
    }
    expect(fates.compiled).toBeGreaterThan(questions / 4);
    expect(fates.answered).toBeGreaterThan(questions / 4);
    expect(fates.left).toBeGreaterThan(0);
  },
  questions * 200,
);

describe('never compiled is', () => {
  const date = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d'; // graphql-jit's own word for one
  it.each([
    ['a text', '{ customers(q: "x") { totalCount } }'],
    ['a text that graphql-jit would run', `{ customers(q: "${date}0),console.log(process.env)+(0") { totalCount } }`],
    ['a text as default', 'query ($q: String = "x") { customers(q: $q) { totalCount } }'],
    ['a day', 'query ($from: Date = "2026-03-01") { invoices(from: $from) { totalCount } }'],
    ['an object', '{ invoices(orderBy: { field: NUMBER, direction: ASC }) { totalCount } }'],
    ['a directive', 'query ($b: Boolean!) { me { user @include(if: $b) { id } tenant { id } } }'],
    ['a name from JavaScript', '{ me { __proto__: user { id } } }'],
    ['names that graphql-jit takes for one', '{ me { a: user { b_c: id } } a_b: me { user { c: id } } }'],
    ['what asks about the schema', '{ __type(name: "Customer") { name } }'],
    ['a mutation', 'mutation ($id: UUID!) { deleteCustomer(id: $id) { id } }'],
    ['a subscription', 'subscription { deliveryChanged { id } }'],
  ])('%s', (_what, query) => {
    expect(validate(service.domain.schema, parse(query))).toEqual([]);
    expect(compileQuery(service.domain.schema, query, undefined)).toBeUndefined();
  });

  it('anything but these', () => {
    const query = '{ invoices(first: 3, status: ISSUED) { nodes { id items { title } } } }';
    expect(compileQuery(service.domain.schema, query, undefined)).toBeDefined();
  });
});

describe('a query that comes again', () => {
  /** Who resolved `me`, by each time. */
  const by: ('yoga' | 'compiled')[] = [];
  beforeAll(() => {
    const { me } = service.domain.schema.getQueryType()!.getFields();
    const { resolve } = me!;
    me!.resolve = (parent, args, asked, info) => {
      by.push('typename' in info.path ? 'yoga' : 'compiled'); // as schema/plugins/stable-paths.ts tells them apart
      return resolve?.(parent, args, asked, info);
    };
  });

  const post = (body: object, headers: Record<string, string> = {}) =>
    service.request('POST', '/graphql', { body, headers: { authorization: `Bearer ${acme.token}`, ...headers } });
  const plain = ({ status, headers, text }: Answer) => {
    const told = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
    return { status, headers: Object.fromEntries(told), text };
  };
  const lastOf = async (body: object, headers?: Record<string, string>): Promise<[string, Answer]> => {
    by.length = 0;
    const answer = await post(body, headers);
    return [by.join(' then '), answer];
  };
  /** Sends a document until it is answered compiled. */
  async function compile(body: object): Promise<void> {
    for (let sent = 0; sent < 100; sent++) if ((await lastOf(body))[0] === 'compiled') return;
    throw new Error('It is not compiled');
  }

  it('is compiled after the third time, and not before', async () => {
    const query = '{ neverSentBefore: me { user { id } } }';
    const ways: string[] = [];
    for (let sent = 0; sent < 5; sent++) ways.push((await lastOf({ query }))[0]);
    expect(ways).toEqual(['yoga', 'yoga', 'yoga', 'compiled', 'compiled']);
  });

  it.each([
    ['any type', '*/*', 'compiled'],
    ['JSON', 'application/json', 'compiled'],
    ['GraphQL as our dashboard', 'application/graphql-response+json, application/json, text/event-stream', 'compiled'],
    ['JSON, weighed', 'application/json;q=0.9,application/graphql-response+json', 'compiled'],
    ['in capitals', 'Application/JSON', 'yoga'],
    ['another charset', 'application/json; charset=latin1, application/json', 'yoga'],
    ['events first', 'text/event-stream, application/json', 'yoga'],
    ['what we don’t have', 'text/html', 'yoga'],
  ])('is answered with the same headers: %s', async (_what, accept, way) => {
    await compile({ query: '{ me { user { id } } }' });
    const again = await lastOf({ query: '{ me { user { id } } }' }, { accept });
    const [, once] = await lastOf({ query: `{ me { user { id } } } # once, ${accept}` }, { accept });
    expect(again[0]).toBe(way);
    expect(plain(again[1])).toEqual(plain(once));
    expect(again[1].headers.get('x-request-id')).not.toBe(once.headers.get('x-request-id'));
  });

  it('is refused as the first time: limits, variables, parameters, operations', async () => {
    const query = `query A($first: Int) { me { user { id } } customers(first: $first) { nodes { invoices(first: $first) {
      nodes { id items { id title } } } } } } query B { me { tenant { id } } }`;
    await compile({ query, operationName: 'A', variables: { first: 1 } });
    const asked = [
      { operationName: 'A', variables: { first: 1 } },
      { operationName: 'A', variables: { first: 100 } }, // more than may be asked for
      { operationName: 'A', variables: { first: 'one' } },
      { operationName: 'A', variables: { first: -1 } },
      { operationName: 'A', variables: 'none' },
      { operationName: 'A', variables: { first: 1 }, more: true },
      { operationName: 'B' },
      { operationName: 'C' },
      {},
    ];
    for (const [at, one] of asked.entries()) {
      const again = await lastOf({ query, ...one });
      const once = await lastOf({ query: `${query} # ${at}`, ...one });
      expect({ one, answer: plain(again[1]) }).toEqual({ one, answer: plain(once[1]) });
    }
  });

  it('is asked of Yoga where a field fails, and told by it alone', async () => {
    const body = { query: 'query ($id: UUID!) { me { user { id } } invoice(id: $id) { id } }' };
    await compile({ ...body, variables: { id: ids['Invoice']![0] } });
    const unknown = { ...body, variables: { id: '0190a1b2-c3d4-7000-8000-000000000000' } };
    const [way, answer] = await lastOf(unknown);
    expect(way).toBe('compiled then yoga');
    expect(answer.body.errors).toMatchObject([{ path: ['invoice'], extensions: { code: 'NOT_FOUND' } }]);
    expect(answer.text).toBe((await post({ ...unknown, query: `${body.query} # once` })).text);
  });
});
