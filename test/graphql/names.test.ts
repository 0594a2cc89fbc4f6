import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { javaScriptNames as names } from '../javascript-names.ts';
import * as sample from '../rest/samples.ts';
import { makeCustomer, makeInvoice } from './books.ts';

// GraphQL lets a client choose names (aliases, variables, operations, fragments). Those that mean something in
// JavaScript are names like any other.

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

/** Documents with the name at each place where a client may choose one; `ok` stands for what it is not about. */
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
      // What comes again is compiled.
      for (let time = 0; time < 5; time += 1) {
        const { body, text } = await acme.graphqlAnswer(document(name));
        expect({ name, time, errors: body.errors }).toEqual({ name, time, errors: undefined });
        const holder = at.reduce((value, key) => value[key], body.data);
        const isNamed = !['an operation', 'a fragment'].includes(place);
        if (isNamed)
          expect({ name, time, is: Object.hasOwn(holder, name), text }).toMatchObject({ name, time, is: true });
      }
    }
    sample.noFaults(service);
  },
);

it('a variable may be called so', async () => {
  for (const name of names.filter((each) => each !== '__proto__')) {
    const query = `query ($${name}: UUID!) { customer(id: $${name}) { id } }`;
    for (let time = 0; time < 5; time += 1) {
      // As JSON.parse makes it: an own property, whatever its name.
      const variables = JSON.parse(`{"${name}": "${customerId}"}`) as object;
      const { body } = await acme.graphqlAnswer(query, variables);
      expect({ name, body }).toEqual({ name, body: { data: { customer: { id: customerId } } } });
    }
  }
  // GraphQL keeps two underscores for itself. Graphql-js finds no value for this one, and says so.
  const { body } = await acme.graphqlAnswer('query ($__proto__: UUID!) { customer(id: $__proto__) { id } }', {});
  expect(body.errors).toHaveLength(1);
  sample.noFaults(service);
});

it('what is no argument, variable or field is refused by its name, and is no fault', async () => {
  for (const name of names) {
    const input = JSON.parse(`{"type": "CUSTOMER", "companyName": "x", "${name}": "y"}`) as object;
    const asked: [string, object?][] = [
      [`{ customers(${name}: 1) { totalCount } }`],
      [`{ customers { nodes { ${name} { id } } } }`],
      [`{ customers(type: ${name}) { totalCount } }`],
      ['query ($a: UUID) { customer(id: $a) { id } }', { a: JSON.parse(`{"${name}": 1}`) as object }],
      [`mutation { createCustomer(input: {type: CUSTOMER, companyName: "x", ${name}: "y"}) { id } }`],
      ['mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', { input }],
    ];
    for (const [query, variables] of asked) {
      const { status, body } = await acme.graphqlAnswer(query, variables);
      expect({ name, query, status: status < 500, told: body.errors?.length > 0 }).toEqual({
        name,
        query,
        status: true,
        told: true,
      });
    }
  }
  sample.noFaults(service);
});

it('Idempotency-Key and operationName take such names too', async () => {
  for (const name of names) {
    const query = `mutation ${name} { ${name}: createProject(input: {name: "x"}) { ${name}: id } }`;
    const ask = () =>
      service.request('POST', '/graphql', {
        body: { query, operationName: name },
        headers: { authorization: `Bearer ${acme.token}`, 'idempotency-key': `key of ${name}` },
      });
    const [first, second] = [await ask(), await ask()];
    expect({ name, errors: first.body.errors, text: second.text }).toEqual({
      name,
      errors: undefined,
      text: first.text,
    });
  }
  sample.noFaults(service);
});
