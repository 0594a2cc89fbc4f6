import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { item, makeCustomer, refusal } from './books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const anyId = '01980000-0000-7000-8000-000000000000';

describe('errors carry extensions.code', () => {
  it('NOT_FOUND', async () => {
    const { status, body } = await acme.graphqlAnswer(`{ customer(id: "${anyId}") { id } }`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { customer: null },
      errors: [
        {
          message: 'Not found.',
          locations: [{ line: 1, column: 3 }],
          path: ['customer'],
          extensions: { code: 'NOT_FOUND' },
        },
      ],
    });
  });

  it('FORBIDDEN, naming the ability the token lacks', async () => {
    const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['read'] });
    const reader = asIntegrator(service, { ...acme, token, tokenId });
    const answer = await reader.graphqlAnswer(`mutation { deleteCustomer(id: "${anyId}") { id } }`);
    expect(answer.status).toBe(200);
    expect(refusal(answer)).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This token lacks the ability customers:write.',
      extensions: { code: 'FORBIDDEN' },
    });
  });

  const createInvoice = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }';

  it('VALIDATION_FAILED, with `errors` keyed by input path', async () => {
    const input = {
      customerId: anyId,
      invoiceDate: '2026-03-01',
      dueDate: '2026-02-28',
      currency: 'EURO',
      subject: 'x'.repeat(256),
      items: [item, { ...item, title: ' ', quantity: '0', unitPriceNet: '1.00005', vatRate: '100.01' }],
    };
    const answer = await acme.graphqlAnswer(createInvoice, { input });
    expect(answer.status).toBe(200);
    expect(answer.body.errors).toHaveLength(1);
    expect(refusal(answer)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: {
        'input.customerId': ['There is no such customer.'],
        'input.dueDate': ['Must not be before the invoice date.'],
        'input.currency': ['Must be an ISO 4217 currency code of three capital letters.'],
        'input.subject': ['Must not be longer than 255 characters.'],
        'input.items.1.title': ['Must not be empty.'],
        'input.items.1.quantity': ['Must not be zero.'],
        'input.items.1.unitPriceNet': ['Must not have more than 4 decimals.'],
        'input.items.1.vatRate': ['Must be at most 100.'],
      },
    });
  });

  it('VALIDATION_FAILED also for variables that graphql-js rejects, all at once', async () => {
    const input = {
      customerId: 'me',
      invoiceDate: '2026-02-30',
      status: 'SENT',
      colour: 'red',
      items: [{ title: 5, quantity: '1,5', vatRate: null }, null],
    };
    const answer = await acme.graphqlAnswer(createInvoice, { input });
    expect(refusal(answer)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: {
        'input.customerId': ['Must be a UUID.'],
        'input.invoiceDate': ['Must be a calendar day, YYYY-MM-DD.'],
        'input.status': ['Must be one of DRAFT, ISSUED, PAID, CANCELLED.'],
        'input.colour': ['This field is not known here.'],
        'input.items.0.title': ['Must be a string.'],
        'input.items.0.quantity': ['Must be a number.'],
        'input.items.0.unitPriceNet': ['Required.'],
        'input.items.0.vatRate': ['Must not be null.'],
        'input.items.1': ['Must not be null.'],
      },
    });
  });

  it.each([
    ['query ($id: UUID!) { customer(id: $id) { id } }', {}, { id: ['Required.'] }],
    ['query ($id: UUID!) { customer(id: $id) { id } }', { id: null }, { id: ['Must not be null.'] }],
    ['query ($id: UUID!) { customer(id: $id) { id } }', { id: 7 }, { id: ['Must be a UUID.'] }],
    [
      'query ($first: Int) { customers(first: $first) { totalCount } }',
      { first: 1.5 },
      { first: ['Must be a whole number.'] },
    ],
    [
      'query ($first: Int) { customers(first: $first) { totalCount } }',
      { first: 2 ** 31 },
      { first: ['Must be a whole number.'] },
    ],
    [
      'query ($type: CustomerType) { customers(filter: { type: { eq: $type } }) { totalCount } }',
      { type: 'customer' },
      { type: ['Must be one of CUSTOMER, SUPPLIER.'] },
    ],
    [
      'query ($q: String) { customers(filter: { q: $q }) { totalCount } }',
      { q: 'a\0b' },
      { 'filter.q': ['Must not contain NUL characters or lone surrogates.'] },
    ],
    [
      'query ($from: Date) { timeEntries(filter: { date: { gte: $from, lte: "2026-01-01" } }) { totalCount } }',
      { from: '2026-01-02' },
      {
        'filter.date.gte': ['Must not be after the last day.'],
        'filter.date.lte': ['Must not be before the first day.'],
      },
    ],
    [
      'query ($type: CustomerType) { customers(filter: { type: { eq: $type } }) { totalCount } }',
      { type: null },
      { 'filter.type.eq': ['Must not be null.'] },
    ],
    [
      'query ($filter: CustomerFilter) { customers(filter: $filter) { totalCount } }',
      { filter: { or: [{ type: null }, { city: { isNull: null } }], externalId: { in: ['x', null] } } },
      {
        'filter.or.0.type': ['Must not be null.'],
        'filter.or.1.city.isNull': ['Must not be null.'],
      },
    ],
    [
      'query ($filter: CustomerFilter) { customers(filter: $filter) { totalCount } }',
      { filter: { type: { eq: 'customer' }, version: { gt: 1.5 } } },
      {
        'filter.type.eq': ['Must be one of CUSTOMER, SUPPLIER.'],
        'filter.version.gt': ['Must be a whole number.'],
      },
    ],
    [
      'mutation ($id: UUID!, $amount: Decimal) { payInvoice(id: $id, amount: $amount) { id } }',
      { id: anyId, amount: 1.5 },
      { amount: ['Must be a number as a string: "1190.5".'] },
    ],
  ])('%s with %o', async (query, variables, errors) => {
    expect(refusal(await acme.graphqlAnswer(query, variables))).toMatchObject({ code: 'VALIDATION_FAILED', errors });
  });
});

it.each([
  ['{ invoice(id: "x") { id } }', 'Must be a UUID.', 15],
  ['{ invoices(filter: { invoiceDate: { eq: 5 } }) { totalCount } }', 'Must be a calendar day, YYYY-MM-DD.', 41],
  ['{ invoices(filter: { paidAt: { gt: "x" } }) { totalCount } }', 'Must be a time, ISO 8601 with offset.', 36],
  ['{ invoices(filter: { totalNet: { gt: [] } }) { totalCount } }', 'Must be a number.', 38],
  ['{ customers(filter: { metadata: { contains: "x" } }) { totalCount } }', 'Must be an object.', 45],
])('an invalid value within a document is reported with its place: %s', async (query, message, column) => {
  const { body } = await acme.graphqlAnswer(query);
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
  expect(body).toEqual({ errors: [{ message, locations: [{ line: 1, column }], extensions }] });
});

it.each([
  'query ($x: Boolean = true) { me { user { id @skip(if: $x) } } }',
  'subscription ($x: Boolean!) { changes @skip(if: $x) { cursor } }',
])('what graphql-js finds at execution has a code, too: %s', async (query) => {
  const { body } = await acme.graphqlAnswer(query, { x: query.startsWith('query') ? null : false });
  expect(body.errors).toMatchObject([{ locations: [{ line: 1 }], extensions: { code: 'BAD_REQUEST' } }]);
});

describe('INTERNAL_SERVER_ERROR has a generic message with the request id, and is logged', () => {
  it('after an internal error', async () => {
    const broken = await startService();
    try {
      const victim = await broken.integrator();
      const id = await makeCustomer(victim);
      await broken.pool.query('drop table time_entries cascade');
      await broken.pool.query('alter table events rename to evts');

      for (const query of ['{ timeEntries { nodes { id } } }', `mutation { deleteCustomer(id: "${id}") { id } }`]) {
        const { status, headers, body, text } = await victim.graphqlAnswer(query);
        const requestId = headers.get('x-request-id');
        expect(status).toBe(200);
        expect(body).toMatchObject({
          data: null,
          errors: [
            {
              message: 'Internal error. It is logged under the requestId.',
              extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
            },
          ],
        });
        expect(Object.keys(body.errors[0].extensions)).toEqual(['code', 'requestId']);
        expect(text).not.toMatch(/time_entries|events|prisma|stack|\.ts/i);
        const [logged, ...others] = broken.log
          .map((line) => JSON.parse(line))
          .filter((line) => line.requestId === requestId && line.level >= 50);
        expect(others).toEqual([]);
        expect(logged.err).toMatchObject({
          message: expect.stringMatching(/time_entries|events/),
          stack: expect.any(String),
        });
      }
      expect(await victim.db.customer.count()).toBe(1);

      await broken.pool.query('alter table trusted_documents rename to documents');
      const outsideOfExecution = await broken.request('POST', '/graphql', {
        body: { documentId: '0'.repeat(64) },
        headers: { authorization: `Bearer ${victim.token}` },
      });
      const requestId = outsideOfExecution.headers.get('x-request-id');
      const message = 'Internal error. It is logged under the requestId.';
      expect(outsideOfExecution.body).toEqual({
        errors: [{ message, extensions: { code: 'INTERNAL_SERVER_ERROR', requestId } }],
      });
      expect(broken.log.filter((line) => JSON.parse(line).requestId === requestId)).toContainEqual(
        expect.stringContaining('trusted_documents'),
      );
    } finally {
      await broken.close();
    }
  });
});

const send = (authorization?: string): Promise<Answer> =>
  service.request('POST', '/graphql', {
    body: { query: '{ me { user { id } } }' },
    headers: authorization ? { authorization } : {},
  });

const whole = (answer: Answer, code: string, extra: object = {}): void => {
  expect(answer.headers.get('content-type')).toMatch(/json/);
  expect(answer.body).toEqual({
    errors: [
      { message: expect.any(String), extensions: { code, requestId: answer.headers.get('x-request-id'), ...extra } },
    ],
  });
};

describe('a rejected request has its HTTP status, REST’s headers, and a GraphQL error body', () => {
  it.each([undefined, 'Bearer nonsense', `Bearer kontor_${'a'.repeat(46)}`, 'Basic abc'])(
    '401: token %s',
    async (authorization) => {
      const answer = await send(authorization);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      whole(answer, 'UNAUTHENTICATED');
      const rest = await service.request('GET', '/api/v1/me', { headers: authorization ? { authorization } : {} });
      expect(rest.headers.get('www-authenticate')).toBe('Bearer');
    },
  );

  it('403: a token without a tenant', async () => {
    const { email } = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } });
    const { token } = await createToken(service.client, { tenantId: null, userEmail: email });
    const answer = await send(`Bearer ${token}`);
    expect(answer.status).toBe(403);
    whole(answer, 'FORBIDDEN');
  });

  it('429: a request counts once in the rate limit, over REST and over GraphQL', async () => {
    const limited = await startService({ limiter: () => createRateLimiter({ limit: 3, store: memoryStore() }) });
    try {
      const busy = await limited.integrator();
      const me = '{ a: me { user { id } } b: me { user { id } } }';
      expect((await busy.graphqlAnswer(me)).headers.get('x-ratelimit-remaining')).toBe('2');
      expect((await busy.rest('GET', '/me')).headers.get('x-ratelimit-remaining')).toBe('1');
      expect((await busy.graphqlAnswer('{ nonsense')).headers.get('x-ratelimit-remaining')).toBe('0');
      const answer = await busy.graphqlAnswer(me);
      expect(answer.status).toBe(429);
      const retryAfter = Number(answer.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(60);
      whole(answer, 'RATE_LIMITED', { retryAfter });
      const rest = await busy.rest('GET', '/me');
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'])
        expect(Math.abs(Number(answer.headers.get(name)) - Number(rest.headers.get(name)))).toBeLessThanOrEqual(1);
    } finally {
      await limited.close();
    }
  });
});
