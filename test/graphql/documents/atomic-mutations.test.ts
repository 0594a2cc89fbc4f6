import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createDatabase,
  onEachServer,
  startService,
  type Answer,
  type Database,
  type Integrator,
  type Service,
} from '../../harness.ts';
import { signedIn } from '../../identity/browser.ts';
import { fannedOut, item, listEvents, makeCustomer, makeInvoice, readBooks, refusal } from '../books.ts';

// The mutations of a document are written all or none, with an Idempotency-Key or without one.

let database: Database;
let service: Service;
let acme: Integrator;

beforeAll(async () => {
  database = await createDatabase();
  const starting = await startService({ database });
  const name = new URL(database.url).pathname.slice(1);
  await onEachServer(starting, `alter database ${name} set deadlock_timeout = '20ms'`);
  await starting.close();
  service = await startService({ database });
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
beforeEach(async () => void (acme = await service.integrator()));

/** Sends a document once. With a key, as clients do that may have to send it again. */
const send = (query: string, variables: object, key?: string): Promise<Answer> =>
  service.request('POST', '/graphql', {
    body: { query, variables },
    headers: { authorization: `Bearer ${acme.token}`, ...(key !== undefined && { 'idempotency-key': key }) },
  });

interface Step {
  mutation: string;
  /** The types of the events that it writes; undefined for one that fails. */
  events?: string[];
}

const customerOf = (name: string): string => `input: { type: CUSTOMER, companyName: ${JSON.stringify(name)} }`;
const missing = randomUUID();

/** Mutations that succeed, and that fail before, while, and after they write. `$draft` and `$customer` are in the books. */
const steps: Step[] = [
  { mutation: `createCustomer(${customerOf('Initech')}) { id }`, events: ['customer.created'] },
  {
    mutation: `createInvoice(input: { customerId: $customer, invoiceDate: "2026-03-01", status: ISSUED, items: [{ title: "Advice", quantity: 1, unitPriceNet: 10, vatRate: 19 }] }) { number }`,
    events: ['invoice.created', 'invoice.issued'],
  },
  // Another day each time: an update that changes nothing has no event.
  { mutation: 'updateInvoice(id: $draft, input: { deliveryDate: "DAY" }) { id }', events: ['invoice.updated'] },
  { mutation: `createCustomer(${customerOf('')}) { id }` },
  { mutation: `createInvoice(input: { customerId: "${missing}", invoiceDate: "2026-03-01", items: [] }) { id }` },
  { mutation: `updateCustomer(id: $customer, input: { city: "Ulm" }, expectedVersion: 99) { id }` },
  { mutation: `issueInvoice(id: "${missing}") { id }` },
  { mutation: 'deleteCustomer(id: $customer) { id }' }, // the draft refers to it: a foreign key refuses it
];

const [creates, issues, updates, invalid] = steps as [Step, Step, Step, Step];
/** Good and bad ones are among any generated documents. */
const examples: [Step[], boolean][] = [
  [[creates, issues, updates, updates], false],
  [[issues, creates], true],
  [[creates, issues, invalid], false],
];

it('any document is written as a whole, or nothing of it is', async () => {
  const [good, bad] = [0, 0].map(() => new Set<string>());
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (chosen, hasKey) => {
        acme = await service.integrator();
        const customer = await makeCustomer(acme);
        const draft = await makeInvoice(acme, { customerId: customer });
        const document = `mutation ($customer: UUID!, $draft: UUID!) {
          ${chosen.map(({ mutation }, index) => `m${index}: ${mutation.replace('DAY', `2026-02-0${index + 1}`)}`).join('\n')}
          last: updateInvoice(id: $draft, input: { subject: "last" }) { customerId customer { id } }
          ${chosen.some(({ mutation }) => mutation.includes('$customer')) ? '' : 'more: updateCustomer(id: $customer, input: { email: "a@example.com" }) { id }'}
        }`;
        const eventsBefore = (await listEvents(service, acme)).length;
        const queuedBefore = (await fannedOut(service, acme)).length;
        const before = await readBooks(service, acme);
        const { body } = await send(document, { customer, draft }, hasKey ? randomUUID() : undefined);
        const events = (await listEvents(service, acme)).slice(eventsBefore).map(({ type }) => type);
        const { stored_responses: _stored, ...after } = (await readBooks(service, acme)) as Record<string, unknown>;
        if (chosen.every(({ events: written }) => written)) {
          good?.add(document);
          expect(body.errors).toBeUndefined();
          const expected = chosen.flatMap(({ events: written = [] }) => written);
          expect(events.filter((type) => type !== 'customer.updated').slice(0, expected.length)).toEqual(expected);
          expect(after).not.toEqual(before);
        } else {
          bad?.add(document);
          expect(body.data).toBeNull();
          expect(body.errors).toHaveLength(1);
          expect(body.errors[0].path).toEqual([`m${chosen.findIndex(({ events: written }) => !written)}`]);
          const { stored_responses: _before, ...unchanged } = before as Record<string, unknown>;
          expect(after).toEqual(unchanged);
          expect(events).toEqual([]);
        }
        expect((await fannedOut(service, acme)).length - queuedBefore).toBe(events.length);
      },
    ),
    { numRuns: 25, examples },
  );
  expect(good?.size).toBeGreaterThan(0);
  expect(bad?.size).toBeGreaterThan(0);
});

it('a number that a failed document took is taken by the next one', async () => {
  const customerId = await makeCustomer(acme);
  const invoice = { customerId, invoiceDate: '2026-03-01', status: 'ISSUED', items: [item] };
  const query = `mutation ($input: CreateInvoiceInput!, $id: UUID!) {
    createInvoice(input: $input) { number } issueInvoice(id: $id) { id }
  }`;
  expect((await send(query, { input: invoice, id: missing })).body.data).toBeNull();
  const { createInvoice } = await acme.graphql(
    'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { number } }',
    { input: invoice },
  );
  expect(createInvoice.number).toBe('2026-0001');
});

it('documents that lock the same rows in opposite order all succeed', async () => {
  const [first, second] = [await makeCustomer(acme), await makeCustomer(acme)];
  const query = `mutation ($first: UUID!, $second: UUID!, $city: String!) {
    one: updateCustomer(id: $first, input: { city: $city }) { city }
    two: updateCustomer(id: $second, input: { city: $city }) { city }
  }`;
  const bodies = await Promise.all(
    Array.from({ length: 12 }, async (_each, index) => {
      const variables = index % 2 === 0 ? { first, second } : { first: second, second: first };
      return (await send(query, { ...variables, city: `City ${index}` })).body;
    }),
  );
  for (const [index, body] of bodies.entries())
    expect(body).toEqual({ data: { one: { city: `City ${index}` }, two: { city: `City ${index}` } } });
  const cities = await acme.db.customer.findMany({ where: { id: { in: [first, second] } } });
  expect(new Set(cities.map(({ city }) => city)).size).toBe(1);
});

it('a document that fails holds up no other tenant, and leaves no transaction open', async () => {
  const globex = await service.integrator();
  const failing = `mutation { ${Array.from({ length: 19 }, (_each, index) => `a${index}: createCustomer(${customerOf('Initech')}) { id }`).join(' ')} last: createCustomer(${customerOf('')}) { id } }`;
  const attack = Promise.all(Array.from({ length: 20 }, () => send(failing, {})));
  const made = await Promise.all(Array.from({ length: 5 }, () => makeCustomer(globex)));
  expect(new Set(made).size).toBe(5);
  for (const { body } of await attack) expect(body.data).toBeNull();
  expect(await acme.db.customer.count()).toBe(0);
  const open = `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
  expect((await service.pool.query(open)).rows).toEqual([]);
});

it('a mutation of tokens, members, or sessions has to be the only one of its document', async () => {
  const { browser } = await signedIn(service);
  const token = (name: string): string => `createApiToken(input: { name: "${name}" }) { apiToken { id } }`;
  const message = /^createApiToken has to be the only mutation of its document/;
  for (const document of [
    `mutation { ${token('a')} createCustomer(${customerOf('Initech')}) { id } }`,
    `mutation { a: ${token('a')} b: ${token('b')} }`,
    `mutation { createCustomer(${customerOf('Initech')}) { id } ...More } fragment More on Mutation { ...Token } fragment Token on Mutation { ${token('a')} }`,
    `mutation { createCustomer(${customerOf('Initech')}) { id } ... on Mutation { ${token('a')} } }`,
  ]) {
    const answer = await browser.graphql(document);
    expect(refusal(answer).code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(refusal(answer).message).toMatch(message);
  }
  const several = `mutation A { ${token('alone')} } mutation B { createCustomer(${customerOf('Initech')}) { id } }`;
  const { body } = await browser.request('POST', '/graphql', { query: several, operationName: 'A' });
  expect(body.data.createApiToken.apiToken.id).toEqual(expect.any(String));
  const listed = await browser.graphql('{ apiTokens { name } }');
  expect(listed.body.data.apiTokens).toEqual([{ name: 'alone' }]);
});
