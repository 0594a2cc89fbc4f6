import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { asIntegrator, isSecondRun, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { makeCreditNote, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { sendRaw } from '../rest/raw.ts';
import { hasUnproven, proveNext } from '../../schema/resources/document/proofs.ts';
import * as sample from '../rest/samples.ts';
import {
  collections,
  makeDelivery,
  makeExport,
  makeReferences,
  makeRoom,
  makeWrittenExport,
  samples,
  type References,
} from '../resources.ts';
import { makeRoomForTests, makeTestTenant } from '../test-tenants/make.ts';
import { bodies, plain, values, type Case } from './cases.ts';
import { createApiValidator, description, operations, type Endpoint, type Schema } from './description.ts';

// Sends requests for every operation of the description to the server.

let service: Service;
let acme: Integrator;
// The server serves the same description: document.test.ts tests that.
const api = description();
const validator = createApiValidator(api);
/** Those of JSON Lines are in test/bulk/, those of files in test/attachments/, that of test tenants only in test/test-tenants/. */
const elsewhere = ({ path, operation }: Endpoint): boolean =>
  ['startBulkOperation', 'getBulkResults', 'setTestClock'].includes(operation.operationId) ||
  path.includes('/attachments') ||
  path.startsWith('/test-helpers/');
const endpoints = operations(api).filter((endpoint) => !elsewhere(endpoint));
const taking = endpoints.filter(({ operation }) => operation.requestBody);
/** The statuses that each operation has answered. */
const seen = new Map<string, Set<string>>();

beforeAll(async () => {
  service = await startService({ limiter: () => createRateLimiter({ limit: 1_000_000, store: memoryStore() }) });
  acme = await service.integrator();
  await setCompany(acme);
});
afterEach(async () => {
  unchanged.clear(); // some were deleted, to make room for others
  // Else nothing of the other requests could be booked.
  // As a superuser, because a final lock can't be deleted.
  await service.pool.query('set local session_replication_role = replica; delete from period_locks');
});
afterAll(() => service.close());

/** Fails unless the answer is documented for this operation. */
function check(endpoint: Endpoint, answer: Answer): Answer {
  validator.check(endpoint, answer);
  const { operationId } = endpoint.operation;
  seen.set(operationId, (seen.get(operationId) ?? new Set()).add(String(answer.status)));
  return answer;
}

type Maker = (who: Integrator) => Promise<string>;

/** Functions that create a row, by the path of a single row. */
const makersBy = (maker: 'make' | 'makeKept') =>
  new Map<string, Maker | undefined>(
    collections.map(({ model, path }): [string, Maker | undefined] => [`/${path}/{id}`, samples[model][maker]]),
  );
/** Functions that create a row that allows a transition, by the path of the transition. */
const makersOfAllowing = collections.flatMap(({ model, path }) =>
  Object.entries(samples[model].transitions ?? {}).map(([transition, { made = {} }]): [string, Maker] => [
    `/${path}/{id}/${transition}`,
    (who) => samples[model].make(who, made),
  ]),
);
const makersOfFiles = ['pdf', 'xml'].flatMap((file): [string, Maker][] => [
  [`/invoices/{id}/${file}`, makeIssuedInvoice],
  [`/credit-notes/{id}/${file}`, async (who) => makeCreditNote(who, { invoiceId: await makeIssuedInvoice(who) })],
]);
/** One for each tenant: proving it proves all that the tenant issued before. */
function proven(make: Maker): Maker {
  const known = new Map<Integrator, string>();
  return async (who) => {
    const before = known.get(who);
    if (before !== undefined) return before;
    const id = await make(who);
    known.set(who, id);
    const context = await service.contextOf(who);
    while (await hasUnproven(context)) await proveNext(context);
    return id;
  };
}
/** Those that a job has written. */
const makersOfExports: [string, Maker][] = [['/exports/{id}/file', (who) => makeWrittenExport(service, who)]];
const makersOfProofs = makersOfFiles
  .filter(([path]) => path.endsWith('/pdf'))
  .map(([path, make]): [string, Maker] => [path.replace(/pdf$/, 'proof'), proven(make)]);
const makersOfDeliveries: [string, Maker][] = [
  ['/webhooks/{id}/ping', samples.Webhook.make],
  ['/bank-accounts/{id}/balance', samples.BankAccount.make],
  ['/deliveries/{id}', makeDelivery],
  ['/deliveries/{id}/redeliver', makeDelivery],
  ['/test-tenants/{id}', (who) => makeTestTenant(service, who)],
  ['/test-tenants/{id}/reset', (who) => makeTestTenant(service, who)],
];
/** A customer with a credit of 30 EUR. */
async function makeCustomerWithCredit(who: Integrator): Promise<string> {
  const customerId = await makeCustomer(who);
  const id = await makeInvoice(who, { customerId, status: 'ISSUED' });
  await who.rest('POST', `/invoices/${id}/payments`, { adjustments: [{ type: 'overpayment', amount: 30 }] });
  return customerId;
}
const makers = new Map([
  ...makersBy('make'),
  ...makersOfAllowing,
  ...makersOfFiles,
  ...makersOfProofs,
  ...makersOfDeliveries,
  ...makersOfExports,
  ['/customers/{id}/credit', makeCustomer],
  ['/customers/{id}/credit-refunds', makeCustomerWithCredit],
]);
const makersOfKept = makersBy('makeKept');

/** The address of a row, with the parameters that are required. */
function address({ path, operation }: Endpoint, id: string | undefined): string {
  const required = (operation.parameters ?? []).map((each) => validator.resolve(each)).filter((each) => each.required);
  const query = required
    .filter(({ in: where }) => where === 'query')
    .map(({ name, schema }) => `${name}=${String(usualParameter(name, validator.resolve(schema)))}`);
  const named = path.replace('{id}', id ?? '');
  return query.length > 0 ? `${named}?${query.join('&')}` : named;
}
/** The address of a new row. */
const at = async (endpoint: Endpoint, who = acme, make = makers): Promise<string> =>
  address(endpoint, await make.get(endpoint.path)?.(who));
const unchanged = new Map<string, Promise<string> | undefined>();
/** The address of a row for requests that read it or are refused: the same each time. */
const atUnchanged = async (endpoint: Endpoint): Promise<string> =>
  address(endpoint, await unchanged.getOrInsertComputed(endpoint.path, (path) => makers.get(path)?.(acme)));
const atSuitable = (endpoint: Endpoint): Promise<string> =>
  endpoint.method === 'get' ? atUnchanged(endpoint) : at(endpoint);
const isBatch = (path: string): boolean => path.endsWith('/batch');
const methodOf = ({ method }: Endpoint): string => method.toUpperCase();

const examples = new Map<Endpoint, ReturnType<typeof exampleBody>>();
/** The same example each time, for requests that are refused. */
const refusedBody = (endpoint: Endpoint): ReturnType<typeof exampleBody> =>
  examples.getOrInsertComputed(endpoint, () => exampleBody(endpoint));

/** The operation's example with references to existing rows. */
async function exampleBody({ path, operation }: Endpoint): Promise<Record<string, unknown> | undefined> {
  const example = operation.requestBody?.content['application/json'].example as Record<string, unknown> | undefined;
  if (!example) return undefined;
  const body = referring(example, await referencesFor(example)) as Record<string, unknown>;
  if (!isBatch(path)) return body;
  // A batch as a whole answers what one of its items is refused for.
  const id = await makers.get(path.replace('/batch', '/{id}'))?.(acme);
  const items = (body['items'] as object[]).map((item) => ('id' in item ? { ...item, id } : item));
  return { ...body, items, atomic: true };
}

let lasting: Promise<References> | undefined;

/** Rows for a body to refer to. An invoice can be credited once; the others last. */
const referencesFor = (body: unknown): Promise<References> =>
  /"invoice(_item)?_id":/.test(JSON.stringify(body)) ? makeReferences(acme) : (lasting ??= makeReferences(acme));

/** A body with references to these rows. */
function referring(body: unknown, to: References): unknown {
  if (Array.isArray(body)) return body.map((each) => referring(each, to));
  if (typeof body !== 'object' || body === null) return body;
  const entries = Object.entries(body).map(([name, value]) =>
    typeof value === 'string' && name in to ? [name, to[name as keyof References]] : [name, referring(value, to)],
  );
  return Object.fromEntries(entries);
}

/** Fields of which a valid value can be refused nevertheless, because of the rows that the request refers to. */
const exchange = ['exchange_rate', 'exchange_rate_date', 'exchange_rate_source'];
const boundByRows: Record<string, string[]> = {
  createInvoice: exchange,
  createManyInvoices: ['items'],
  createCreditNote: ['items', 'amounts'],
  payInvoice: ['adjustments', 'exchange_rate'],
  payReceipt: ['adjustments', 'exchange_rate'],
  refundCreditNote: ['exchange_rate'],
  refundCredit: ['currency'],
  createReceipt: ['amount_gross', 'vat_rate', 'lines', 'amount_prepaid', ...exchange],
  createManyReceipts: ['items'],
  setPeriodLock: ['locked_until', 'kind', 'reason'],
  createExport: [
    'type',
    'resource',
    'format',
    'ids',
    'from',
    'to',
    'at',
    'side',
    'chart',
    'consultant_number',
    'client_number',
  ],
};

/** Valid values of parameters, by name, and by the format of their schema. */
const usualParameters: Record<string, unknown> = { since: 'now', vat_category: 'S', vat_rate: 19, currency: 'EUR' };
const usualFormats: Record<string, string> = {
  uuid: sample.unknownId,
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00+00:00',
};

const usualParameter = (name: string, schema: Schema): unknown =>
  usualParameters[name] ?? schema.enum?.[0] ?? usualFormats[schema.format ?? ''] ?? schema.default ?? 'x';

describe('every operation of the description', () => {
  it('accepts its example, and answers as documented', async () => {
    for (const endpoint of endpoints) {
      const { status } = check(
        endpoint,
        await acme.rest(methodOf(endpoint), await atSuitable(endpoint), await exampleBody(endpoint)),
      );
      expect([endpoint.operation.operationId, status < 300]).toEqual([endpoint.operation.operationId, true]);
    }
  });

  it('answers full pages as documented', async () => {
    const isList = ({ path, method }: Endpoint): boolean =>
      method === 'get' && !path.includes('{id}') && !/^\/(reports\/|period-locks|test-)/.test(path);
    for (const endpoint of endpoints.filter(isList)) {
      const { body } = check(endpoint, await acme.rest('GET', `${endpoint.path}?per_page=1&page=1&limit=1`));
      if (endpoint.path !== '/me') expect([endpoint.path, body.data.length]).toEqual([endpoint.path, 1]);
    }
  });

  it.each(taking)(
    'accepts valid bodies, and answers 422 to invalid ones with the field’s name: $operation.operationId',
    async (endpoint) => {
      const usual = (await exampleBody(endpoint)) ?? {};
      const { schema } = endpoint.operation.requestBody!.content['application/json'];
      const isTransition = endpoint.path.includes('{id}/');
      let path = await at(endpoint);
      let references = await referencesFor(usual);
      const cases = [...bodies(validator, schema, usual, endpoint.method !== 'patch' || isBatch(endpoint.path))];
      // A refusal before the database is asked is the same in a second run.
      const firstRefused = cases.find(({ invalidField }) => invalidField !== undefined);
      const tried = isSecondRun() ? cases.filter((each) => !each.invalidField || each === firstRefused) : cases;
      const [together, alone] = isBatch(endpoint.path) ? splitBatch(tried) : [[], tried];
      for (let first = 0; first < together.length; first += 25)
        await checkBatch(endpoint, together.slice(first, first + 25));
      for (const { request, invalidField } of alone) {
        const takesInvoice = 'invoice_id' in usual && !/invoice(_item)?_id$/.test(invalidField ?? '');
        const body = takesInvoice ? referring(request, references) : request;
        const answer = check(endpoint, await acme.rest(methodOf(endpoint), path, body));
        expectVerdict(endpoint, { request: body, invalidField }, answer);
        // A refused request changed nothing. A transition that was accepted needs a new row the next time.
        if (answer.status > 299) continue;
        if (['/webhooks', '/exports'].includes(endpoint.path)) await makeRoom(acme);
        if (endpoint.path === '/test-tenants') await makeRoomForTests(service, acme);
        if (isTransition) path = await at(endpoint);
        // So does a credit note: it may leave nothing of its invoice.
        if (takesInvoice) references = await makeReferences(acme);
      }
      const fields = Object.keys(usual).length;
      expect(cases.filter(({ invalidField }) => invalidField === undefined).length).toBeGreaterThan(2 * fields);
      expect(cases.filter(({ invalidField }) => invalidField !== undefined).length).toBeGreaterThanOrEqual(4 * fields);
    },
  );

  it('accepts valid parameters, and answers 422 to invalid ones', async () => {
    // A tenant with few rows: every page of the other one is full by now.
    const visitor = await service.integrator();
    await setCompany(visitor);
    for (const endpoint of endpoints) {
      const parameters = (endpoint.operation.parameters ?? []).map((each) => validator.resolve(each));
      const ofQuery = parameters.filter(({ in: where }) => where === 'query');
      if (ofQuery.length === 0) continue;
      const row = await at(endpoint, visitor);
      for (const { name, style, schema: reference } of ofQuery) {
        const schema = plain(validator, reference);
        const usual = schema.type === 'array' ? ['customer'] : usualParameter(name, schema);
        for (const [value, good] of values(schema, usual)) {
          const query = toQuery(name, value, style === 'deepObject');
          // A query parameter is always text.
          if (!query || (typeof value === 'number' && schema.type !== 'integer')) continue;
          const [path, required] = row.split('?');
          const others = [...new URLSearchParams(required)].filter(([other]) => other !== name);
          const all = new URLSearchParams([...others, ...query]).toString();
          const answer = check(endpoint, await visitor.rest('GET', `${path}?${all}`));
          expectVerdict(endpoint, { request: query.toString(), invalidField: good ? undefined : name }, answer);
        }
      }
    }
  });
});

type BatchOf<Item> = Case<{ items: Item[] }>;

const itemOf = ({ request }: Case<object>): unknown =>
  'items' in request && Array.isArray(request.items) && request.items.length === 1 ? request.items[0] : undefined;

/**
 * Batches of one item that one request can have together; and the others. Some of the former, too, are sent as they are: those
 * whose item is not found, and the first of each verdict, as a batch of all or nothing names an item's field in another way.
 */
function splitBatch(cases: Case<object>[]): [together: BatchOf<object>[], alone: Case<object>[]] {
  const found = new Set<boolean>();
  const together = cases.filter((each): each is BatchOf<object> => {
    const isRefused = each.invalidField !== undefined;
    if (typeof itemOf(each) !== 'object' || each.invalidField === 'items.0.id') return false;
    if (isRefused && !each.invalidField?.startsWith('items.0.')) return false;
    const isFirst = !found.has(isRefused);
    found.add(isRefused);
    return !isFirst;
  });
  const chosen = new Set<Case<object>>(together);
  return [together, cases.filter((each) => !chosen.has(each))];
}

async function checkBatch(endpoint: Endpoint, cases: BatchOf<object>[]): Promise<void> {
  const items = cases.map(({ request }) => request.items[0]);
  const answer = check(endpoint, await acme.rest(methodOf(endpoint), endpoint.path, { items, atomic: false }));
  expect([answer.status, answer.body.results.length]).toEqual([200, cases.length]);
  for (const [index, each] of cases.entries()) {
    const { status, errors = {}, details = [] } = answer.body.results[index];
    // As a batch of all or nothing names the fields of its one item.
    const named = Object.fromEntries(Object.entries(errors).map(([name, texts]) => [`items.0.${name}`, texts]));
    const detailed = (details as { field: string }[]).map((detail) => ({
      ...detail,
      field: `items.0.${detail.field}`,
    }));
    expectVerdict(endpoint, each, { ...answer, status, body: { errors: named, details: detailed } });
  }
}

/** A parameter of the query; undefined where its text can't be this value. */
function toQuery(name: string, value: unknown, isObject: boolean): URLSearchParams | undefined {
  const isText = (each: unknown): boolean => typeof each === 'string' || typeof each === 'number';
  if (!isObject) return isText(value) ? new URLSearchParams({ [name]: String(value) }) : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const pairs = Object.entries(value);
  if (!pairs.every(([, each]) => typeof each === 'string')) return undefined;
  return new URLSearchParams(pairs.map(([key, each]) => [`${name}[${key}]`, String(each)]));
}

function expectVerdict(
  { operation }: Endpoint,
  { request, invalidField }: Case<unknown>,
  { status, body }: Answer,
): void {
  const about = { operation: operation.operationId, request: JSON.stringify(request).slice(0, 300) };
  const names = Object.keys(body?.errors ?? {});
  const boundBy = boundByRows[operation.operationId] ?? [];
  // Another request has written the value before.
  const taken = ((body?.details ?? []) as { field: string; code: string }[]).filter(({ code }) => code === 'taken');
  const isOfRows = (name: string): boolean =>
    boundBy.includes(name.split('.')[0]!) || taken.some(({ field }) => field === name);
  if (invalidField === undefined && names.length > 0 && names.every(isOfRows)) return;
  if (invalidField === undefined)
    expect({ ...about, refused: status > 299 && body }).toEqual({ ...about, refused: false });
  else {
    expect({
      ...about,
      status,
      named: names.some((name) => name === invalidField || name.startsWith(`${invalidField}.`)),
      names,
    }).toEqual({ ...about, status: 422, named: true, names });
  }
}

const checkedAbilities = ['invoices:read', 'receipts:read', 'bank-transactions:read'];

describe('every operation answers with the documented error', () => {
  it('401 without a valid token', async () => {
    for (const endpoint of endpoints) {
      const path = `/api/v1${await atUnchanged(endpoint)}`;
      expect(check(endpoint, await service.request(methodOf(endpoint), path)).status).toBe(401);
    }
  });

  it('403 to a token without a tenant or without the ability in `x-abilities`', async () => {
    const orphan = await service.integrator();
    await service.client.apiToken.update({ where: { id: orphan.tokenId }, data: { tenantId: null } });
    const limited = await createToken(service.client, { tenantId: acme.tenantId });
    const who = asIntegrator(service, { ...acme, token: limited.token, tokenId: limited.id });
    for (const endpoint of endpoints) {
      const path = await atSuitable(endpoint);
      const body = await exampleBody(endpoint);
      expect(check(endpoint, await orphan.rest(methodOf(endpoint), path)).status).toBe(403);
      const [ability] = endpoint.operation['x-abilities'] ?? [];
      if (!ability) continue;
      const another = ability === 'webhooks:read' ? 'customers:read' : 'webhooks:read';
      // Who has events sent must be able to read their resources; and so must who reads a delivery, here of a customer's event.
      const ofDeliveries = endpoint.path.startsWith('/deliveries') ? ['customers:read'] : [];
      const ofReports = endpoint.path.startsWith('/reports/') ? ['customers:read', 'receipts:read'] : [];
      const ofExports = endpoint.path.startsWith('/exports') ? ['invoices:read'] : [];
      const ofPayments = endpoint.path.startsWith('/payments') ? ['receipts:read'] : [];
      const ofChecks = endpoint.path === '/period-locks/check' ? checkedAbilities : [];
      const shown =
        ability === 'webhooks:write'
          ? ['read']
          : [...ofDeliveries, ...ofReports, ...ofPayments, ...ofChecks, ...ofExports];
      for (const [abilities, may] of [
        [[another, ...shown], false],
        [[ability, ...shown], true],
      ] as const) {
        await service.client.apiToken.update({ where: { id: limited.id }, data: { abilities: [...abilities] } });
        const { status } = check(endpoint, await who.rest(methodOf(endpoint), path, body));
        expect([endpoint.operation.operationId, status === 403]).toEqual([endpoint.operation.operationId, !may]);
      }
    }
  });

  it('404 to an invalid id, an unknown one, and one of another tenant', async () => {
    const other = await service.integrator();
    for (const endpoint of endpoints.filter(({ path }) => path.includes('{id}'))) {
      const theirs = await at(endpoint, other);
      const body = await refusedBody(endpoint);
      for (const path of [
        endpoint.path.replace('{id}', 'x'),
        endpoint.path.replace('{id}', sample.unknownId),
        theirs,
      ]) {
        const answer = check(endpoint, await acme.rest(methodOf(endpoint), path, body));
        expect([path, answer.status]).toEqual([path, 404]);
      }
    }
  });

  it('410 to a cursor that is too old', async () => {
    const { body } = await acme.rest('GET', '/changes');
    service.clock.now = new Date(Date.now() + 91 * 86_400_000);
    const endpoint = endpoints.find(({ path }) => path === '/changes')!;
    expect(check(endpoint, await acme.rest('GET', `/changes?since=${body.meta.cursor}`)).status).toBe(410);
    service.clock.now = undefined;
  });

  it('405 to every undocumented method', async () => {
    for (const endpoint of endpoints) {
      const described = new Set(
        operations(api)
          .filter(({ path }) => path === endpoint.path)
          .map(methodOf),
      );
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (described.has(method)) continue;
        const answer = check(endpoint, await acme.rest(method, endpoint.path.replace('{id}', sample.unknownId)));
        expect([endpoint.path, method, answer.status]).toEqual([endpoint.path, method, 405]);
        const allowed = answer.headers.get('allow')?.split(', ');
        const head = described.has('GET') ? ['HEAD'] : [];
        expect(allowed?.toSorted()).toEqual([...described, ...head, 'OPTIONS'].toSorted());
      }
    }
  });

  it('413 and 415 if it may have a body', async () => {
    for (const endpoint of endpoints.filter(({ operation }) => '413' in operation.responses)) {
      const path = await atUnchanged(endpoint);
      const long = JSON.stringify({ nonsense: 'x'.repeat(1024 * 1024) });
      expect(check(endpoint, await acme.rest(methodOf(endpoint), path, long)).status).toBe(413);
      const type = { 'content-type': 'text/plain' };
      expect(check(endpoint, await acme.rest(methodOf(endpoint), path, '{}', type)).status).toBe(415);
    }
  });

  it('422 to the deletion of a row with references to it', async () => {
    for (const endpoint of endpoints.filter((each) => each.method === 'delete' && makersOfKept.get(each.path))) {
      const path = await at(endpoint, acme, makersOfKept);
      expect([path, check(endpoint, await acme.rest('DELETE', path)).status]).toEqual([path, 422]);
    }
  });

  it('422 to a transition that the state forbids, or with a field that is not known', async () => {
    for (const endpoint of endpoints.filter(({ path, method }) => method === 'post' && path.includes('{id}/'))) {
      const path = await at(endpoint);
      const unknown = check(endpoint, await acme.rest('POST', path, { nonsense: 1 }));
      expect([path, unknown.status, unknown.body.errors]).toEqual([path, 422, { nonsense: [expect.any(String)] }]);
      expect([path, check(endpoint, await acme.rest('POST', path)).status]).toEqual([path, 200]);
      if (/\/(ping|redeliver|reset)$/.test(path)) continue; // each time another delivery
      const isRotation = path.endsWith('/rotate-secret');
      if (isRotation) check(endpoint, await acme.rest('POST', path)); // twice within 24 hours
      const again = check(endpoint, await acme.rest('POST', path));
      if (path.startsWith('/receipts/') && path.endsWith('/reverse')) {
        expect([path, again.status]).toEqual([path, 404]); // as if deleted
        continue;
      }
      const named = isRotation || path.startsWith('/payments/') ? 'id' : 'status';
      expect([path, again.status, again.body.errors]).toEqual([path, 422, { [named]: [expect.any(String)] }]);
    }
  });

  it('422 to the file of an export that has none', async () => {
    const endpoint = endpoints.find(({ operation }) => operation.operationId === 'getExportFile')!;
    const path = endpoint.path.replace('{id}', await makeExport(acme));
    expect(check(endpoint, await acme.rest('GET', path)).status).toBe(422);
  });

  it('304 to a tag that is current', async () => {
    for (const endpoint of endpoints.filter(({ operation }) => '304' in operation.responses)) {
      const path = await atUnchanged(endpoint);
      const tag = (await acme.rest('GET', path)).headers.get('etag') ?? '';
      const answer = check(endpoint, await acme.rest('GET', path, undefined, { 'if-none-match': tag }));
      // A token's last use is a part of /me, and a clock goes on.
      const changes = path === '/me' || path === '/test-clock';
      expect([path, answer.status]).toEqual([path, changes ? expect.toBeOneOf([200, 304]) : 304]);
      if (changes) check(endpoint, await acme.rest('GET', path, undefined, { 'if-none-match': '*' }));
    }
  });

  it('412 to a change that expects another version', async () => {
    const conditional = endpoints.filter(({ operation }) => '412' in operation.responses);
    expect(conditional).toHaveLength(20);
    for (const endpoint of conditional) {
      const path = await atUnchanged(endpoint);
      const headers = { 'if-match': '"99-x"' };
      expect([path, check(endpoint, await acme.rest(methodOf(endpoint), path, {}, headers)).status]).toEqual([
        path,
        412,
      ]);
    }
  });

  it('429 over the rate limit', async () => {
    const limited = await startService({ limiter: () => createRateLimiter({ limit: 1, store: memoryStore() }) });
    try {
      const who = await limited.integrator();
      await who.rest('GET', '/me');
      for (const endpoint of endpoints) {
        const answer = await who.rest(methodOf(endpoint), endpoint.path.replace('{id}', sample.unknownId));
        expect(check(endpoint, answer).status).toBe(429);
      }
    } finally {
      await limited.close();
    }
  });

  it('500 after an internal error', async () => {
    const broken = await startService();
    try {
      const who = await broken.integrator();
      await broken.pool.query('drop table customers cascade');
      const endpoint = endpoints.find(({ operation }) => operation.operationId === 'listCustomers')!;
      expect(check(endpoint, await who.rest('GET', '/customers')).status).toBe(500);
    } finally {
      await broken.close();
    }
  });

  it('400 and 431 to invalid HTTP', async () => {
    const endpoint = endpoints[0]!;
    for (const [status, request] of [
      [400, 'nonsense\r\n\r\n'],
      [431, `GET /api/v1/me HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ] as const) {
      const [head = '', text = ''] = (await sendRaw(service, request)).split('\r\n\r\n');
      const [line, ...lines] = head.split('\r\n');
      expect(line).toContain(` ${status} `);
      const headers = new Headers(lines.map((each) => each.split(': ', 2) as [string, string]));
      check(endpoint, { status, headers, text, body: JSON.parse(text) });
    }
  });

  it('and has answered every documented status except those of broken connections', () => {
    const unseen = endpoints.flatMap(({ method, path, operation: { operationId, responses } }) =>
      Object.keys(responses)
        .filter((status) => status !== '422' || method !== 'delete' || makersOfKept.get(path))
        .filter(
          (status) => !['400', '408', '431', '500', '503'].includes(status) && !seen.get(operationId)?.has(status),
        )
        .map((status) => `${operationId} ${status}`),
    );
    expect(unseen).toEqual([]);
  });
});
