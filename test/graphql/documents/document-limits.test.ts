import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { excesses, limits } from '../../../src/server/graphql/document-limits.ts';
import { createRateLimiter, memoryStore } from '../../../src/security/rate-limit.ts';
import { startService, type Answer, type Integrator, type Service } from '../../harness.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_each, index) => text(index)).join(' ');
const nested = (levels: number): string => {
  const pairs = Math.floor((levels - 3) / 3);
  return `{ customers(first: 1) { nodes { ${repeat(pairs, () => 'invoices(first: 1) { nodes { customer {')} id ${repeat(pairs, () => '} } }')} } } }`;
};

const refusal = ({ body }: Answer): string | undefined => body.errors?.[0].message;

describe('a document is accepted up to its limit, and rejected beyond it', () => {
  const cases: Record<Exclude<keyof typeof limits, 'cost'>, (count: number) => string> = {
    characters: (count) => `{ me { user { id } } }`.padEnd(count),
    tokens: (count) => `{ me { user { ${'id '.repeat(count)} } } }`,
    fragments: (count) =>
      `{ me { ${repeat(count, (i) => `...f${i}`)} } } ${repeat(count, (i) => `fragment f${i} on Profile { user { id } }`)}`,
    aliases: (count) => `{ me { user { ${repeat(count, (i) => `a${i}: id`)} } } }`,
    directives: (count) => `{ me { ${repeat(count, () => 'user @include(if: true) { id }')} } }`,
    introspections: (count) => `{ __schema { ${repeat(count - 1, (i) => `a${i}: types { name }`)} } }`,
    depth: nested,
    breadth: (count) => `{ me { user { ${repeat(count - 2, () => 'id')} } } }`,
  };
  const excess = { tokens: limits.tokens, depth: 3 }; // each nested list adds three levels
  const within = { tokens: 0 };

  it.each(Object.keys(cases) as (keyof typeof cases)[])('%s', async (name) => {
    const limit = limits[name];
    const most = within[name as 'tokens'] ?? limit;
    const good = await acme.graphqlAnswer(cases[name](most));
    if (name !== 'tokens') expect(good.body.errors).toBeUndefined();
    const more = limit + (excess[name as 'depth'] ?? 1);
    const { status, body } = await acme.graphqlAnswer(cases[name](more));
    expect([200, 400]).toContain(status);
    expect(body).not.toHaveProperty('data');
    const [error, ...others] = body.errors;
    expect(others).toEqual([]);
    expect(error.message).toContain(String(limit));
    expect(error.extensions.code).toBe(excesses[name].code);
  });

  it('cost: nested pages, with sizes from variables', async () => {
    const query = `query ($n: Int) { customers(first: $n) { nodes { id invoices(first: $n) { nodes { id items { id } } } } } }`;
    expect((await acme.graphqlAnswer(query, { n: 10 })).body.errors).toBeUndefined();
    const tooCostly = await acme.graphqlAnswer(query, { n: 100 });
    expect(refusal(tooCostly)).toMatch(`of ${limits.cost} at most`);
    expect(tooCostly.body.errors[0].extensions.code).toBe('TOO_COSTLY');
    expect(refusal(await acme.graphqlAnswer(query.replaceAll('first', 'last'), { n: 100 }))).toMatch('at most');
    expect(refusal(await acme.graphqlAnswer(query.replaceAll('$n)', '100)').replace('($n: Int)', '')))).toMatch(
      'at most',
    );
  });

  it.each([
    ['payments', 'invoices', 'nodes { id invoice { id } }'],
    ['creditNotes', 'invoices', 'nodes { id invoice { id } }'],
    ['timeEntries', 'invoices', 'nodes { id project { id } }'],
    ['payments', 'receipts', 'nodes { id receipt { id } }'],
    ['refunds', 'creditNotes', 'nodes { id creditNote { id } }'],
  ])('cost: pages of %s within a page of %s', async (list, root, rows) => {
    const query = `query ($n: Int) { ${root}(first: $n) { nodes { id ${list}(first: $n) { edges { cursor } ${rows} } } } }`;
    expect((await acme.graphqlAnswer(query, { n: 10 })).body.errors).toBeUndefined();
    expect((await acme.graphqlAnswer(query, { n: 100 })).body.errors[0].extensions.code).toBe('TOO_COSTLY');
  });

  it('cost: fields that read many rows, also with a short answer', async () => {
    const many = (fields: string): string => `{ ${repeat(limits.aliases, (i) => `a${i}: ${fields}`)} }`;
    const searched = `query ($q: String) ${many('customers(filter: { q: $q }) { totalCount }')}`;
    expect(refusal(await acme.graphqlAnswer(searched, { q: 'x' }))).toMatch(`of ${limits.cost} at most`);
    for (const q of ['', undefined]) expect((await acme.graphqlAnswer(searched, { q })).body.errors).toBeUndefined();
    const filtered = `query ($filter: CustomerFilter) ${many('customers(filter: $filter) { totalCount }')}`;
    for (const filter of [{ q: '' }, {}, { city: {} }, null, undefined])
      expect((await acme.graphqlAnswer(filtered, { filter })).body.errors).toBeUndefined();
    expect(refusal(await acme.graphqlAnswer(filtered, { filter: { q: 'x' } }))).toMatch('at most');
    // It is also rejected after it was compiled without a search.
    expect(refusal(await acme.graphqlAnswer(searched, { q: 'x' }))).toMatch('at most');
    for (const fields of [
      'invoices(filter: { q: "x" }, offset: 2000, first: 1) { nodes { id } }',
      'overview { outstanding { amount } months { paid } }',
      'bankAccounts(first: 50) { nodes { balance(at: "2026-01-01") { amount } } }',
      'bankTransactions(filter: { q: "x", bookingDate: { gte: "2026-01-01" } }) { totalCount }',
      'invoices(filter: { subject: { contains: "x" } }) { totalCount }',
      'invoices(filter: { customer: { city: { eq: "x" } } }) { totalCount }',
      'invoices(filter: { or: [{ status: { eq: DRAFT } }] }) { totalCount }',
      'invoices(filter: { status: { eq: DRAFT } }, orderBy: [{ field: SUBJECT, direction: ASC }], offset: 2000) { totalCount }',
    ])
      expect(refusal(await acme.graphqlAnswer(many(fields)))).toMatch('at most');
    const tallied =
      'invoices(filter: { status: { eq: DRAFT } }, orderBy: { field: DUE_DATE, direction: ASC }) { totalCount }';
    expect((await acme.graphqlAnswer(many(tallied))).body.errors).toBeUndefined();
  });

  it('the cost is shown to a request that asks for it, also after the query was compiled', async () => {
    const query = 'query ($n: Int) { customers(first: $n) { nodes { id } } }';
    const ask = (n: number, headers: Record<string, string>): Promise<Answer> =>
      service.request('POST', '/graphql', {
        body: { query, variables: { n } },
        headers: { authorization: `Bearer ${acme.token}`, ...headers },
      });
    for (let time = 0; time < 5; time += 1) {
      const { cost } = (await ask(10, { 'x-query-cost': '1' })).body.extensions;
      expect(cost.limit).toBe(limits.cost);
      expect(cost.requested + cost.remaining).toBe(limits.cost);
      const [twice, thrice] = await Promise.all(
        [20, 30].map(async (n) => (await ask(n, { 'x-query-cost': '1' })).body.extensions.cost.requested as number),
      );
      expect(twice).toBeGreaterThan(cost.requested);
      expect(thrice! - twice!).toBe(twice! - cost.requested);
      for (const headers of [{}, { 'x-query-cost': '0' }] as Record<string, string>[])
        expect((await ask(10, headers)).body).toEqual({ data: { customers: { nodes: [] } } });
    }
    const costly =
      'query ($n: Int) { customers(first: $n) { nodes { invoices(first: $n) { nodes { id number subject } } } } }';
    const refused = (headers: Record<string, string>): Promise<Answer> =>
      service.request('POST', '/graphql', {
        body: { query: costly, variables: { n: 100 } },
        headers: { authorization: `Bearer ${acme.token}`, ...headers },
      });
    const { errors, extensions } = (await refused({ 'x-query-cost': '1' })).body;
    expect(errors[0].extensions.code).toBe('TOO_COSTLY');
    expect(extensions.cost).toEqual({ requested: expect.any(Number), limit: limits.cost, remaining: 0 });
    expect(errors[0].message).toContain(String(extensions.cost.requested));
    expect((await refused({})).body).not.toHaveProperty('extensions');
  });

  it('breadth and depth are counted after spreading fragments', async () => {
    const doubling = `{ me { ...f0 } } ${repeat(15, (i) => `fragment f${i} on Profile { ...f${i + 1} ...f${i + 1} }`)} fragment f15 on Profile { user { id } }`;
    expect(refusal(await acme.graphqlAnswer(doubling))).toMatch('fields, of');
    const deep = `{ customers { nodes { ...f0 } } } ${repeat(5, (i) => `fragment f${i} on Customer { invoices { nodes { customer { ...f${i + 1} } } } }`)} fragment f5 on Customer { id }`;
    expect(refusal(await acme.graphqlAnswer(deep))).toMatch('levels of fields');
  });

  it('a rejected document counts as one request, and executes nothing', async () => {
    const limited = await startService({ limiter: () => createRateLimiter({ limit: 2, store: memoryStore() }) });
    const globex = await limited.integrator();
    const mutation = `mutation { ${repeat(limits.aliases + 1, (i) => `a${i}: createCustomer(input: { type: CUSTOMER, companyName: "x" }) { id }`)} }`;
    const answer = await globex.graphqlAnswer(mutation);
    expect(refusal(answer)).toMatch('aliases');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('1');
    expect(await globex.db.customer.count()).toBe(0);
    await limited.close();
  });
});

describe('the limits leave room for', () => {
  /** Every operation in the pages' code and in the guides, with the fragments it spreads. */
  function documented(): string[] {
    const files = execFileSync('git', ['ls-files', 'src/dashboard', 'src/pages/guides', '*.md'], {
      encoding: 'utf8',
    });
    const texts = files
      .trim()
      .split('\n')
      .filter((file) => /\.(tsx?|md)$/.test(file))
      .map((file) => readFileSync(file, 'utf8'));
    const marked = texts.flatMap((text) =>
      [...text.matchAll(/(?:graphql\(\s*`|```graphql[^\n]*\n)([^`]*)`/g)].map(([, document]) => document!),
    );
    const fragments = marked.filter((document) => document.trim().startsWith('fragment'));
    return marked
      .filter((document) => !document.trim().startsWith('fragment'))
      .map((document) => {
        const used = new Set<string>();
        const add = (text: string): void => {
          for (const [, name] of text.matchAll(/\.\.\.\s*(?!on\b)(\w+)/g)) {
            const fragment = fragments.find((each) => new RegExp(`fragment\\s+${name}\\s`).test(each));
            if (!fragment || used.has(fragment)) continue;
            used.add(fragment);
            add(fragment);
          }
        };
        add(document);
        return [document, ...used].join('\n');
      });
  }

  it('every document of the dashboard and the guides with its longest page: four times, and twice the depth', async () => {
    const documents = documented();
    expect(documents.length).toBeGreaterThan(10);
    const usual = { ...limits };
    for (const name of Object.keys(limits) as (keyof typeof limits)[]) limits[name] /= name === 'depth' ? 2 : 4;
    onTestFinished(() => void Object.assign(limits, usual));
    for (const document of documents) {
      const { body } = await acme.graphqlAnswer(document.replace(/^\s*(mutation|subscription)/, 'query'), {
        first: 100,
        q: 'x',
      });
      const refused = (body.errors ?? [])
        .map(({ message }: { message: string }) => message)
        .filter((message: string) => / at most\.|tokens/.test(message));
      expect({ document, refused }).toEqual({ document, refused: [] });
    }
  });

  it("GraphiQL's introspection", async () => {
    const query = getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    expect((await acme.graphqlAnswer(query)).body.errors).toBeUndefined();
  });
});

describe('GRAPHQL_INTROSPECTION=0', () => {
  it('hides the schema: no introspection, no suggestions, no schema file', async () => {
    const silent = await startService({ introspection: false });
    const globex = await silent.integrator();
    for (const query of ['{ __schema { types { name } } }', '{ __type(name: "Customer") { name } }']) {
      expect(refusal(await globex.graphqlAnswer(query))).toMatch(/introspection/i);
    }
    const misspelt = [
      '{ custommers { totalCount } }',
      '{ customers(frist: 1) { totalCount } }',
      '{ me { ...on Profil { user { id } } } }',
    ];
    for (const query of misspelt) {
      expect(refusal(await globex.graphqlAnswer(query))).not.toMatch(/did you mean/i);
      expect(refusal(await acme.graphqlAnswer(query))).toMatch(/did you mean/i);
    }
    expect((await silent.request('GET', '/schema.graphql')).status).toBe(404);
    expect((await globex.graphqlAnswer('{ __typename me { user { id } } }')).body.errors).toBeUndefined();
    await silent.close();
  });
});
