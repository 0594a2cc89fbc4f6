import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync, readFileSync } from 'node:fs';
import { execute, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observeStatements } from '../../../prisma/connection/connection.ts';
import { compileQuery } from '../../../src/server/graphql/compiled-queries.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import { javaScriptNames } from '../../javascript-names.ts';
import { startService, type Answer, type Integrator, type Service } from '../../harness.ts';
import { isOverhead } from '../../isolation/statements.ts';
import {
  makeBankTransaction,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../books.ts';
import { buildQuestion, type Ids } from './documents.ts';
import { withHolder } from '../../../prisma/client.ts';

let service: Service;
let acme: Integrator;
let context: () => Context;
const ids: Ids = {};

beforeAll(async () => {
  service = await startService();
  service.clock.now = new Date(); // held, so that the token's use is not recorded again after a minute
  acme = await service.integrator();
  const made = async (type: string, id: Promise<string>): Promise<string> => {
    (ids[type] ??= []).push(await id);
    return id;
  };
  for (let count = 0; count < 3; count++) {
    const customerId = await made('Customer', makeCustomer(acme, { companyName: `Ä "${count}"\u2028` }));
    const supplierId = await made('Customer', makeCustomer(acme, { type: 'SUPPLIER' }));
    const projectId = await made('Project', makeProject(acme, { customerId }));
    const invoiceId = await made('Invoice', makeInvoice(acme, { customerId, status: 'ISSUED' }));
    await made('Invoice', makeInvoice(acme, { customerId }));
    await makePayment(acme, invoiceId, '1');
    const entry = await made('TimeEntry', makeTimeEntry(acme, { projectId }));
    await acme.db.timeEntry.updateMany({ where: { id: entry }, data: { invoiceId } });
    await made('Receipt', makeReceipt(acme, { supplierId, projectId }));
    await made('BankTransaction', makeBankTransaction(acme));
  }
  const tenant = await service.client.tenant.findUniqueOrThrow({ where: { id: acme.tenantId } });
  const user = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } });
  const token = await service.client.apiToken.findUniqueOrThrow({ where: { id: acme.tokenId } });
  context = () => service.domain.contextFor({ user, tenant: withHolder(tenant), token });
});
afterAll(() => service.close());

const questions = Number(process.env['QUESTIONS'] ?? 300);
const first = Number(process.env['SEED'] ?? 0);

/** The answer of graphql-js without compiling. */
async function executed(query: string, variables: object): Promise<string | undefined> {
  const { schema } = service.domain;
  const { data, errors } = await execute({
    schema,
    document: parse(query),
    variableValues: { ...variables },
    contextValue: { ...context() },
  });
  return errors ? undefined : JSON.stringify({ data });
}

/** Whose statements are sent: a query goes on sending some after its first error, while the next one runs. */
const runs = new AsyncLocalStorage<object>();

/**
 * The answer of `work`, and its statements in any order. Rows are looked up by their ids in batches, and it depends on when
 * PostgreSQL answers which lookups are in the same batch. So the batches of one statement are one here, with all its ids.
 */
async function observed(work: () => Promise<string | undefined>) {
  const run = {};
  const statements: string[] = [];
  const lookups = new Map<string, unknown[]>();
  const stop = observeStatements(({ text, values = [] }) => {
    if (runs.getStore() !== run || isOverhead(text)) return;
    const listed = values.filter(Array.isArray).flat();
    if (listed.length > 0) lookups.set(text, [...(lookups.get(text) ?? []), ...listed]);
    else statements.push(text);
  });
  const answer = await runs.run(run, work).finally(stop);
  for (const [text, listed] of lookups) statements.push(`${text} -- ${listed.toSorted().join(', ')}`);
  return { answer, statements: statements.toSorted() };
}

it(
  'a compiled query gives the same bytes as Yoga with the same statements, and no answer if there is an error',
  async () => {
    const { schema } = service.domain;
    const fates = { compiled: 0, answered: 0, left: 0, statements: 0 };
    for (let seed = first; seed < first + questions; seed++) {
      const { query, variables } = buildQuestion(schema, seed, ids);
      expect({ seed, query, errors: validate(schema, parse(query)) }).toEqual({ seed, query, errors: [] });
      const repeat = compileQuery(schema, parse(query), undefined);
      expect({ seed, query, isCompiled: repeat !== undefined }).toEqual({
        seed,
        query,
        isCompiled: !query.includes('@'),
      });
      if (repeat) fates.compiled += 1;
      for (const given of repeat ? variables : []) {
        // A new document.
        const { text, body } = await acme.graphqlAnswer(`${query} # ${JSON.stringify(given)}`, given);
        const ours = await observed(async () => repeat?.respond(given, context()));
        const { answer } = ours;
        const { errors } = body;
        // The errors are compared, too, so that a failure shows them.
        expect({ seed, query, given, answer, errors: answer === undefined ? errors : undefined }).toEqual({
          seed,
          query,
          given,
          answer: errors ? undefined : text,
          errors,
        });
        fates[answer === undefined ? 'left' : 'answered'] += 1;
        if (answer === undefined) continue;
        fates.statements += ours.statements.length;
        expect({ seed, query, given, ...ours }).toEqual({
          seed,
          query,
          given,
          ...(await observed(() => executed(query, given))),
        });
      }
    }
    if (questions > 300) process.stderr.write(`${JSON.stringify(fates)}\n`);
    expect(fates.compiled).toBeGreaterThan(questions / 2);
    expect(fates.answered).toBeGreaterThan(questions / 2);
    expect(fates.left).toBeGreaterThan(0);
    expect(fates.statements).toBeGreaterThan(fates.answered);
  },
  questions * 300,
);

describe('a document is not compiled with', () => {
  it.each([
    ['a directive', 'query ($b: Boolean!) { me { user @include(if: $b) { id } tenant { id } } }'],
    ['a directive in a fragment', '{ me { ...F } } fragment F on Profile { user @skip(if: false) { id } }'],
    ['introspection of a type', '{ __type(name: "Customer") { name } }'],
    ['introspection of the schema', '{ me { user { id } } __schema { queryType { name } } }'],
    ['a mutation', 'mutation ($id: UUID!) { deleteCustomer(id: $id) { id } }'],
    ['a subscription', 'subscription { deliveryChanged { id } }'],
  ])('%s', (_what, query) => {
    expect(validate(service.domain.schema, parse(query))).toEqual([]);
    expect(compileQuery(service.domain.schema, parse(query), undefined)).toBeUndefined();
  });
});

/** Answers a query by its compiled form, and expects the same answer of graphql-js. */
async function compiledAnswer(query: string, variables: Record<string, unknown> = {}): Promise<string> {
  expect(validate(service.domain.schema, parse(query))).toEqual([]);
  const answer = await compileQuery(service.domain.schema, parse(query), undefined)?.respond(variables, context());
  expect({ query, answer }).toEqual({ query, answer: await executed(query, variables) });
  return answer ?? '';
}

describe('generated code contains no text of a client', () => {
  it('as a name, also if it has a meaning in JavaScript', async () => {
    for (const name of [...javaScriptNames, '_', '__', 'a__b']) {
      const answer = await compiledAnswer(
        `query ${name}($${name}x: Int) {
          ${name}: me { ${name}: user { ${name}: id } ...${name} }
          a: invoices(first: $${name}x) { ${name}: nodes { ${name}: items { ${name}: title } t: __typename } }
          b: customers { nodes { ${name}: city } ${name}: totalCount }
        }
        fragment ${name} on Profile { ${name}2: tenant { ${name}: name } }`,
        { [`${name}x`]: 3 },
      );
      expect(answer).toContain(`{"data":{"${name}":{"${name}":{"${name}":"`);
    }
  });

  it('as a value', async () => {
    for (const text of [
      `"+process.exit()+"`,
      '`${process.exit()}`',
      '\u2028\u2029\u0000',
      '}; process.exit(); ({',
      "');//",
    ]) {
      const literal = JSON.stringify(text).replaceAll('\u2028', '\\u2028');
      await compiledAnswer(`{ customers(filter: { q: ${literal} }) { totalCount } }`);
      await compiledAnswer(`query ($q: String = ${literal}) { customers(filter: { q: $q }) { totalCount } }`);
      await compiledAnswer('query ($q: String) { customers(filter: { q: $q }) { totalCount } }', { q: text });
    }
  });

  it('as it is generated only from the names of the data model', async () => {
    const generated: string[] = [];
    const { Function: original } = globalThis;
    globalThis.Function = new Proxy(original, {
      construct: (target, parts: string[]) => {
        generated.push(...parts);
        return Reflect.construct(target, parts) as object;
      },
    });
    try {
      // A new combination of columns, so its decoder is generated.
      await compiledAnswer(
        `query clientText1($clientText2: Int) {
          clientText3: bankTransactions(first: $clientText2) { clientText4: nodes { clientText5: id ...clientText6 } }
          clientText7: receipts(filter: { q: "clientText8" }) { nodes { supplier { id projects: __typename } payments { nodes { id } } } }
        }
        fragment clientText6 on BankTransaction { matches { id } }`,
        { clientText2: 2 },
      );
    } finally {
      globalThis.Function = original;
    }
    expect(generated).not.toEqual([]);
    expect(generated.join()).not.toContain('clientText');

    const sources = ['src/server/graphql', 'schema', 'rest-shim', 'prisma'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
        .map((file) => `${folder}/${file}`),
    );
    const generating = sources.filter((file) =>
      /\bnew Function\b|\beval\(|\brunIn\w*Context\(/.test(readFileSync(file, 'utf8')),
    );
    expect(generating).toEqual(['prisma/query-compiler/decode.ts']);
  });
});

describe('a repeated query', () => {
  /** The executors that resolved `me`, in order. */
  const by: ('yoga' | 'compiled')[] = [];
  beforeAll(() => {
    const { me } = service.domain.schema.getQueryType()!.getFields();
    const { resolve } = me!;
    me!.resolve = (parent, args, requestContext, info) => {
      by.push('params' in requestContext ? 'yoga' : 'compiled'); // Yoga adds the request's parameters to the context
      return resolve?.(parent, args, requestContext, info);
    };
    // Other files' services have the same schema.
    return () => void (me!.resolve = resolve);
  });

  const post = (body: object, headers: Record<string, string> = {}) =>
    service.request('POST', '/graphql', { body, headers: { authorization: `Bearer ${acme.token}`, ...headers } });
  const plain = ({ status, headers, text }: Answer) => {
    const compared = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
    return { status, headers: Object.fromEntries(compared), text };
  };
  const lastOf = async (body: object, headers?: Record<string, string>): Promise<[string, Answer]> => {
    by.length = 0;
    const answer = await post(body, headers);
    return [by.join(' then '), answer];
  };
  /** Sends a document until it is answered compiled. */
  async function compile(body: object): Promise<void> {
    for (let sent = 0; sent < 100; sent++) if ((await lastOf(body))[0] === 'compiled') return;
    throw new Error('It is not compiled');
  }

  it('is compiled after its third request, and not before', async () => {
    const query = '{ neverSentBefore: me { user { id } } }';
    const ways: string[] = [];
    for (let sent = 0; sent < 5; sent++) ways.push((await lastOf({ query }))[0]);
    expect(ways).toEqual(['yoga', 'yoga', 'yoga', 'compiled', 'compiled']);
  });

  it.each([
    ['any type', '*/*', 'compiled'],
    ['JSON', 'application/json', 'compiled'],
    ['GraphQL as our dashboard', 'application/graphql-response+json, application/json, text/event-stream', 'compiled'],
    ['JSON, weighed', 'application/json;q=0.9,application/graphql-response+json', 'compiled'],
    ['in capitals', 'Application/JSON', 'yoga'],
    ['another charset', 'application/json; charset=latin1, application/json', 'yoga'],
    ['events first', 'text/event-stream, application/json', 'yoga'],
  ])('is answered with the same headers: %s', async (_what, accept, way) => {
    await compile({ query: '{ me { user { id } } }' });
    const again = await lastOf({ query: '{ me { user { id } } }' }, { accept });
    const [, once] = await lastOf({ query: `{ me { user { id } } } # once, ${accept}` }, { accept });
    expect(again[0]).toBe(way);
    expect(plain(again[1])).toEqual(plain(once));
    expect(again[1].headers.get('x-request-id')).not.toBe(once.headers.get('x-request-id'));
  });

  it('is rejected like the first time: limits, variables, parameters, operations', async () => {
    const query = `query A($first: Int) { me { user { id } } customers(first: $first) { nodes { invoices(first: $first) {
      nodes { id items { id title } } } } } } query B { me { tenant { id } } }`;
    await compile({ query, operationName: 'A', variables: { first: 1 } });
    const requests = [
      { operationName: 'A', variables: { first: 1 } },
      { operationName: 'A', variables: { first: 100 } }, // over the limit
      { operationName: 'A', variables: { first: 'one' } },
      { operationName: 'A', variables: { first: -1 } },
      { operationName: 'A', variables: 'none' },
      { operationName: 'A', variables: { first: 1 }, more: true },
      { operationName: 'B' },
      { operationName: 'C' },
      {},
    ];
    for (const [at, one] of requests.entries()) {
      const again = await lastOf({ query, ...one });
      const once = await lastOf({ query: `${query} # ${at}`, ...one });
      expect({ one, answer: plain(again[1]) }).toEqual({ one, answer: plain(once[1]) });
    }
  });

  const words = Array.from({ length: 80 }, (_, n) => (n + 36).toString(36)).join(' '); // as many as 255 characters have
  it.each([
    ['a text in a filter', '$v: String', 'filter: { or: [{ q: $v }, { q: $v }] }', 'a', words, 3],
    ['a filter', '$v: InvoiceFilter', 'filter: $v', {}, { or: [{ q: words }] }, 5],
    [
      'a list of an order',
      '$v: [InvoiceOrder!]',
      'filter: { number: { eq: "x" } }, orderBy: $v',
      [],
      [{ field: 'SUBJECT', direction: 'ASC' }],
      18,
    ],
    [
      'the field of an order',
      '$v: InvoiceOrderField!',
      'filter: { number: { eq: "x" } }, orderBy: { field: $v, direction: ASC }',
      'NUMBER',
      'SUBJECT',
      18,
    ],
  ])('is refused where a variable makes it too costly: %s', async (_what, variable, args, cheap, costly, lists) => {
    const all = Array.from(
      { length: lists },
      (_, n) => `l${n}: invoices(first: 100, ${args}) { nodes { id number currency } }`,
    );
    const query = `query (${variable}) { me { user { id } } ${all.join(' ')} }`;
    await compile({ query, variables: { v: cheap } });
    for (let sent = 0; sent < 2; sent++) {
      const [, { body }] = await lastOf({ query, variables: { v: costly } });
      expect(body.errors?.[0]).toMatchObject({ extensions: { code: 'TOO_COSTLY' } });
    }
  });

  it('is executed again by Yoga if a field fails, with Yoga’s answer', async () => {
    const body = { query: 'query ($id: UUID!) { me { user { id } } invoice(id: $id) { id } }' };
    await compile({ ...body, variables: { id: ids['Invoice']![0] } });
    const unknown = { ...body, variables: { id: '0190a1b2-c3d4-7000-8000-000000000000' } };
    const [way, answer] = await lastOf(unknown);
    expect(way).toBe('compiled then yoga');
    expect(answer.body.errors).toMatchObject([{ path: ['invoice'], extensions: { code: 'NOT_FOUND' } }]);
    expect(answer.text).toBe((await post({ ...unknown, query: `${body.query} # once` })).text);
  });
});
