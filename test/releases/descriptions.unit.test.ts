import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Description, Operation, Schema } from '../openapi/description.ts';
import { findFaults, listUnallowed, readAllowed, type Allowed } from './allowed.ts';
import { narrowings } from './bounds.ts';
import {
  compareExitCodes,
  compareVersions,
  describeToday,
  readPromised,
  versions,
  writePromised,
  type Promised,
} from './descriptions.ts';
import { compareBounds, compareSchemas } from './graphql.ts';
import { compareMetrics } from './metrics.ts';
import { compareDescriptions } from './openapi.ts';
import { takenBack } from './schemas.ts';
import { compareSettings, type PromisedSettings } from './settings.ts';

// Each folder here has what a released version has promised. CONTRIBUTING.md says how a version's is made.

let today: Promised;
beforeAll(() => {
  today = describeToday();
});

it.runIf(process.env['RECORD'])('writes what this version promises', () => {
  writePromised(process.env['RECORD'] ?? '', today);
});

describe('this version keeps the promises', () => {
  const entries = readAllowed();
  const found: string[] = [];

  it.each(versions)('of version %s', async (version) => {
    const changes = await compareVersions(readPromised(version), today);
    found.push(...changes);
    expect(listUnallowed(changes, entries)).toEqual([]);
  });

  it('but for what is allowed with all that goes with it', () => {
    const about = {
      released: versions.map((version) => readPromised(version).sdl),
      changes: found,
      changelog: readFileSync('CHANGELOG.md', 'utf8'),
      today: new Date().toISOString().slice(0, 10),
    };
    expect(entries.flatMap((entry) => findFaults(entry, about))).toEqual([]);
  });
});

/** A copy of today's, changed. */
function changed<Name extends keyof Promised>(name: Name, change: (copy: Promised[Name]) => unknown): Promised[Name] {
  const copy = structuredClone(today[name]);
  change(copy);
  return copy;
}

const operation = (api: Description, path: string, method: string): Operation => {
  const found = api.paths[path]?.[method];
  if (!found) throw new Error(`There is no ${method} ${path}`);
  return found;
};
const schema = (
  api: Description,
  name: string,
): Schema & { properties: Record<string, Schema>; required: string[] } => {
  const { properties = {}, required = [], ...found } = api.components.schemas[name] ?? {};
  return (api.components.schemas[name] = { ...found, properties, required }) as ReturnType<typeof schema>;
};
const parameter = (api: Description, path: string, name: string) => {
  const found = operation(api, path, 'get').parameters?.find((each) => each.name === name);
  if (!found) throw new Error(`There is no parameter ${name}`);
  return found;
};

describe('of the description of REST, a later one', () => {
  it('takes back by a narrower bound, a new requirement, another status, or what is gone', () => {
    const found = compareDescriptions(
      today.openapi,
      changed('openapi', (api) => {
        const input = schema(api, 'CreateCustomerInput');
        input.properties['company_name'] = { type: 'string', minLength: 1, maxLength: 120 };
        input.required.push('email');
        input.properties['house'] = { type: 'string' };
        input.required.push('house');
        delete input.properties['contact_name'];
        input.properties['phone'] = { readOnly: true };
        api.components.schemas['CustomerType']!.enum = ['supplier'];
        schema(api, 'UpdateCustomerInput').properties['phone']!.type = 'string';
        schema(api, 'CreateInvoiceInput').properties['items']!.maxItems = 3;
        schema(api, 'InvoiceItemInput').properties['quantity']!.anyOf![0]!.multipleOf = 1;
        parameter(api, '/customers', 'q').schema.maxLength = 120;
        parameter(api, '/customers', 'per_page').schema.default = 50;
        parameter(api, '/projects', 'status').required = true;
        const { responses } = operation(api, '/projects', 'post');
        responses[200] = responses[201]!;
        delete responses[201];
        operation(api, '/projects/{id}', 'get').responses[409] = { description: '' };
        delete operation(api, '/invoices/{id}', 'get').responses[404];
        delete operation(api, '/customers', 'post').responses[201]!.headers!['Location'];
        delete api.paths['/reports/vat'];
        operation(api, '/receipts', 'get').operationId = 'findReceipts';
        operation(api, '/receipts', 'get')['x-abilities'] = ['receipts:list'];
        api.servers = [{ url: '/v2' }];
      }),
    );
    expect(found).toEqual(
      expect.arrayContaining([
        'POST /customers: body/company_name: maxLength 255, not within 120',
        'POST /customers: body/email: is required',
        'POST /customers: body/house: is required',
        'POST /customers: body/contact_name: is gone',
        'POST /customers: body/phone: is ignored',
        'POST /customers: body/type: values ["customer","supplier"], not within ["supplier"]',
        'POST /invoices: body/items: maxItems 500, not within 3',
        'POST /invoices: body/items/items/quantity: multipleOf 0.0001, not within 1',
        'PATCH /customers/{id}: body/phone: no longer null',
        'GET /customers: query q: maxLength 255, not within 120',
        'GET /customers: query per_page: has another default',
        'GET /projects: query status: is required',
        'POST /projects: 201: is gone',
        'POST /projects: 200: is new',
        'GET /projects/{id}: 409: is new',
        'GET /invoices/{id}: 404: is gone',
        'POST /customers: 201: Location: is gone',
        'GET /reports/vat: is gone',
        'GET /receipts: is called findReceipts',
        'GET /receipts: needs the ability receipts:list',
        'the address is /v2',
      ]),
    );
  });

  it('takes back by answering or sending less, or a closed enum’s new value', () => {
    const found = compareDescriptions(
      today.openapi,
      changed('openapi', (api) => {
        const customer = schema(api, 'Customer');
        delete customer.properties['city'];
        customer.required.splice(customer.required.indexOf('phone'), 1);
        customer.properties['id'] = { type: 'integer' };
        customer.properties['company_name'] = { type: ['string', 'null'] };
        schema(api, 'InvoiceCreatedEvent').properties['event'] = { enum: ['invoice.created', 'invoice.made'] };
        delete api.webhooks['customer.created'];
        schema(api, 'ProjectCreatedEvent').properties['data'] = { type: 'object' };
        api.webhooks['receipt.created']!.post.parameters!.pop();
        const file = operation(api, '/invoices/{id}/pdf', 'get').responses[200]!;
        file.content = { 'text/plain': { schema: {} } };
      }),
    );
    expect(found).toEqual(
      expect.arrayContaining([
        'GET /customers/{id}: 200/data/city: is gone',
        'GET /customers/{id}: 200/data/phone: may be missing',
        'GET /customers/{id}: 200/data/id: may be integer',
        'GET /customers/{id}: 200/data/company_name: may be null',
        'invoice.created/event: values ["invoice.created","invoice.made"], not within ["invoice.created"]',
        'customer.created: is gone',
        'project.created/data/project: is gone',
        'receipt.created: header webhook-signature: is gone',
        'GET /invoices/{id}/pdf: 200: application/pdf: is gone',
      ]),
    );
  });

  it('may have more: paths, fields, wider bounds, values of open enums, events, deprecations', () => {
    const found = compareDescriptions(
      today.openapi,
      changed('openapi', (api) => {
        api.paths['/quotes'] = { get: { ...operation(api, '/customers', 'get'), operationId: 'listQuotes' } };
        const input = schema(api, 'CreateCustomerInput');
        input.properties['house'] = { type: 'string' };
        input.properties['company_name'] = { type: 'string', minLength: 1, maxLength: 500 };
        input.required = ['type'];
        schema(api, 'CreateInvoiceInput').properties['items']!.maxItems = 500;
        schema(api, 'InvoiceItemInput').properties['quantity']!.anyOf![0]!.multipleOf = 0.00001;
        const customer = schema(api, 'Customer');
        customer.properties['house'] = { type: 'string' };
        customer.required.push('house');
        customer.properties['phone']!.deprecated = true;
        api.components.schemas['CustomerType']!.enum!.push('both');
        api.webhooks['customer.merged'] = api.webhooks['customer.created']!;
        const union = api.components.schemas['Event'] as Schema & { oneOf: Schema[] };
        union.oneOf.push({ $ref: '#/components/schemas/CustomerPage' });
        const list = operation(api, '/customers', 'get');
        list.parameters!.push({ name: 'city', in: 'query', schema: { type: 'string' } });
        list.deprecated = true;
        parameter(api, '/customers', 'q').deprecated = true;
        list.responses[200]!.headers!['Deprecation'] = { $ref: '#/components/headers/X-Request-Id' };
      }),
    );
    expect(found).toEqual([]);
  });
});

it('a keyword that is not compared is an error', () => {
  const placed = { schema: { allOf: [] }, document: {} };
  expect(() => takenBack(placed, placed, 'in', 'x')).toThrow('compares no allOf');
});

it('a schema that contains itself is compared once', () => {
  const placed = (maxLength: number) => ({
    schema: { $ref: '#/node' },
    document: {
      node: { type: 'object', properties: { inner: { $ref: '#/node' }, name: { type: 'string', maxLength } } },
    },
  });
  expect(takenBack(placed(2), placed(1), 'in', 'x')).toEqual(['x/name: maxLength 2, not within 1']);
  expect(takenBack(placed(2), placed(1), 'out', 'x')).toEqual([]);
});

/** Today's SDL with a text replaced. */
function withSdl(from: string, to: string): string {
  const sdl = today.sdl.replace(from, to);
  if (sdl === today.sdl) throw new Error(`The schema has no ${from}`);
  return sdl;
}

describe('of the GraphQL schema, a later one', () => {
  it.each([
    [
      'a field that is gone',
      'type Customer implements Node {\n  addressLine1: String\n',
      'type Customer implements Node {\n',
    ],
    [
      'null where there was none',
      '  companyName: String!\n  contactName: String\n  country: String\n  createdAt',
      '  companyName: String\n  contactName: String\n  country: String\n  createdAt',
    ],
    ['a new required input', 'input CreateCustomerInput {', 'input CreateCustomerInput {\n  house: String!'],
    ['an enum value that is gone', 'enum CustomerType {\n  CUSTOMER\n', 'enum CustomerType {\n'],
    ['another default or type', 'customers(after: String', 'customers(after: Int'],
  ])('takes back by %s', async (_what, from, to) => {
    expect(await compareSchemas(today.sdl, withSdl(from, to))).not.toEqual([]);
  });

  it.each([
    ['type Customer implements Node {', 'type Customer implements Node {\n  house: String!'],
    ['input CreateCustomerInput {', 'input CreateCustomerInput {\n  house: String'],
    ['enum CustomerType {', 'enum CustomerType {\n  BOTH'],
    ['customers(after: String', 'customers(house: String, after: String'],
    ['  phone: String\n', '  phone: String @deprecated(reason: "x")\n'],
  ])('may have more: %s', async (from, to) => {
    expect(await compareSchemas(today.sdl, withSdl(from, to))).toEqual([]);
  });

  it('takes back by a narrower bound of an input', () => {
    const input = 'CreateCustomerInput.companyName';
    const having = (maxLength: number) =>
      changed('bounds', (bounds) => (bounds[input] = { ...bounds[input], maxLength }));
    expect(compareBounds(today.bounds, having(120))).toEqual([`${input}: maxLength 255 → 120`]);
    expect(compareBounds(today.bounds, having(500))).toEqual([]);
    const unbounded = 'CreateCustomerInput.type';
    const bounded = changed('bounds', (bounds) => (bounds[unbounded] = { notNull: true }));
    expect(compareBounds(today.bounds, bounded)).toEqual([`${unbounded}: notNull undefined → true`]);
    expect(compareBounds({}, bounded)).toEqual([]);
  });
});

it('a bound is narrower that refuses what another accepts', () => {
  expect(narrowings({ minimum: 0, pattern: 'a' }, { minimum: 1, maximum: 2, pattern: 'b' })).toHaveLength(3);
  expect(narrowings({ minimum: 1, maximum: 2, pattern: 'b', nonZero: true }, { minimum: 0 })).toEqual([]);
  expect(narrowings({ enum: ['a', 'b'] }, { enum: ['a', 'c'] })).toHaveLength(1);
  expect(narrowings({ enum: ['a'] }, { enum: ['a', 'c'] })).toEqual([]);
  expect(narrowings({}, { enum: ['a'], notNull: true, decimals: 2 })).toHaveLength(3);
});

describe('of what operators rely on, a later version takes back', () => {
  it('a metric by its name, type, labels, or buckets', () => {
    const name = 'kontor_http_request_duration_seconds';
    const usual = today.metrics[name]!;
    const having = (metric: object) =>
      compareMetrics(
        today.metrics,
        changed('metrics', (all) => (all[name] = { ...usual, ...metric })),
      );
    expect(
      compareMetrics(
        today.metrics,
        changed('metrics', (all) => delete all[name]),
      ),
    ).toEqual([`${name} is gone`]);
    expect(having({ type: 'summary' })).toHaveLength(1);
    expect(having({ labels: ['api'] })).toHaveLength(1);
    expect(having({ buckets: usual.buckets?.slice(1) })).toHaveLength(1);
    expect(having({ buckets: [...(usual.buckets ?? []), 60] })).toEqual([]);
    expect(compareMetrics({}, today.metrics)).toEqual([]);
  });

  it('a setting by its name, its default, or a value that it accepts no longer', () => {
    const usual = { port: 4000, host: '127.0.0.1' };
    const before: PromisedSettings = [
      { env: {}, sets: usual },
      { env: { PORT: '65535' }, sets: { port: 65_535 } },
    ];
    const reading = (read: (env: Record<string, string>) => Record<string, unknown>) => compareSettings(before, read);
    expect(reading(({ PORT = 4000 }) => ({ ...usual, port: Number(PORT), another: 1 }))).toEqual([]);
    expect(reading(() => usual)).toEqual(['{"PORT":"65535"}: port 65535 → 4000']);
    expect(reading(({ PORT = 5000 }) => ({ ...usual, port: Number(PORT) }))).toEqual(['{}: port 4000 → 5000']);
    const narrow = (): never => {
      throw new Error('PORT is not accepted');
    };
    expect(reading(narrow)).toHaveLength(2);
  });

  it('an exit code by another number', () => {
    expect(compareExitCodes({ done: 0, usage: 2 }, { done: 0, usage: 64, more: 9 })).toEqual(['usage: 2 → 64']);
  });

  it('and examples show every setting', () => {
    const code = readFileSync('src/config/config.ts', 'utf8');
    const names = [...code.matchAll(/(?:read\(|env\[)\s*'([A-Z_]+)'/g)].map(([, name]) => name);
    const shown = new Set(today.settings.flatMap(({ env }) => Object.keys(env)));
    expect(names.filter((name) => !shown.has(name ?? ''))).toEqual([]);
    const [usual, ...examples] = today.settings;
    const set = new Set(examples.flatMap(({ sets }) => Object.keys(sets)));
    expect(Object.keys(usual?.sets ?? {}).filter((name) => !set.has(name))).toEqual([]);
  });
});

describe('what is taken back is allowed', () => {
  const change = 'REST: GET /customers: query q: is gone';
  const entry: Allowed = {
    on: '2027-08-01',
    reason: 'Full-text search replaces it.',
    changelog: '`q` of customers is gone',
    deprecated: ['Query.customers(q:)'],
    changes: [change],
  };
  const sdl =
    'type Query { customers(q: String @deprecated(reason: "Use x. Deprecated since 2027-01-01, gone from 2027-07-01.")): Int }';
  const about = {
    released: [sdl],
    changes: [change],
    changelog: '- `q` of\n  customers is gone.',
    today: '2027-08-02',
  };

  it('if it was announced by a released version, with its reason and in the changelog', () => {
    expect(findFaults(entry, about)).toEqual([]);
    expect(listUnallowed([change, 'another'], [entry])).toEqual(['another']);
  });

  it.each([
    ['in the future', { ...entry, on: '2027-09-01' }, about],
    ['before its sunset', { ...entry, on: '2027-06-01' }, about],
    ['without a deprecation', { ...entry, deprecated: [] }, about],
    ['announced by no release', entry, { ...about, released: ['type Query { customers(q: String): Int }'] }],
    ['missing in the changelog', entry, { ...about, changelog: '' }],
    ['of what did not change', entry, { ...about, changes: [] }],
  ])('but not %s', (_what, one, other) => {
    expect(findFaults(one, other)).toHaveLength(1);
  });

  it('of settings, metrics, and exit codes without a deprecation', () => {
    const gone = 'metrics: kontor_workers is gone';
    expect(findFaults({ ...entry, deprecated: [], changes: [gone] }, { ...about, changes: [gone] })).toEqual([]);
  });
});
