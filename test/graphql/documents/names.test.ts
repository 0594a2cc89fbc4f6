import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { javaScriptNames as names } from '../../javascript-names.ts';
import * as sample from '../../rest/samples.ts';
import { makeCustomer, makeInvoice } from '../books.ts';

// GraphQL lets a client choose names (aliases, variables, operations, fragments). Names that have a meaning in JavaScript
// must work like any other.

let service: Service;
let acme: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  customerId = await makeCustomer(acme);
  await makeInvoice(acme, { customerId });
});
afterAll(() => service.close());

/** Documents with the name in each position where a client can choose one. The other names are `ok`. */
const documents: [place: string, document: (name: string) => string, at: string[]][] = [
  ['a leaf', (name) => `{ me { user { ${name}: id } } }`, ['me', 'user']],
  ['an object', (name) => `{ me { ${name}: user { id } } }`, ['me']],
  ['a field of the query', (name) => `{ ${name}: me { user { id } } }`, []],
  ['a list’s leaf', (name) => `{ customers { nodes { ${name}: id } } }`, ['customers', 'nodes', '0']],
  ['a null leaf', (name) => `{ customers { nodes { ${name}: city } } }`, ['customers', 'nodes', '0']],
  ['a list’s object', (name) => `{ invoices { nodes { ${name}: customer { id } } } }`, ['invoices', 'nodes', '0']],
  ['a list', (name) => `{ invoices { ${name}: nodes { id } } }`, ['invoices']],
  ['a connection', (name) => `{ ${name}: invoices { totalCount } }`, []],
  [
    'a list within a list',
    (name) => `{ invoices { nodes { ${name}: items { ${name}: title } } } }`,
    ['invoices', 'nodes', '0'],
  ],
  ['a connection’s own', (name) => `{ invoices { ${name}: totalCount edges { ${name}: cursor } } }`, ['invoices']],
  ['the type’s name', (name) => `{ customers { nodes { ${name}: __typename } } }`, ['customers', 'nodes', '0']],
  ['the schema', (name) => `{ ${name}: __type(name: "Customer") { name } }`, []],
  ['an operation', (name) => `query ${name} { me { user { id } } }`, ['me', 'user']],
  ['a fragment', (name) => `{ me { ...${name} } } fragment ${name} on Profile { user { id } }`, ['me', 'user']],
  [
    'a mutation',
    (name) =>
      `mutation { ${name}: createCustomer(input: {type: CUSTOMER, companyName: "x"}) { ${name}: id ${name}2: city } }`,
    [],
  ],
];

it.each(documents)(
  '%s may be called what JavaScript calls something',
  { timeout: 60_000 },
  async (place, document, at) => {
    for (const name of names) {
      // A repeated document is compiled.
      for (let time = 0; time < 5; time += 1) {
        const { body, text } = await acme.graphqlAnswer(document(name));
        expect({ name, time, errors: body.errors }).toEqual({ name, time, errors: undefined });
        const holder = at.reduce((value, key) => value[key], body.data);
        const isNamed = !['an operation', 'a fragment'].includes(place);
        if (isNamed)
          expect({ name, time, is: Object.hasOwn(holder, name), text }).toMatchObject({ name, time, is: true });
      }
    }
    sample.expectNoInternalError(service);
  },
);

it('a variable can have such a name', async () => {
  for (const name of names.filter((each) => each !== '__proto__')) {
    const query = `query ($${name}: UUID!) { customer(id: $${name}) { id } }`;
    for (let time = 0; time < 5; time += 1) {
      // JSON.parse makes every name an own property.
      const variables = JSON.parse(`{"${name}": "${customerId}"}`) as object;
      const { body } = await acme.graphqlAnswer(query, variables);
      expect({ name, body }).toEqual({ name, body: { data: { customer: { id: customerId } } } });
    }
  }
  // GraphQL reserves names with two underscores. Graphql-js reports that it finds no value for this one.
  const { body } = await acme.graphqlAnswer('query ($__proto__: UUID!) { customer(id: $__proto__) { id } }', {});
  expect(body.errors).toHaveLength(1);
  sample.expectNoInternalError(service);
});

it('an unknown argument, variable, or field with such a name is rejected by name, without an internal error', async () => {
  for (const name of names) {
    const input = JSON.parse(`{"type": "CUSTOMER", "companyName": "x", "${name}": "y"}`) as object;
    const requests: [string, object?][] = [
      [`{ customers(${name}: 1) { totalCount } }`],
      [`{ customers { nodes { ${name} { id } } } }`],
      [`{ customers(filter: { type: { eq: ${name} } }) { totalCount } }`],
      [`{ customers(filter: { ${name}: { eq: 1 } }) { totalCount } }`],
      [`{ customers(filter: { type: { ${name}: CUSTOMER } }) { totalCount } }`],
      [
        'query ($filter: CustomerFilter) { customers(filter: $filter) { totalCount } }',
        { filter: JSON.parse(`{"${name}": {"eq": 1}}`) as object },
      ],
      ['query ($a: UUID) { customer(id: $a) { id } }', { a: JSON.parse(`{"${name}": 1}`) as object }],
      [`mutation { createCustomer(input: {type: CUSTOMER, companyName: "x", ${name}: "y"}) { id } }`],
      ['mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', { input }],
    ];
    for (const [query, variables] of requests) {
      const { status, body } = await acme.graphqlAnswer(query, variables);
      expect({ name, query, status: status < 500, hasErrors: body.errors?.length > 0 }).toEqual({
        name,
        query,
        status: true,
        hasErrors: true,
      });
    }
  }
  sample.expectNoInternalError(service);
});

it('Idempotency-Key and operationName can have such names', async () => {
  for (const name of names) {
    const query = `mutation ${name} { ${name}: createProject(input: {name: "x"}) { ${name}: id } }`;
    const send = () =>
      service.request('POST', '/graphql', {
        body: { query, operationName: name },
        headers: { authorization: `Bearer ${acme.token}`, 'idempotency-key': `key of ${name}` },
      });
    const [first, second] = [await send(), await send()];
    expect({ name, errors: first.body.errors, text: second.text }).toEqual({
      name,
      errors: undefined,
      text: first.text,
    });
  }
  sample.expectNoInternalError(service);
});
