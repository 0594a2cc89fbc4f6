import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { connectClient, refusal, use, type Json } from './client.ts';

let service: Service;
let acme: Integrator;
let client: Client;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  client = await connectClient(service, acme.token);
});
afterAll(async () => {
  await client.close();
  await service.close();
});

const namesFor = async (abilities: string[]): Promise<string[]> => {
  const { token } = await service.integrator({ abilities });
  const theirs = await connectClient(service, token);
  const { tools } = await theirs.listTools();
  await theirs.close();
  return tools.map(({ name }) => name);
};

/** Operations whose data agents can't send or read: there may be too much of it. */
const ofJsonLines = ['startBulkOperation', 'getBulkResults', 'addAttachment', 'getAttachmentFile'];

describe('the list of tools', () => {
  it('has one for each row of the routes but those of JSON Lines and files, as OpenAPI names it, and two for GraphQL', async () => {
    const { tools } = await client.listTools();
    const { body: openapi } = await service.request('GET', '/api/v1/openapi.json');
    const operations = Object.values(openapi.paths).flatMap((item) =>
      Object.values(item as object).flatMap((each: { operationId?: string }) => each.operationId ?? []),
    );
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      [...operations.filter((name) => !ofJsonLines.includes(name)), 'graphql_query', 'graphql_mutation'].toSorted(),
    );
    expect(tools).toHaveLength(routes.length - ofJsonLines.length + 2);
  });

  it('every schema stands alone and is valid, and names no path, query, or body', async () => {
    const { tools } = await client.listTools();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { inputSchema, name } of tools) {
      expect([name, ajv.validateSchema(inputSchema)]).toEqual([name, true]);
      ajv.compile(inputSchema);
      expect(JSON.stringify(inputSchema)).not.toMatch(/#\/components|readOnly/);
    }
    const { inputSchema } = tools.find(({ name }) => name === 'updateCustomer')!;
    expect(inputSchema.required).toEqual(['id']);
    expect(Object.keys(inputSchema.properties!)).toEqual(expect.arrayContaining(['id', 'company_name', 'if_match']));
  });

  it('marks what only reads, what may destroy, and what can be repeated', async () => {
    const { tools } = await client.listTools();
    const marks = Object.fromEntries(
      tools.map(({ name, annotations }) => [
        name,
        [annotations?.readOnlyHint, annotations?.destructiveHint, annotations?.idempotentHint],
      ]),
    );
    expect(marks).toMatchObject({
      listInvoices: [true, false, true],
      getInvoicePdf: [true, false, true],
      createInvoice: [false, true, false], // which it can issue at once
      createManyInvoices: [false, true, false],
      createReceipt: [false, true, false],
      createManyReceipts: [false, true, false],
      createCreditNote: [false, true, false],
      setTestClock: [false, true, false],
      createCustomer: [false, false, false],
      createManyCustomers: [false, false, false],
      createTimeEntry: [false, false, false],
      updateManyCustomers: [false, true, true],
      updateCustomer: [false, true, true],
      deleteCustomer: [false, true, true],
      cancelInvoice: [false, true, false],
      graphql_query: [true, false, true],
      graphql_mutation: [false, true, false],
    });
  });

  it('marks what sends data of the books to an address outside', async () => {
    const { tools } = await client.listTools();
    expect(tools.filter(({ annotations }) => annotations?.openWorldHint !== false).map(({ name }) => name)).toEqual([
      'createWebhook',
      'updateWebhook',
      'pingWebhook',
      'redeliver',
      'graphql_mutation',
    ]);
  });

  it('has only those that the token’s abilities allow', async () => {
    const customers = ['listCustomers', 'getCustomer'];
    expect(await namesFor(['customers:read'])).toEqual(['getProfile', ...customers, 'listChanges', 'graphql_query']);
    const all = await namesFor(['*']);
    const reads = await namesFor(['read']);
    expect(reads).toEqual(all.filter((name) => /^(list|get)|graphql_query/.test(name)));
    const writes = await namesFor(['customers:write']);
    expect(writes).toContain('graphql_mutation');
    expect(writes).not.toContain('createInvoice');
  });
});

describe('a tool’s call', () => {
  it('is answered as REST answers, with numbers exact, and with the tag for if_match', async () => {
    const result = await client.callTool({
      name: 'createProject',
      arguments: { name: 'Exact', hourly_rate_net: '1234567.89' },
    });
    expect(result.isError).toBeUndefined();
    const { data, etag } = result.structuredContent as { data: { id: string }; etag: string };
    const rest = await acme.rest('GET', `/projects/${data.id}`);
    expect({ data }).toEqual(rest.body);
    expect(etag).toBe(rest.headers.get('etag'));
    expect(result.content).toEqual([{ type: 'text', text: `{"etag":${JSON.stringify(etag)},${rest.text.slice(1)}` }]);
    await use(client, 'updateProject', { id: data.id, name: 'Changed', if_match: etag });
    const conflict = await refusal(client, 'updateProject', { id: data.id, name: 'Again', if_match: etag });
    expect(conflict).toMatchObject({ status: 412, code: 'VERSION_CONFLICT', data: { name: 'Changed' } });
  });

  it('that is wrong has all errors with their codes; an argument that isn’t known is refused, also in a query', async () => {
    expect(await refusal(client, 'createCustomer', { compny_name: 'A' })).toMatchObject({
      status: 422,
      code: 'VALIDATION_FAILED',
      details: [
        { field: 'type', code: 'required' },
        { field: 'company_name', code: 'required' },
        { field: 'compny_name', code: 'unknown_field' },
      ],
    });
    expect(await refusal(client, 'listInvoices', { statuss: 'issued' })).toMatchObject({
      details: [{ field: 'statuss', code: 'unknown_field' }],
    });
  });

  it('finds rows by their metadata, as its schema says, and by nothing that is no text', async () => {
    for (const order of ['M-1', 'M-2'])
      await use(client, 'createProject', { name: `Order ${order}`, metadata: { order, shop: 'north & south' } });
    const find = async (metadata: object): Promise<string[]> =>
      (await use(client, 'listProjects', { metadata })).data.map(({ name }: Json) => name);
    expect(await find({ order: 'M-1' })).toEqual(['Order M-1']);
    expect(await find({ shop: 'north & south' })).toEqual(['Order M-2', 'Order M-1']);
    expect(await find({ shop: 'north & south', order: 'M-2' })).toEqual(['Order M-2']);
    expect(await find({ order: 'M-3' })).toEqual([]);
    for (const order of [null, ['M-1'], { is: 'M-1' }])
      expect(await refusal(client, 'listProjects', { metadata: { order } })).toMatchObject({
        status: 422,
        details: [{ field: 'metadata.order', code: 'wrong_type' }],
      });
    expect(await refusal(client, 'listProjects', { status: { is: 'active' } })).toMatchObject({
      details: [{ code: 'unknown_field' }],
    });
  });

  it('with an idempotency_key is done once', async () => {
    const args = { type: 'customer', company_name: 'Once', idempotency_key: 'mcp-1' };
    const [first, again] = [await use(client, 'createCustomer', args), await use(client, 'createCustomer', args)];
    expect(again).toEqual(first);
    const mutation = {
      query: 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "Once" }) { id } }',
      idempotency_key: 'mcp-2',
    };
    const made = await use(client, 'graphql_mutation', mutation);
    expect(await use(client, 'graphql_mutation', mutation)).toEqual(made);
    expect((await use(client, 'listCustomers', { q: 'Once' })).meta.total).toBe(2);
  });

  it('of GraphQL with an argument that isn’t known is refused, and nothing is done', async () => {
    const query = 'mutation { createCustomer(input: { type: CUSTOMER, companyName: "Not twice" }) { id } }';
    for (const unknown of ['idempotencyKey', 'operationName', 'extensions'])
      expect(await refusal(client, 'graphql_mutation', { query, [unknown]: 'k' })).toMatchObject({
        status: 422,
        code: 'VALIDATION_FAILED',
        details: [{ field: unknown, code: 'unknown_field' }],
        request_id: expect.any(String),
      });
    expect((await use(client, 'listCustomers', { q: 'Not twice' })).meta.total).toBe(0);
    const read = { query: 'query A { __typename } query B { b: __typename }', operation_name: 'B' };
    expect(await use(client, 'graphql_query', read)).toEqual({ data: { b: 'Query' } });
    const keyed = { ...read, idempotency_key: 'k' };
    expect(await refusal(client, 'graphql_query', keyed)).toMatchObject({ details: [{ field: 'idempotency_key' }] });
  });

  it('graphql_query only reads: mutations and subscriptions are refused, also beside a query', async () => {
    const mutation = 'mutation M { createCustomer(input: { type: CUSTOMER, companyName: "Never" }) { id } }';
    for (const args of [
      { query: mutation },
      { query: `query Q { __typename } ${mutation}`, operation_name: 'M' },
      { query: 'subscription { changes { id } }' },
    ])
      expect((await refusal(client, 'graphql_query', args)).errors[0].extensions.code).toMatch(
        /^(BAD_REQUEST|GRAPHQL)/,
      );
    expect((await use(client, 'listCustomers', { q: 'Never' })).meta.total).toBe(0);
    const both = { query: `query Q { __typename } ${mutation}`, operation_name: 'Q' };
    expect(await use(client, 'graphql_query', both)).toEqual({ data: { __typename: 'Query' } });
  });

  it('whose answer is longer than 100 kB is refused and says what to do, or if it wrote, has only the ids', async () => {
    const bulky = {
      type: 'customer',
      company_name: 'ä'.repeat(250),
      city: 'ü'.repeat(250),
      contact_name: 'ö'.repeat(250),
    };
    const written = await use(client, 'createManyCustomers', { items: Array.from({ length: 100 }, () => bulky) });
    expect(written).toMatchObject({ status: 200, message: expect.stringMatching(/^Done\. /) });
    expect(written.results).toHaveLength(100);
    expect(written.results[0]).toEqual({ status: 201, id: expect.any(String) });
    expect(await refusal(client, 'listCustomers', { per_page: 100 })).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      details: [{ field: 'per_page', code: 'answer_too_large' }],
    });
    expect((await use(client, 'listCustomers', { per_page: 10 })).data).toHaveLength(10);
    const query = '{ customers(first: 100) { nodes { companyName city contactName } } }';
    expect((await refusal(client, 'graphql_query', { query })).code).toBe('ANSWER_TOO_LARGE');
  });
});

describe('a batch whose answer is longer than 100 kB', () => {
  /** A customer with twenty mistakes, whose names are long. */
  const wrong = (character = 'x'): object => ({
    type: 'customer',
    company_name: 'Refused in a batch',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}${character.repeat(500)}`, 1])),
  });
  const right = { type: 'customer', company_name: 'Made in a batch' };
  const count = async (q: string): Promise<number> => (await use(client, 'listCustomers', { q })).meta.total;

  it('says which items were refused and why, and does not say that all is done', async () => {
    const items = [right, ...Array.from({ length: 99 }, () => wrong())];
    const { status, message, results } = await use(client, 'createManyCustomers', { items });
    expect(status).toBe(200);
    expect(message).toMatch(/^99 of 100 items were refused\. /);
    expect(results).toHaveLength(100);
    expect(results[0]).toEqual({ status: 201, id: expect.any(String) });
    for (const each of results.slice(1))
      expect(each).toEqual({ status: 422, message: expect.stringMatching(/^f0xxx/) });
    expect([await count('Made in a batch'), await count('Refused in a batch')]).toEqual([1, 0]);
  });

  it('has all problems of items that were refused, if that is short', async () => {
    const long = { ...right, metadata: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n, 'x'.repeat(400)])) };
    const items = [{ ...right, type: 'nobody', city: 7 }, ...Array.from({ length: 30 }, () => long)];
    const { message, results } = await use(client, 'createManyCustomers', { items });
    expect(message).toMatch(/^1 of 31 items were refused\. /);
    expect(results[0]).toMatchObject({ status: 422, details: [{ field: 'type' }, { field: 'city' }] });
    expect(results.slice(1)).toEqual(items.slice(1).map(() => ({ status: 201, id: expect.any(String) })));
  });

  it('says so when none was written, too', async () => {
    const items = Array.from({ length: 100 }, () => wrong());
    const refused = await refusal(client, 'createManyCustomers', { items: [right, ...items.slice(1)], atomic: true });
    expect(refused).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' });
    expect(refused.details).toHaveLength(5);
    expect(refused.details[0]).toMatchObject({
      field: expect.stringMatching(/^items\.1\.f0xxx/),
      code: 'unknown_field',
    });
    expect(refused.results.map((each: Json) => each.status)).toEqual([424, ...items.slice(1).map(() => 422)]);
    expect(Buffer.byteLength(JSON.stringify(refused))).toBeLessThan(100_000);
  });

  // A control character takes six bytes in JSON.
  it.each(['ä', '中', '\u0001'])('stays below that length: %j', async (character) => {
    const items = Array.from({ length: 10 }, () => wrong(character));
    const batch = [...items, ...Array.from({ length: 90 }, () => ({ ...right, [character.repeat(400)]: 1 }))];
    const result = await use(client, 'createManyCustomers', { items: batch });
    expect(result.message).toMatch(/^100 of 100 items were refused\. /);
    expect(result.results.map((each: Json) => each.status)).toEqual(batch.map(() => 422));
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(100_000);
  });
});

it('a refusal that is longer than 100 kB has its first problems', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}${'x'.repeat(1500)}`, 1]));
  const refused = await refusal(client, 'createProject', { name: 'A', ...unknown });
  expect(refused).toMatchObject({ status: 422, code: 'VALIDATION_FAILED', request_id: expect.any(String) });
  expect(refused.details).toHaveLength(5);
  expect(refused.details[0]).toMatchObject({ field: expect.stringMatching(/^f0xxx/), code: 'unknown_field' });
  expect(Buffer.byteLength(JSON.stringify(refused))).toBeLessThan(100_000);
});

describe('a mutation whose answer is longer than 100 kB', () => {
  const mutate = (query: string, variables: object) =>
    client.callTool({ name: 'graphql_mutation', arguments: { query, variables } });
  const item = { title: 'ä'.repeat(200), quantity: '1', unitPriceNet: '1', vatRate: '19' };
  const everything = 'id version subject items { id title quantity unit unitPriceNet vatRate lineTotalNet }';

  it('says that it failed, with its code, and nothing was written', async () => {
    const customer = await makeCustomer(acme);
    const input = {
      customerId: customer,
      invoiceDate: '2026-03-01',
      subject: 'Before',
      items: Array.from({ length: 400 }, () => item),
    };
    const made = await mutate(
      `mutation ($input: CreateInvoiceInput!) { made: createInvoice(input: $input) { ${everything} } }`,
      { input },
    );
    expect(made).not.toHaveProperty('isError');
    expect(made.structuredContent).toEqual({
      status: 200,
      message: expect.stringMatching(/^Done\. /),
      data: { made: { id: expect.any(String) } },
    });
    const { id } = (made.structuredContent as { data: { made: { id: string } } }).data.made;

    const query = `mutation ($id: UUID!) { updateInvoice(id: $id, expectedVersion: 9, input: { subject: "After" }) { ${everything} } }`;
    const stale = await mutate(query, { id });
    expect(stale).toMatchObject({
      isError: true,
      structuredContent: {
        data: null,
        errors: [{ message: expect.any(String), extensions: { code: 'VERSION_CONFLICT' } }],
      },
    });
    expect((await acme.db.invoice.findFirstOrThrow({ where: { id } })).subject).toBe('Before');
  });

  // A control character takes six bytes in JSON.
  it.each(['x', 'ä', '中', '\u0001'])('names the first problems of many fields: %j', async (character) => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}${character.repeat(1500)}`, 1]));
    const refused = await mutate('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', {
      input: { type: 'CUSTOMER', companyName: 'A', ...unknown },
    });
    expect(refused.isError).toBe(true);
    const { errors } = refused.structuredContent as Json;
    expect(errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect(errors[0].extensions.details).toHaveLength(5);
    expect(Buffer.byteLength(JSON.stringify(refused.structuredContent))).toBeLessThan(100_000);
  });
});

describe('resources', () => {
  it('are the guides and the schemas, each as it is at its address', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['webhooks.md', 'agents.md', 'openapi.json', 'schema.graphql']),
    );
    for (const { uri, mimeType, size } of resources) {
      const { contents } = await client.readResource({ uri });
      const [{ text, ...content }] = contents as [{ uri: string; text: string }];
      expect(content).toMatchObject({ uri, mimeType });
      expect(text).toBe(await (await fetch(uri)).text());
      expect(Buffer.byteLength(text)).toBe(size);
    }
  });

  it('nothing else can be read', async () => {
    for (const uri of ['file:///etc/passwd', `${service.url}/docs/../../package.json`, `${service.url}/api/v1/me`, ''])
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
  });
});
