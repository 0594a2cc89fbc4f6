import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxProblems } from '../../schema/errors/errors.ts';
import { maxInputValues } from '../../schema/graphql/input/width.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';

// A body of up to 1 MiB can have a fault in each of its fields.

let service: Service;
let acme: Integrator;
let reader: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  reader = await service.integrator({ abilities: ['read'] });
  customerId = await makeCustomer(acme);
});
afterAll(() => service.close());

const unknownFields = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
const item = { title: 'x', quantity: '1', unit_price_net: '1', vat_rate: '19' };
const more = `(and ${maxProblems - 1} or more others, of which ${maxProblems - 1} are listed)`;

describe('REST reports 100 problems, and says that there may be more', () => {
  const bodies: [name: string, path: string, body: () => object][] = [
    ['90,000 unknown fields', '/customers', () => unknownFields(90_000)],
    ['some unknown fields', '/customers', () => unknownFields(101)],
    [
      'unknown fields of many lines',
      '/invoices',
      () => ({ customer_id: customerId, items: Array.from({ length: 500 }, () => ({ ...item, ...unknownFields(3) })) }),
    ],
    [
      'wrong values in many lines',
      '/invoices',
      () => ({ customer_id: customerId, items: Array.from({ length: 500 }, () => ({ ...item, vat_rate: 'x' })) }),
    ],
    [
      'both',
      '/invoices',
      () => ({ ...unknownFields(60), items: Array.from({ length: 60 }, () => ({ ...item, vat_rate: 'x' })) }),
    ],
  ];

  it.each(bodies)('%s', async (_name, path, body) => {
    const { status, body: answer, text } = await acme.rest('POST', path, body());
    expect(status).toBe(422);
    expect(Object.values<string[]>(answer.errors).flat()).toHaveLength(maxProblems);
    expect(answer.details).toHaveLength(maxProblems);
    expect(answer.message).toContain(more);
    expect(text.length).toBeLessThan(40_000);
    expect((await reader.rest('POST', path, body())).status).toBe(403);
  });

  it('fewer are all reported', async () => {
    const { body } = await acme.rest('POST', '/customers', {
      ...unknownFields(97),
      type: 'customer',
      company_name: '',
    });
    expect(Object.keys(body.errors)).toHaveLength(98);
    expect(body.message).toMatch(/\(and 97 more\)$/);
  });

  it.each([
    ['a list of very many', `{"items":[${'1,'.repeat(400_000)}1]}`],
    ['lists in lists', `{"items":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['objects in objects', `{"items":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
    ['many values of a known field', `{"company_name":[${'"x",'.repeat(200_000)}"x"]}`],
  ])('%s', async (_name, text) => {
    for (const path of ['/invoices', '/customers']) {
      const { status, body } = await acme.rest('POST', path, text);
      expect(status).toBe(422);
      expect(Object.values<string[]>(body.errors).flat().length).toBeLessThanOrEqual(maxProblems);
    }
  });

  it('a list in the query string', async () => {
    const { status, body } = await acme.rest('GET', `/changes?resource=${'x,'.repeat(5000)}`);
    expect(status).toBe(422);
    expect(Object.values<string[]>(body.errors).flat()).toHaveLength(maxProblems);
  });

  it('before anybody has signed in, a body is short', async () => {
    const headers = { origin: service.url, 'sec-fetch-site': 'same-origin' };
    const { status } = await service.request('POST', '/api/auth/sign-in/email', {
      body: unknownFields(90_000),
      headers,
    });
    expect(status).toBe(413);
  });
});

describe('GraphQL reports 100 problems, and none to a caller who may not run the document', () => {
  const create = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  const createInvoice = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }';
  const line = { title: 'x', quantity: '1', unitPriceNet: '1', vatRate: 'x' };
  const cases: [name: string, document: string, input: () => object][] = [
    ['90,000 unknown fields', create, () => unknownFields(90_000)],
    ['some unknown fields', create, () => unknownFields(101)],
    ['in many lines', createInvoice, () => ({ customerId, items: Array.from({ length: 500 }, () => line) })],
  ];

  it.each(cases)('%s', async (_name, document, input) => {
    const { body, text } = await acme.graphqlAnswer(document, { input: input() });
    const [{ message, extensions }] = body.errors;
    expect(extensions.code).toBe('VALIDATION_FAILED');
    expect(Object.values<string[]>(extensions.errors).flat()).toHaveLength(maxProblems);
    expect(extensions.details).toHaveLength(maxProblems);
    expect(message).toContain(more);
    expect(text.length).toBeLessThan(40_000);
    const refused = await reader.graphqlAnswer(document, { input: input() });
    expect(refused.body.errors).toEqual([
      { message: expect.stringMatching(/lacks the ability/) as string, extensions: { code: 'FORBIDDEN' } },
    ]);
    const fragment = document.replace('{ ', '{ ...f } fragment f on Mutation { ');
    const inFragment = await reader.graphqlAnswer(fragment, { input: input() });
    expect(inFragment.body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('more values than any input has, in variables that no field uses', async () => {
    const query = 'query ($ids: [ID!]) { me { user { id } } nodes(ids: []) { id } a: nodes(ids: $ids) { id } }'.replace(
      '[ID!])',
      '[ID!]!)',
    );
    for (let time = 0; time < 5; time += 1) {
      const wide = await acme.graphqlAnswer(query, { ids: Array.from({ length: maxInputValues }, () => 'x') });
      expect(wide.body.errors[0].extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { variables: [`Must not have more than ${maxInputValues} values.`] },
      });
      expect((await acme.graphqlAnswer(query, { ids: ['x'] })).body.errors).toBeUndefined();
    }
  });

  it('a document for sessions only', async () => {
    const document = 'mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { value } }';
    const { body } = await acme.graphqlAnswer(document, { input: unknownFields(90_000) });
    expect(body.errors[0].extensions?.code).toBe('FORBIDDEN');
  });
});
