import { createHash, randomUUID } from 'node:crypto';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseManifest } from '../../../src/server/graphql/document-manifest.ts';
import {
  createTrustedDocuments,
  deleteDocument,
  listDocuments,
  manifestErrors,
  pushDocuments,
} from '../../../src/server/graphql/trusted-documents.ts';
import { readDashboardDocuments } from '../../../src/server/graphql/dashboard-documents.ts';
import { createToken } from '../../../src/identity/index.ts';
import { toSchema } from '../../../schema/index.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../../harness.ts';
import { signedIn } from '../../identity/browser.ts';
import { makeCustomer } from '../books.ts';

const hashOf = (text: string, algorithm = 'sha256'): string => createHash(algorithm).update(text).digest('hex');
const documentOf = (text: string, algorithm?: string) => ({ hash: hashOf(text, algorithm), text });

/** Each is a text of its own, so that tests don't share documents. */
const customersDocument = () => documentOf(`query Q${randomUUID().replaceAll('-', '')} { customers { totalCount } }`);
const counted = (totalCount: number) => ({ data: { customers: { totalCount } } });
const notFound = { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] };
const onlyTrusted = { errors: [{ extensions: { code: 'PERSISTED_QUERY_ID_REQUIRED' } }] };

let service: Service;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
  globex = await service.integrator();
});

const post = (who: Integrator, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('POST', '/graphql', { body, headers: { ...authorization(who), ...headers } });

const authorization = ({ token }: Integrator) => ({ authorization: `Bearer ${token}` });

const limited = async (who: Integrator): Promise<Integrator> => {
  const { email } = await service.client.user.findUniqueOrThrow({ where: { id: who.userId } });
  const input = { tenantId: who.tenantId, userEmail: email, trustedDocuments: true };
  return asIntegrator(service, { ...who, token: (await createToken(service.client, input)).token });
};

describe('a request names a document by its hash', () => {
  const ways: [string, (hash: string) => Record<string, unknown>][] = [
    ['Apollo', (hash) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } })],
    ['GraphQL over HTTP', (hash) => ({ documentId: `sha256:${hash}` })],
    ['GraphQL Code Generator', (hash) => ({ documentId: hash })],
    ['Relay', (hash) => ({ doc_id: hash })],
    ['Relay, with an empty query', (hash) => ({ id: hash, query: '' })],
  ];

  it.each(ways)('as %s sends it, by POST and by GET', async (_name, parameters) => {
    await makeCustomer(acme);
    const document = customersDocument();
    await pushDocuments(service.client, acme.tenantId, [document]);
    // The third one compiles the query, the fourth runs the compiled one.
    for (let time = 0; time < 4; time += 1)
      expect((await post(acme, parameters(document.hash))).body).toEqual(counted(1));
    const query = new URLSearchParams(
      Object.entries(parameters(document.hash)).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
    const got = await service.request('GET', `/graphql?${query}`, { headers: authorization(acme) });
    expect(got.body).toEqual(counted(1));
  });

  it('with variables, an operation’s name, and an Idempotency-Key', async () => {
    const document = documentOf(
      'query A { customers { totalCount } } mutation B($input: CreateCustomerInput!) { createCustomer(input: $input) { companyName } }',
    );
    await pushDocuments(service.client, null, [document]);
    const body = {
      documentId: `sha256:${document.hash}`,
      operationName: 'B',
      variables: { input: { type: 'CUSTOMER', companyName: 'Initech' } },
    };
    const headers = { 'Idempotency-Key': randomUUID() };
    const done = { data: { createCustomer: { companyName: 'Initech' } } };
    expect((await post(acme, body, headers)).body).toEqual(done);
    expect((await post(acme, body, headers)).body).toEqual(done);
    expect((await post(acme, { ...body, operationName: 'A' })).body).toEqual(counted(1));
  });

  it('which is unknown: PERSISTED_QUERY_NOT_FOUND', async () => {
    const { hash } = customersDocument();
    for (const [, parameters] of ways) expect((await post(acme, parameters(hash))).body).toMatchObject(notFound);
    for (const noHash of ['a\0', '\ud800', '__proto__'])
      for (const [, parameters] of ways) expect((await post(acme, parameters(noHash))).body).toMatchObject(notFound);
    const strict = await post(acme, { documentId: hash }, { accept: 'application/graphql-response+json' });
    expect(strict.status).toBe(404);
  });

  it('of its own tenant or of the installation, never of another tenant', async () => {
    const [ofAcme, ofAll] = [customersDocument(), customersDocument()];
    await pushDocuments(service.client, acme.tenantId, [ofAcme]);
    await pushDocuments(service.client, null, [ofAll]);
    expect((await post(acme, { documentId: ofAcme.hash })).body).toEqual(counted(0));
    expect((await post(globex, { documentId: ofAcme.hash })).body).toMatchObject(notFound);
    expect((await post(globex, { documentId: ofAll.hash })).body).toEqual(counted(0));
  });

  it('of a page of many small fragments, long names, and aliases, which its text may not have', async () => {
    const names = Array.from({ length: 60 }, (_each, index) => `${'Part'.repeat(40)}${index}`);
    const page = documentOf(
      `{ me { ${names.map((name) => `...${name}`).join(' ')} } } ${names.map((name, index) => `fragment ${name} on Profile { a${index}: user { id } b${index}: tenant { name } }`).join(' ')}`,
    );
    expect(page.text.length).toBeGreaterThan(10_000);
    expect(manifestErrors(toSchema(), [page])).toEqual([]);
    await pushDocuments(service.client, acme.tenantId, [page]);
    expect((await post(globex, { query: page.text })).body.errors[0].extensions.code).toBe('DOCUMENT_TOO_LONG');
    for (let time = 0; time < 4; time += 1) {
      const { body } = await post(acme, { documentId: page.hash });
      expect(body.errors).toBeUndefined();
      expect(Object.keys(body.data.me)).toHaveLength(120);
    }
  });

  it('with the same abilities and cost as its text', async () => {
    const costly = documentOf('{ customers(first: 100) { nodes { invoices(first: 100) { nodes { id } } } } }');
    const { errors } = (await post(acme, { query: costly.text })).body;
    await pushDocuments(service.client, acme.tenantId, [costly]);
    expect((await post(acme, { documentId: costly.hash })).body.errors).toEqual(errors);
    const weak = await service.integrator({ abilities: ['invoices:read'] });
    const document = customersDocument();
    await pushDocuments(service.client, null, [document]);
    expect((await post(weak, { documentId: document.hash })).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('a token that is limited to trusted documents', () => {
  it('gets no answer of another token by its Idempotency-Key and body, in any form', async () => {
    const who = await limited(acme);
    const { text } = customersDocument();
    const types = ['application/json', 'application/json; charset=utf-8', 'application/graphql', 'text/plain', 'x/y'];
    for (const type of types) {
      const headers = { 'Idempotency-Key': randomUUID(), 'content-type': 'application/json' };
      expect((await post(acme, { query: text }, headers)).body).toEqual(counted(0));
      const asked = await post(who, { query: text }, { ...headers, 'content-type': type });
      expect([asked.text.includes('totalCount'), asked.headers.get('idempotent-replayed')]).toEqual([false, null]);
    }
    const key = { 'Idempotency-Key': randomUUID() };
    await post(acme, { query: text }, key);
    expect((await post(who, { query: text }, key)).body).toMatchObject(onlyTrusted);
    const form = { 'Idempotency-Key': randomUUID(), 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ query: text }).toString();
    const sent = (by: Integrator) =>
      service.request('POST', '/graphql', { body, headers: { ...authorization(by), ...form } });
    expect((await sent(acme)).body).toEqual(counted(0));
    expect((await sent(who)).body).toMatchObject(onlyTrusted);
  });

  it('gets its own answer again, and none once the document is deleted', async () => {
    const document = customersDocument();
    await pushDocuments(service.client, acme.tenantId, [document]);
    const who = await limited(acme);
    const key = { 'Idempotency-Key': randomUUID() };
    const [first, second] = [
      await post(who, { documentId: document.hash }, key),
      await post(who, { documentId: document.hash }, key),
    ];
    expect([first.body, second.body, second.headers.get('idempotent-replayed')]).toEqual([
      counted(0),
      counted(0),
      'true',
    ]);
  });

  it('may name documents, and send no text of its own', async () => {
    const document = customersDocument();
    await pushDocuments(service.client, acme.tenantId, [document]);
    const who = await limited(acme);
    expect((await post(who, { documentId: document.hash })).body).toEqual(counted(0));
    for (const body of [
      { query: document.text },
      { query: '{ __typename }' },
      { query: document.text, extensions: { persistedQuery: { version: 1, sha256Hash: document.hash } } },
      { query: document.text, documentId: document.hash },
      {},
    ])
      expect((await post(who, body)).body).toMatchObject(onlyTrusted);
    const got = await service.request('GET', `/graphql?query=${encodeURIComponent(document.text)}`, {
      headers: authorization(who),
    });
    expect(got.body).toMatchObject(onlyTrusted);
    const keyed = await post(who, { query: document.text }, { 'Idempotency-Key': randomUUID() });
    expect(keyed.body).toMatchObject(onlyTrusted);
  });

  it('not even a text that other tokens have sent so often that it is compiled', async () => {
    const { text } = customersDocument();
    for (let time = 0; time < 5; time += 1) expect((await post(acme, { query: text })).body).toEqual(counted(0));
    expect((await post(await limited(acme), { query: text })).body).toMatchObject(onlyTrusted);
  });

  it('still uses REST', async () => {
    expect((await (await limited(acme)).rest('GET', '/customers')).status).toBe(200);
  });
});

describe('a session', () => {
  const own = [...readDashboardDocuments()].find(([, text]) => text.startsWith('query ApiTokens '))!;
  const [ownHash, ownText] = own;
  const byHash = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });
  const limits = { requestsPerMinute: 60, maxRequestsPerMinute: 600, __typename: 'ApiTokenLimits' };
  const answered = { data: { apiTokens: [], apiTokenLimits: limits } };
  let strict: Service;
  beforeAll(async () => {
    strict = await startService({ sessionTrustedDocuments: true });
  });
  afterAll(() => strict.close());

  it('names documents of the dashboard, or sends any text', async () => {
    const { browser } = await signedIn(service);
    const send = (body: object) => browser.request('POST', '/graphql', body);
    expect((await send(byHash(ownHash))).body).toEqual(answered);
    expect((await send({ query: ownText })).body).toEqual(answered);
    expect((await send(byHash(hashOf('unknown')))).body).toMatchObject(notFound);
  });

  it('with SESSION_TRUSTED_DOCUMENTS sends no text, as a limited token', async () => {
    const { browser, tenantId } = await signedIn(strict);
    const send = (body: object, headers: Record<string, string> = {}) =>
      browser.request('POST', '/graphql', body, headers);
    expect((await send(byHash(ownHash))).body).toEqual(answered);
    const registered = customersDocument();
    await pushDocuments(strict.client, tenantId, [registered]);
    expect((await send(byHash(registered.hash))).body).toEqual(counted(0));

    const { errors } = (await post(await limited(acme), { query: ownText })).body;
    expect(errors[0].extensions.code).toBe('PERSISTED_QUERY_ID_REQUIRED');
    const getting = `/graphql?query=${encodeURIComponent('{ __typename }')}`;
    const answers = [
      await send({ query: ownText }),
      await send({ query: '{ __typename }' }),
      await send({ query: ownText, ...byHash(ownHash) }),
      await send({ query: ownText }, { 'Idempotency-Key': randomUUID() }),
      await send({}),
      await browser.request('GET', getting),
    ];
    for (const { body } of answers) expect(body.errors).toEqual(errors);
    expect((await send(byHash(hashOf('unknown')))).body).toMatchObject(notFound);
  });

  it('limits no token', async () => {
    const who = await strict.integrator();
    expect(await who.graphql('{ customers { totalCount } }')).toEqual({ customers: { totalCount: 0 } });
  });

  it('alone may name documents of the dashboard', async () => {
    expect((await post(acme, byHash(ownHash))).body).toMatchObject(notFound);
    expect((await post(await limited(acme), byHash(ownHash))).body).toMatchObject(notFound);
  });
});

describe('a request with an Idempotency-Key', () => {
  it('names an unknown document, and then sends its text with the same key', async () => {
    const { hash, text } = documentOf(
      'mutation { createCustomer(input: { type: CUSTOMER, companyName: "A" }) { city } }',
    );
    const headers = { 'Idempotency-Key': randomUUID() };
    const persistedQuery = { version: 1, sha256Hash: hash };
    expect((await post(acme, { extensions: { persistedQuery } }, headers)).body).toMatchObject(notFound);
    const done = { data: { createCustomer: { city: null } } };
    expect((await post(acme, { query: text, extensions: { persistedQuery } }, headers)).body).toEqual(done);
    expect(await acme.db.customer.count()).toBe(1);
  });
});

describe('registering', () => {
  it('adds what is new, once per tenant and once for the installation', async () => {
    const [one, two] = [customersDocument(), customersDocument()];
    expect(await pushDocuments(service.client, acme.tenantId, [one])).toBe(1);
    expect(await pushDocuments(service.client, acme.tenantId, [one, two])).toBe(1);
    expect(await pushDocuments(service.client, null, [one])).toBe(1);
    expect(await pushDocuments(service.client, null, [one])).toBe(0);
    expect((await listDocuments(service.client, acme.tenantId)).map(({ hash }) => hash).toSorted()).toEqual(
      [one.hash, two.hash].toSorted(),
    );
  });

  it('and deleting: a process without a cache knows the document no more', async () => {
    const document = customersDocument();
    await pushDocuments(service.client, acme.tenantId, [document]);
    expect(await deleteDocument(service.client, globex.tenantId, document.hash)).toBe(false);
    expect(await deleteDocument(service.client, acme.tenantId, document.hash)).toBe(true);
    const fresh = createTrustedDocuments(service.client);
    const context = { tenant: { id: acme.tenantId }, token: null } as never;
    await expect(fresh.withText({ documentId: document.hash }, context)).rejects.toThrow('PersistedQueryNotFound');
  });

  it('reads the manifests of Relay, GraphQL Code Generator, and Apollo', () => {
    const text = '{ me { user { id } } }';
    for (const algorithm of ['md5', 'sha1', 'sha256']) {
      const hash = hashOf(text, algorithm);
      expect(parseManifest(JSON.stringify({ [hash]: text }))).toEqual([{ hash, text }]);
    }
    const operations = [{ id: hashOf(text), name: 'Me', type: 'query', body: text }];
    const apollo = { format: 'apollo-persisted-query-manifest', version: 1, operations };
    expect(parseManifest(JSON.stringify(apollo))).toEqual([documentOf(text)]);
  });

  it('refuses what is no manifest, and hashes of other texts', () => {
    expect(() => parseManifest('{')).toThrow('not JSON');
    expect(() => parseManifest('[]')).toThrow('neither');
    expect(() => parseManifest('{"x": "{ me }"}')).toThrow('is not a SHA-256');
    expect(() => parseManifest(JSON.stringify({ [hashOf('a')]: 'b' }))).toThrow('is not the hash of its document');
  });

  it('refuses documents that don’t fit the schema, or are beyond the limits', () => {
    const errors = (text: string) => manifestErrors(toSchema(), [documentOf(text)]);
    expect(errors('{ me { user { id } } }')).toEqual([]);
    expect(errors('{ nothing }')).toEqual([expect.stringContaining('Cannot query field "nothing"')]);
    expect(errors('{')).toEqual([expect.stringContaining('Syntax Error')]);
    expect(errors(`{ me { user { id } } } # ${'x'.repeat(10_000)}`)).toEqual([]);
    expect(errors(`{ me { user { id } } } # ${'x'.repeat(100_000)}`)).toEqual([expect.stringContaining('characters')]);
    expect(manifestErrors(buildSchema('type Query { a: Int }'), [documentOf('{ a }')])).toEqual([]);
  });
});
