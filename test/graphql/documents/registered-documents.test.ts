import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DocumentTexts, mostKept } from '../../../src/server/graphql/document-texts.ts';
import { limitsOfPushed } from '../../../src/server/graphql/pushed-document.ts';
import { createTenantDocuments, limitsOfTenant } from '../../../src/server/graphql/tenant-documents.ts';
import { pushDocuments } from '../../../src/server/graphql/trusted-documents.ts';
import { maxRegisteredAtOnce } from '../../../schema/graphql/trusted-document-store.ts';
import { signedIn } from '../../identity/browser.ts';
import { kontor } from '../../processes/command-lines.ts';
import { startService, type Answer, type Integrator, type Service } from '../../harness.ts';

// A token with documents:write registers its tenant's trusted documents, as a front end's CI does.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let acme: Integrator;
let globex: Integrator;
beforeEach(async () => {
  acme = await service.integrator();
  globex = await service.integrator({ name: 'Globex' });
});

interface Document {
  hash: string;
  text: string;
}

const documentOf = (text: string, algorithm = 'sha256'): Document => ({
  hash: createHash(algorithm).update(text).digest('hex'),
  text,
});
let count = 0;
const newDocument = (): Document => documentOf(`query Customers${count++} { customers { totalCount } }`);

const register = (who: Integrator, documents: Document[]): Promise<Answer> =>
  who.graphqlAnswer(
    'mutation ($documents: [TrustedDocumentInput!]!) { registerDocuments(documents: $documents) { registered created } }',
    { documents },
  );
const registered = (all: number, created: number) => ({ data: { registerDocuments: { registered: all, created } } });
const run = ({ token }: Integrator, { hash }: Document): Promise<Answer> =>
  service.request('POST', '/graphql', { body: { documentId: hash }, headers: { authorization: `Bearer ${token}` } });
const codeOf = ({ body }: Answer): string | undefined => body.errors?.[0]?.extensions.code;
const counted = { data: { customers: { totalCount: 0 } } };
const list = async (who: Integrator): Promise<string[]> =>
  (await who.graphql('{ trustedDocuments { hash createdAt } }')).trustedDocuments.map(({ hash }: Document) => hash);
const remove = (who: Integrator, hash: string): Promise<Answer> =>
  who.graphqlAnswer('mutation ($hash: String!) { deleteDocument(hash: $hash) { hash } }', { hash });

/** The codes of a refused document, by path. */
async function problemsOf(who: Integrator, ...documents: Document[]): Promise<string[]> {
  const { body } = await register(who, documents);
  expect(codeOf({ body } as Answer)).toBe('VALIDATION_FAILED');
  return body.errors[0].extensions.details.map(
    ({ field, code }: { field: string; code: string }) => `${field} ${code}`,
  );
}

describe('documents that a token registers', () => {
  it('are named by the requests of its tenant, listed, and deleted; no other tenant can', async () => {
    const [one, two] = [newDocument(), newDocument()];
    expect((await register(acme, [one, two, one])).body).toEqual(registered(3, 2));
    expect((await register(acme, [two])).body).toEqual(registered(1, 0));
    expect((await run(acme, one)).body).toEqual(counted);
    expect((await list(acme)).toSorted()).toEqual([one.hash, two.hash].toSorted());

    expect(codeOf(await run(globex, one))).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect(await list(globex)).toEqual([]);
    expect(codeOf(await remove(globex, one.hash))).toBe('NOT_FOUND');
    expect((await run(acme, one)).body).toEqual(counted);

    expect((await remove(acme, two.hash)).body).toEqual({ data: { deleteDocument: { hash: two.hash } } });
    expect(await list(acme)).toEqual([one.hash]);
  });

  it('of the same hash as the installation’s or another tenant’s are beside these', async () => {
    const document = newDocument();
    await pushDocuments(service.client, null, [document]);
    for (const who of [acme, globex]) expect((await register(who, [document])).body).toEqual(registered(1, 1));
    expect(codeOf(await remove(acme, document.hash))).toBeUndefined();
    expect(await list(globex)).toEqual([document.hash]);
    expect((await run(acme, document)).body).toEqual(counted); // the installation's
  });

  it('need documents:write, and their list documents:read', async () => {
    const reader = await service.integrator({ abilities: ['documents:read', 'invoices:write'] });
    const ci = await service.integrator({ abilities: ['documents:write'] });
    expect(codeOf(await register(reader, [newDocument()]))).toBe('FORBIDDEN');
    expect(codeOf(await remove(reader, newDocument().hash))).toBe('FORBIDDEN');
    expect(await list(reader)).toEqual([]);
    expect((await register(ci, [newDocument()])).body).toEqual(registered(1, 1));
    expect(codeOf(await ci.graphqlAnswer('{ trustedDocuments { hash } }'))).toBe('FORBIDDEN');
  });

  it('are registered by nobody who may only name documents', async () => {
    await service.client.apiToken.update({ where: { id: acme.tokenId }, data: { trustedDocuments: true } });
    expect(codeOf(await register(acme, [newDocument()]))).toBe('PERSISTED_QUERY_ID_REQUIRED');
    const { browser } = await signedIn(service, globex.tenantId);
    const { body } = await browser.graphql('{ trustedDocuments { hash } }');
    expect(body).toEqual({ data: { trustedDocuments: [] } });
  });

  it('stand alone in their mutation, because they can’t be rolled back with others', async () => {
    const { body } = await acme.graphqlAnswer(
      'mutation { registerDocuments(documents: []) { created } deleteDocument(hash: "a") { hash } }',
    );
    expect(body.errors[0].message).toMatch(/^registerDocuments has to be the only mutation of its document/);
  });

  it('are exempt from the limits of texts for their tenant alone, but not from the cost', async () => {
    const names = Array.from({ length: 60 }, (_each, index) => `Part${index}`);
    const page = documentOf(
      `{ me { ${names.map((name) => `...${name}`).join(' ')} } } ${names.map((name, index) => `fragment ${name} on Profile { a${index}: user { id } }`).join(' ')}`,
    );
    expect((await register(acme, [page])).body).toEqual(registered(1, 1));
    expect(Object.keys((await run(acme, page)).body.data.me)).toHaveLength(60);
    for (const who of [acme, globex]) expect(codeOf(await who.graphqlAnswer(page.text))).toBe('TOO_MANY_FRAGMENTS'); // its text, by itself
    const costly = documentOf(
      '{ customers(first: 100) { nodes { invoices(first: 100) { nodes { customer { invoices { nodes { id } } } } } } } }',
    );
    expect((await register(acme, [costly])).body).toEqual(registered(1, 1));
    expect(codeOf(await run(acme, costly))).toBe('TOO_COSTLY');
  });
});

describe('hostile documents are refused, and a tenant beside is served meanwhile', () => {
  const fields = (each: string, times: number): string => `{ ${`${each} `.repeat(times)} }`;
  const chain = (length: number, next: (index: number) => string): string =>
    `{ me { ...F0 } } ${Array.from({ length }, (_, index) => `fragment F${index} on Profile { user { id } ${next(index)} }`).join(' ')}`;
  const { characters, tokens, nesting, operations, fragments } = limitsOfPushed;
  const hostile: [string, string, string][] = [
    ['too long', `{ me { user { id } } } #${'x'.repeat(characters)}`, 'documents.0.text too_long'],
    ['of too many tokens', fields('id', tokens), 'documents.0.text too_many'],
    ['of deep brackets', '{ me '.repeat(characters / 5), 'documents.0.text too_many'],
    ['of deep lists', `{ a(b: ${'['.repeat(nesting + 1)}`, 'documents.0.text too_many'],
    [
      'of many fragments',
      chain(fragments + 1, (index) => (index < fragments ? `...F${index + 1}` : '')),
      'documents.0.text too_many',
    ],
    ['of many operations', 'query { me { user { id } } } '.repeat(operations + 1), 'documents.0.text too_many'],
    ['of many equal fields', fields('me { user { id } }', 300), 'documents.0.text too_many'],
    ['of fragments in a cycle', chain(100, (index) => `...F${(index + 1) % 100}`), 'documents.0.text invalid_format'],
    ['of unknown fields', fields('nothing', 2000), 'documents.0.text invalid_format'],
    ['that is no document', '\u{0}', 'documents.0.text invalid_format'],
    ['that ends early', '{', 'documents.0.text invalid_format'],
  ];

  it.each(hostile)('one %s', async (_name, text, expected) => {
    expect(new Set(await problemsOf(acme, documentOf(text)))).toEqual(new Set([expected]));
    expect(await list(acme)).toEqual([]);
  });

  it('one with the hash of another text, or none', async () => {
    const { text } = newDocument();
    const hashes = [documentOf('{ other }').hash, 'x', '', 'A'.repeat(64), '__proto__', '0'.repeat(100_000)];
    const problems = await problemsOf(acme, ...hashes.map((hash) => ({ hash, text })));
    expect(problems).toEqual([
      'documents.0.hash inconsistent',
      ...[1, 2, 3, 4, 5].map((index) => `documents.${index}.hash invalid_format`),
    ]);
    for (const algorithm of ['md5', 'sha1'])
      expect((await register(acme, [documentOf(text, algorithm)])).body).toEqual(registered(1, 1));
  });

  it('all of a request, if one of it is wrong', async () => {
    expect(await problemsOf(acme, newDocument(), documentOf('{ nothing }'))).toEqual([
      'documents.1.text invalid_format',
    ]);
    expect(await list(acme)).toEqual([]);
  });

  it('more at once than a request may have', async () => {
    const documents = Array.from({ length: maxRegisteredAtOnce + 1 }, newDocument);
    expect(await problemsOf(acme, ...documents)).toEqual(['documents wrong_count']);
  });

  it('more than a tenant may have, also by concurrent requests; another tenant has its own', async () => {
    const row = (index: number) => ({ tenantId: acme.tenantId, hash: `stored ${index}`, text: '{ me }' });
    const stored = limitsOfTenant.documents - 50;
    await service.client.trustedDocument.createMany({ data: Array.from({ length: stored }, (_, index) => row(index)) });
    const caller = await service.contextOf(acme);
    // As in 8 processes, none of which waits for another's validation.
    const sent = await Promise.allSettled(
      Array.from({ length: 8 }, () => {
        const documents = Array.from({ length: 20 }, newDocument);
        return createTenantDocuments(service.client, service.domain.schema).register(caller, documents);
      }),
    );
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await service.client.trustedDocument.count({ where: { tenantId: acme.tenantId } })).toBe(stored + 40);
    expect((await register(globex, [newDocument()])).body).toEqual(registered(1, 1));
  });

  it('more bytes than a tenant may have', async () => {
    const text = 'ä'.repeat(limitsOfTenant.characters / 2);
    await service.client.trustedDocument.create({ data: { tenantId: acme.tenantId, hash: 'long', text } });
    expect(await problemsOf(acme, newDocument())).toEqual(['documents limit_reached']);
    expect((await register(globex, [newDocument()])).body).toEqual(registered(1, 1));
  });

  it('none of it holds up another tenant: its requests are answered before the attack is over', async () => {
    // As hard to validate as the limits allow, and different each time.
    const hard = (index: number): Document => documentOf(`query Q${index} ${fields('me { user { id name } }', 140)}`);
    let isOver = false;
    const attack = Promise.all(
      Array.from({ length: 3 }, (_each, part) =>
        register(
          acme,
          Array.from({ length: maxRegisteredAtOnce }, (_, index) => hard(part * 1000 + index)),
        ),
      ),
    ).then((answers) => {
      isOver = true;
      return answers;
    });
    for (let time = 0; time < 10; time += 1) {
      const innocent = await globex.graphqlAnswer('{ customers { totalCount } }');
      expect([innocent.body, isOver]).toEqual([counted, false]);
    }
    // Whatever of it takes too long for its request is not registered at all.
    const outcomes = (await attack).map(
      ({ body }) => body.errors?.[0].extensions.code ?? body.data.registerDocuments.created,
    );
    for (const outcome of outcomes) expect([maxRegisteredAtOnce, 'UNAVAILABLE']).toContain(outcome);
    const whole = outcomes.filter((outcome) => outcome === maxRegisteredAtOnce).length;
    expect(await list(acme)).toHaveLength(whole * maxRegisteredAtOnce);
  });
});

describe('the cache of texts', () => {
  it('keeps a bounded number of characters of a tenant, the last used ones, and lets others keep theirs', () => {
    const texts = new DocumentTexts(1000, () => 0);
    texts.set('innocent', 'a', 'mine');
    const long = 'x'.repeat(100_000);
    for (let index = 0; index < 10_000; index += 1) texts.set('hostile', `${index}`, long);
    expect(texts.characters).toBe(mostKept.characters + 4);
    expect([texts.get('innocent', 'a'), texts.get('hostile', '9999'), texts.get('hostile', '0')]).toEqual([
      'mine',
      long,
      undefined,
    ]);
    for (let index = 0; index < 10_000; index += 1) texts.set('hostile', `short ${index}`, '');
    expect(texts.get('hostile', `short ${10_000 - mostKept.documents}`)).toBe('');
    expect(texts.get('hostile', `short ${9999 - mostKept.documents}`)).toBeUndefined();
  });

  it('is bounded for all tenants together, and forgets in time', () => {
    let now = 0;
    const texts = new DocumentTexts(1000, () => now);
    const long = 'x'.repeat(mostKept.characters);
    for (let tenant = 0; tenant < 100; tenant += 1) texts.set(`${tenant}`, 'a', long);
    expect(texts.characters).toBe(mostKept.inAll);
    now = 1000;
    expect(texts.get('99', 'a')).toBeUndefined();
    expect(texts.characters).toBe(mostKept.inAll - mostKept.characters);
  });
});

describe('documents push, list, and delete with a token', () => {
  it('registers a manifest of any length by a token, lists and deletes its documents, and refuses a tenant beside it', async () => {
    const documents = Array.from({ length: 250 }, newDocument);
    const file = join(tmpdir(), `manifest-${acme.tenantId}.json`);
    await writeFile(file, JSON.stringify(Object.fromEntries(documents.map(({ hash, text }) => [hash, text]))));
    const env = { KONTOR_TOKEN: acme.token, KONTOR_URL: service.url };
    expect(await kontor(['documents', 'push', file], env)).toMatchObject({
      code: 0,
      out: '250 documents are registered, 250 of them newly.\n',
    });
    const again = await kontor(['documents', 'push', file, '--url', service.url, '--json'], env);
    expect(JSON.parse(again.out)).toEqual({ documents: 250, created: 0 });
    expect((await run(acme, documents[249]!)).body).toEqual(counted);
    const both = ['documents', 'push', file, '--url', service.url, '--tenant', acme.tenantId];
    expect((await kontor(both, env)).err).toContain('leave --tenant out');
    const newest = await kontor(['documents', 'list', '--json'], env);
    expect(JSON.parse(newest.out)).toHaveLength(250);
    const { hash } = documents[0]!;
    const deleteIt = ['documents', 'delete', hash, '--json'];
    expect(JSON.parse((await kontor(deleteIt, env)).out)).toEqual({ hash, deleted: true });
    expect(await kontor(deleteIt, env)).toMatchObject({ code: 4, err: 'kontor: Not found.\n' });
    const weak = await service.integrator({ abilities: ['read'] });
    expect((await kontor(['documents', 'push', file], { ...env, KONTOR_TOKEN: weak.token })).code).toBe(3);
    // As in a CI whose secret is missing: a database of this machine is none of its business.
    expect(await kontor(['documents', 'push', file], { ...env, KONTOR_TOKEN: '' })).toMatchObject({
      code: 3,
      err: expect.stringContaining('An API token is needed'),
    });
  });

  it('names a document that is refused by its hash, wherever it is, and says how many are registered', async () => {
    const wrong = documentOf('{ me { nothing } }');
    const documents = [...Array.from({ length: 230 }, newDocument), wrong];
    const file = join(tmpdir(), `manifest-${acme.tenantId}.json`);
    await writeFile(file, JSON.stringify(Object.fromEntries(documents.map(({ hash, text }) => [hash, text]))));
    const { code, err } = await kontor(['documents', 'push', file], {
      KONTOR_TOKEN: acme.token,
      KONTOR_URL: service.url,
    });
    expect([code, ...err.trimEnd().split('\n')]).toEqual([
      5,
      'kontor: The request is refused.',
      `kontor: ${wrong.hash}: Cannot query field "nothing" on type "Profile".`,
      'kontor: 200 of 231 documents are registered: those before.',
    ]);
  });
});
