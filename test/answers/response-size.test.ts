import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { observeStatements } from '../../prisma/connection/connection.ts';
import { maxValues } from '../../schema/graphql/execution/response-size.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { lines, makeCompanyWithLogo, makeDelivery, makeEvents } from './large.ts';

const maxResponseBytes = 1_000_000;

let service: Service;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  service = await startService({ maxResponseBytes });
  globex = await service.integrator({ name: 'Globex' });
});
beforeEach(async () => void (acme = await service.integrator()));
afterAll(() => service.close());

const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** More often than it takes to be compiled: both executors answer the same. */
const times = 5;

async function expectTooLarge(query: string, variables: object = {}): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const { status, body } = await acme.graphqlAnswer(query, variables);
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        errors: [
          {
            message: expect.stringMatching(
              /^The answer would .*\. Ask for fewer rows or fields at a time\.$/,
            ) as string,
            extensions: { code: 'ANSWER_TOO_LARGE', requestId: expect.any(String) as string },
          },
        ],
      },
    });
  }
  expect((await globex.rest('GET', '/customers')).status).toBe(200);
  expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
}

async function expectAnswered(query: string, variables: object = {}): Promise<void> {
  const first = await acme.graphqlAnswer(query, variables);
  expect(first.status).toBe(200);
  expect(first.body.errors).toBeUndefined();
  for (let time = 1; time < times; time += 1)
    expect((await acme.graphqlAnswer(query, variables)).body).toEqual(first.body);
}

describe('GraphQL: an answer beyond the limit is refused with ANSWER_TOO_LARGE, as a whole', () => {
  it('one logo that is asked for several times', async () => {
    const id = await makeCompanyWithLogo(acme, 250_000);
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Company { logo { base64 } } } }`;
    await expectAnswered(query, { ids: [id, id] });
    await expectTooLarge(query, { ids: [id, id, id, id] });
    const hundred = await acme.graphqlAnswer(query, { ids: Array.from({ length: 100 }, () => id) });
    expect(hundred.body.errors[0].message).toMatch(/values to answer/);
    await expectTooLarge(`{ ${repeat(4, (i) => `a${i}: company { logo { base64 } }`)} }`);
  });

  it("events' bodies", async () => {
    await makeEvents(acme, 10, 200_000);
    const query = 'query ($first: Int) { events(first: $first) { nodes { json } } }';
    await expectAnswered(query, { first: 2 });
    await expectTooLarge(query, { first: 10 });
    await expectTooLarge('{ events { nodes { body } } }');
    await expectTooLarge(`{ events(first: 1) { nodes { ${repeat(9, (i) => `a${i}: body`)} } } }`);
  });

  it('many lines of one invoice', async () => {
    const id = await makeInvoice(acme, { items: lines() });
    const fields = 'id position title quantity unit unitPriceNet vatRate lineTotalNet vatCategory description';
    const document = (aliases: number): string =>
      `query ($id: UUID!) { ${repeat(aliases, (i) => `a${i}: invoice(id: $id) { items { ${fields} } }`)} }`;
    await expectAnswered(document(2), { id });
    await expectTooLarge(document(18), { id });
    const ids = Array.from({ length: 100 }, () => id);
    await expectTooLarge('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Invoice { items { id title } } } }', {
      ids,
    });
    expect(100 * 500 * 2).toBeGreaterThan(maxValues);
  });

  it('long texts of many lines', async () => {
    const id = await makeInvoice(acme, { items: lines('d'.repeat(900)) });
    const query = (aliases: number): string =>
      `query ($id: UUID!) { invoice(id: $id) { items { ${repeat(aliases, (i) => `a${i}: description`)} } } }`;
    await expectAnswered(query(1), { id });
    await expectTooLarge(query(3), { id });
  });

  it('control characters, which JSON writes with six', async () => {
    const id = await makeDelivery(acme, Buffer.alloc(16_384, 1));
    const query = (aliases: number): string =>
      `query ($id: UUID!) { delivery(id: $id) { attempts { ${repeat(aliases, (i) => `a${i}: responseBody`)} } } }`;
    await expectAnswered(query(2), { id });
    await expectTooLarge(query(15), { id });
    const { body } = await acme.graphqlAnswer(query(20), { id });
    expect(body.errors[0].message).toMatch(/values to answer/);
  });

  it('long names of fields', async () => {
    const id = await makeInvoice(acme, { items: lines() });
    const name = 'n'.repeat(4000);
    await expectTooLarge(`query ($id: UUID!) { invoice(id: $id) { items { ${name}: id } } }`, { id });
  });

  it('also where a mutation answers it, which is then undone', async () => {
    const id = await makeInvoice(acme, { items: lines('d'.repeat(900)) });
    const query = `mutation ($id: UUID!) { updateInvoice(id: $id, input: { subject: "x" }) { items { ${repeat(3, (i) => `a${i}: description`)} } } }`;
    const { body } = await acme.graphqlAnswer(query, { id });
    expect(body.errors[0].extensions.code).toBe('ANSWER_TOO_LARGE');
    expect((await acme.rest('GET', `/invoices/${id}`)).body.data.subject).toBeNull(); // the mutation is rolled back
  });
});

it('a row that is asked for several times in one `nodes` is read once', async () => {
  const company = await makeCompanyWithLogo(acme, 10);
  const customer = await makeCustomer(acme);
  const statements: string[] = [];
  const stop = observeStatements(({ text }) => void statements.push(text));
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Company { logo { size } } } }';
  const { nodes } = await acme.graphql(query, { ids: [company, customer, company, company, customer] }).finally(stop);
  expect(nodes.map(({ id }: { id: string }) => id)).toEqual([company, customer, company, company, customer]);
  expect(statements.filter((text) => text.includes('company_logos'))).toHaveLength(1);
});

describe('REST: a page beyond the limit is refused with 422 for per_page', () => {
  const refused = {
    status: 422,
    body: {
      message: expect.stringMatching(/^per_page: The answer would be longer than 1000000 bytes\./) as string,
      errors: { per_page: [expect.stringMatching(/^The answer would be longer/)] },
      request_id: expect.any(String) as string,
    },
  };

  it('of events; a page of one is always answered', async () => {
    await makeEvents(acme, 5, 300_000);
    await makeEvents(acme, 1, 2_000_000);
    expect(await acme.rest('GET', '/events?per_page=6')).toMatchObject(refused);
    expect((await acme.rest('GET', '/events?per_page=1')).body.data[0].data).toHaveLength(2_000_000);
    expect((await acme.rest('GET', '/events?per_page=2&page=2')).body.data).toHaveLength(2);
  });

  it('of invoices', async () => {
    for (let count = 0; count < 3; count += 1) await makeInvoice(acme, { items: lines('d'.repeat(900)) });
    expect(await acme.rest('GET', '/invoices')).toMatchObject(refused);
    const { status, body } = await acme.rest('GET', '/invoices?per_page=1');
    expect({ status, items: body.data[0].items.length }).toEqual({ status: 200, items: 500 });
    expect((await acme.rest('GET', `/invoices/${body.data[0].id}`)).status).toBe(200);
  });

  it('but the change feed answers shorter pages, and loses nothing', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.push(await makeInvoice(acme, { items: lines('d'.repeat(900)) }));
    const found: string[] = [];
    for (let since = '', more = true; more;) {
      const { status, body } = await acme.rest('GET', `/changes?resource=invoice${since}`);
      expect(status).toBe(200);
      found.push(...body.data.map(({ data }: { data: { id: string; items: unknown[] } }) => data.id));
      since = `&since=${body.meta.cursor}`;
      more = body.meta.has_more;
    }
    expect(found).toEqual(ids);
  });
});

it('each item of a subscription is an answer of its own', async () => {
  const count = 15;
  await makeEvents(acme, count, 100_000);
  await acme.db.event.updateMany({ data: { fannedOutAt: new Date() } });
  const ended = new AbortController();
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${acme.token}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: 'subscription { eventEmitted(since: "2020-01-01T00:00:00Z") { body } }' }),
    signal: ended.signal,
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.split('event: next').length > count && text.endsWith('\n\n')) break;
  }
  ended.abort();
  expect(count * 100_000).toBeGreaterThan(maxResponseBytes);
  expect(text).not.toContain('errors');
});
