import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { makeCustomer, makeInvoice } from './books.ts';
import { answers, head, json, last, sendRaw } from '../rest/raw.ts';

let service: Service;
let acme: Integrator;
let authorization: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  authorization = `Bearer ${acme.token}`;
});
afterAll(() => service.close());

const post = (body: unknown, headers: Record<string, string> = {}) =>
  service.request('POST', '/graphql', { body, headers: { authorization, ...headers } });
const get = (query: string, headers: Record<string, string> = {}) =>
  service.request('GET', `/graphql?query=${encodeURIComponent(query)}`, { headers: { authorization, ...headers } });

/** The headers of a request once without and once with an Idempotency-Key. */
const keyed = (): Record<string, string>[] => [{}, { 'Idempotency-Key': randomUUID() }];

const me = '{ me { user { id } tenant { id } token { id } } }';

describe('GraphQL over HTTP', () => {
  it('answers a query sent by POST or by GET, with the headers of every admitted request', async () => {
    const data = { me: { user: { id: acme.userId }, tenant: { id: acme.tenantId }, token: { id: acme.tokenId } } };
    for (const { status, headers, body } of [await post({ query: me }), await get(me)]) {
      expect(status).toBe(200);
      expect(body).toEqual({ data });
      expect(headers.get('content-type')).toMatch(/json/);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('accepts operationName, and answers in application/graphql-response+json if accepted', async () => {
    const query = 'query one { me { user { id } } } query two { me { tenant { id } } }';
    const { headers, body } = await post(
      { query, operationName: 'two' },
      { accept: 'application/graphql-response+json' },
    );
    expect(headers.get('content-type')).toMatch(/^application\/graphql-response\+json/);
    expect(body).toEqual({ data: { me: { tenant: { id: acme.tenantId } } } });
    const codeOf = async (sent: object) => (await post(sent)).body.errors[0].extensions.code;
    expect(await codeOf({ query, operationName: 'three' })).toBe('OPERATION_RESOLUTION_FAILURE');
    expect(await codeOf({ query: '{ me {' })).toBe('GRAPHQL_PARSE_FAILED');
  });

  it.each([
    ['a syntax error', { query: '{ me { ' }, /Syntax Error/],
    ['an unknown field', { query: '{ me { shoeSize } }' }, /shoeSize/],
    ['a missing selection', { query: '{ me }' }, /me/],
    ['no query', { variables: {} }, /query/i],
    ['a query that is no text', { query: 5 }, /query/i],
    ['variables that are no object', { query: me, variables: 'x' }, /variables/i],
  ])('answers %s with an error, and logs none', async (_what, body, message) => {
    const logged = service.log.length;
    const answer = await post(body);
    expect([200, 400]).toContain(answer.status);
    expect(answer.body).not.toHaveProperty('data');
    expect(answer.body.errors[0].message).toMatch(message);
    expect(answer.body.errors[0].extensions?.code).not.toBe('INTERNAL_SERVER_ERROR');
    expect(service.log.slice(logged).filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  it('answers malformed JSON with an error, and logs none', async () => {
    const answer = await post('{"query": ');
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors[0].extensions?.code).not.toBe('INTERNAL_SERVER_ERROR');
  });

  it.each([
    ['GET', '?query=%7Bme%7Buser%7Bid%7D%7D%7D&variables=x', undefined, 'application/json', 400],
    ['GET', '?query=%7Bme%7Buser%7Bid%7D%7D%7D&extensions=%7B', undefined, 'application/json', 400],
    ['POST', '', 'query=%7Bme%7Buser%7Bid%7D%7D%7D&variables=x', 'application/x-www-form-urlencoded', 400],
    ['POST', '', '{"query":"{ me { user { id } } }"}', 'text/plain', 415],
  ])('refuses what it can’t parse: %s %s %s as %s', async (method, query, body, type, status) => {
    const logged = service.log.length;
    for (const key of keyed()) {
      const headers = { authorization, 'content-type': type, ...key };
      const answer = await service.request(method, `/graphql${query}`, { body, headers });
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    }
    expect(service.log.slice(logged).filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  it('refuses a body that is not UTF-8, whose letters would be stored as others', async () => {
    const text = '{"query":"mutation { createCustomer(input: { type: CUSTOMER, companyName: \\"Müller\\" }) { id } }"}';
    const body = Buffer.from(text, 'latin1');
    for (const key of keyed()) {
      const headers = { authorization, 'content-type': 'application/json', ...key };
      const answer = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ errors: [{ message: 'The body must be UTF-8.' }] });
    }
    expect(await acme.db.customer.count()).toBe(0);
  });

  it('takes JSON under the same types as REST', async () => {
    const typed = async (path: string, type: string, body: object, more: Record<string, string> = {}) => {
      const headers = { authorization, 'content-type': type, ...more };
      return (await service.request('POST', path, { body: JSON.stringify(body), headers })).status;
    };
    const types = ['APPLICATION/JSON', 'application/json ; charset=UTF-8', 'application/json; charset="utf-8"'];
    const refused = ['application/json; charset=utf-16', 'application/json;charset=latin1', 'text/json'];
    for (const type of [...types, ...refused])
      for (const key of keyed()) {
        const isRefused = refused.includes(type);
        expect([type, await typed('/graphql', type, { query: me }, key)]).toEqual([type, isRefused ? 415 : 200]);
        expect([type, await typed('/api/v1/customers', type, {}, key)]).toEqual([type, isRefused ? 415 : 422]);
      }
    for (const path of ['/graphql', '/api/v1/customers'])
      expect(await typed(path, 'application/json', { query: me }, { 'content-encoding': 'gzip' })).toBe(415);
  });

  it('does nothing for a request whose Accept takes no response', async () => {
    const query = 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "Unseen" }) { id } }';
    for (const key of keyed())
      for (const accept of ['application/xml', 'application/json; charset=utf-16, text/html']) {
        const { status, body } = await post({ query }, { accept, ...key });
        expect([status, body.errors[0].extensions.code]).toEqual([406, 'BAD_REQUEST']);
      }
    expect(await acme.db.customer.count()).toBe(0);
    for (const key of keyed())
      expect(await post({ query: me }, { accept: 'text/event-stream, text/html, */*;q=0.1', ...key })).toMatchObject({
        status: 200,
      });
  });

  it('takes two Authorization headers for no token, in either order', async () => {
    const own = `Authorization: ${authorization}`;
    const other = 'Authorization: Bearer another';
    for (const path of ['/graphql?query=%7B__typename%7D', '/api/v1/me'])
      for (const two of [
        [own, other],
        [other, own],
      ]) {
        const text = await sendRaw(service, [`GET ${path} HTTP/1.1`, 'Host: x', ...two, last, '', ''].join('\r\n'));
        expect(answers(text)).toMatchObject([{ status: 401 }]);
      }
  });

  describe('answers 413 to a body over 1 MiB', () => {
    const mebibyte = 1024 * 1024;
    const tooLong = {
      status: 413,
      body: { errors: [{ message: expect.any(String), extensions: { code: 'REQUEST_ENTITY_TOO_LARGE' } }] },
    };
    const chunked = (...parts: string[]) =>
      parts.flatMap((part) => [`${Buffer.byteLength(part).toString(16)}\r\n`, part, '\r\n']);

    it('that is one byte longer, and accepts exactly 1 MiB', async () => {
      const padded = (length: number): string => JSON.stringify({ query: me }).padEnd(length);
      expect((await post(padded(mebibyte))).body.data.me.user.id).toBe(acme.userId);
      expect(await post(padded(mebibyte + 1))).toMatchObject(tooLong);
    });

    it('that is chunked, without a Content-Length', async () => {
      const start = head(acme, 'POST /graphql', json, 'Transfer-Encoding: chunked', last);
      const long = chunked(...Array.from({ length: 40 }, () => ' '.repeat(64 * 1024)));
      for (const end of ['0\r\n\r\n', ''])
        expect(answers(await sendRaw(service, start, ...long, end))).toMatchObject([tooLong]);
      const [answer] = answers(
        await sendRaw(service, start, ...chunked('{"query": ', '"{ __typename }"}'), '0\r\n\r\n'),
      );
      expect(answer).toEqual({ status: 200, body: { data: { __typename: 'Query' } } });
    });

    it('that is announced but never sent', async () => {
      const start = head(acme, 'POST /graphql', json, 'Content-Length: 99999999', last);
      expect(answers(await sendRaw(service, start))).toMatchObject([tooLong]);
    });
  });

  it('rejects a mutation over GET', async () => {
    const answer = await get('mutation { createCustomer(input: { type: CUSTOMER, companyName: "By GET" }) { id } }');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(await acme.db.customer.count()).toBe(0);
  });

  it('rejects batched requests', async () => {
    const answer = await post([{ query: me }, { query: me }]);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].message).toMatch(/batching/i);
  });

  it('rejects a form that another site could send', async () => {
    const mutation = 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "Forged" }) { id } }';
    await service.request('POST', '/graphql', {
      body: `query=${encodeURIComponent(mutation)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(await acme.db.customer.count()).toBe(0);
  });

  it('rejects every other method', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      expect((await service.request(method, '/graphql', { headers: { authorization } })).status).toBe(405);
    }
  });
});

const page = (path = '/graphql') => service.request('GET', path, { headers: { accept: 'text/html,*/*' } });

describe('GraphiQL', () => {
  it('is served to a browser without a token', async () => {
    for (const path of ['/graphql', '/graphql?query=%7Bme%7Buser%7Bid%7D%7D%7D']) {
      const { status, headers, text } = await page(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^text\/html/);
      expect(text).toContain('<title>GraphiQL · Kontor</title>');
    }
  });

  it('gives no other access without a token', async () => {
    const introspection = encodeURIComponent('{ __schema { queryType { name } } }');
    for (const path of [`/graphql?query=${introspection}`, `/graphql?q%75ery=${introspection}`]) {
      for (const accept of ['text/html', 'application/json', 'application/json, text/html']) {
        const { text } = await service.request('GET', path, { headers: { accept } });
        expect(text).not.toContain('"queryType"');
      }
    }
    expect(
      (await service.request('POST', '/graphql', { body: { query: me }, headers: { accept: 'text/html' } })).status,
    ).toBe(401);
  });

  it('opens with a query that filters, orders, and adds up, and that runs as it stands', async () => {
    const program = readFileSync('src/pages/browser/graphiql.js', 'utf8');
    const query = /defaultQuery: `\$\{hint\}\n([^`]+)`/.exec(program)?.[1] ?? '';
    const globex = await service.integrator();
    const customerId = await makeCustomer(globex, { companyName: 'Globex' });
    await makeInvoice(globex, { customerId, status: 'ISSUED', dueDate: '2026-04-01' });
    await makeInvoice(globex, { customerId, status: 'ISSUED', dueDate: '2026-03-20' });
    await makeInvoice(globex, { customerId }); // a draft
    const customer = { companyName: 'Globex' };
    const { invoices, invoicesAggregate } = await globex.graphql(query);
    expect(invoices.totalCount).toBe(2);
    expect(invoices.nodes).toEqual(
      ['2026-03-20', '2026-04-01'].map((dueDate) => ({
        number: expect.any(String),
        dueDate,
        amountDue: '119',
        currency: 'EUR',
        customer,
      })),
    );
    expect(invoicesAggregate).toEqual([
      { customer, currency: 'EUR', count: 2, sums: { totalGross: '238', amountDue: '238' } },
    ]);
  });
});
