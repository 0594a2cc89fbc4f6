import fc from 'fast-check';
import { getNamedType, isEnumType, isInputObjectType, type GraphQLEnumValue, type GraphQLField } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { anyCharacter } from '../characters.ts';
import { makeCustomer, makeInvoice, makeProject } from '../graphql/books.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { createApiValidator, description } from '../openapi/description.ts';

// Cursors are opaque, but anybody can read and change them: whatever they say is answered, and never by an internal error.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  await makeCustomer(acme);
  await makeProject(acme);
  await makeInvoice(acme, { status: 'ISSUED' });
});
afterAll(() => service.close());

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** The ends of what the numbers, ids, and texts of a cursor can be, and what is just beyond them. */
const numbers = [0, -1, 1, 2 ** 31 - 1, 2 ** 31, 1e9, 1e9 + 1, 2 ** 53, -(2 ** 53), 1e308, 0.5];
const wholeNumbers = [
  '0',
  '00',
  '-1',
  '1e3',
  '',
  ...[31n, 32n, 53n, 63n, 64n].flatMap((bits) => [2n ** bits - 1n, 2n ** bits, 2n ** bits + 1n]).map(String),
  '9'.repeat(19),
  '9'.repeat(400),
];
const ids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-FFFF-7FFF-BFFF-FFFFFFFFFFFF', // the latest time of UUIDv7
  '00000000-0000-7000-8000-000000000000',
];
const values = [
  '-999999999999999999.99999',
  '999999999999999999',
  '0.00001',
  'NaN',
  'Infinity',
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
  '10000-01-01',
  '2026-02-30',
  '-000001-01-01',
  '+275760-09-13',
  '\0',
  '\ud800',
  'x'.repeat(10_000),
  '%_\\',
  "';--",
];

/** Values that look like a text, a day, or a number, and can't be one. */
const impossible = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  'NaN',
  'Infinity',
  String(2n ** 31n), // of an integer
  '9'.repeat(12),
  '9'.repeat(400),
  '0000-01-01',
  '2026-02-30',
  '-000001-01-01',
  '+275760-09-13',
];

const anything = fc.oneof(
  fc.constantFrom<unknown>(...numbers, ...wholeNumbers, ...values, ...ids, null, true, [], {}),
  fc.bigInt().map(String),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);
const anyId = fc.oneof({ weight: 3, arbitrary: fc.constantFrom<unknown>(...ids) }, fc.uuid(), anything);

/** A row's position in a list, in an order of one field or of two. */
const positions = (marks: readonly string[]) =>
  fc.oneof(
    anyId.map(encode),
    fc.tuple(fc.constantFrom(...marks, ''), anyId, anything).map(encode),
    fc.tuple(fc.constantFrom(...marks, ''), anyId, anything, anything).map(encode),
    fc.array(anything, { maxLength: 5 }).map(encode),
    fc.string(),
  );

const expectNoFault = ({ status, text }: Answer, of: string): void => {
  expect([of, status, text]).toEqual([
    of,
    expect.toSatisfy((code: number) => code < 500),
    expect.not.stringContaining('INTERNAL'),
  ]);
};

/** Asks for each value, several at a time. */
const check = (arbitrary: fc.Arbitrary<string>, runs: number, ask: (value: string) => Promise<Answer>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(arbitrary, { minLength: 8, maxLength: 8 }), async (several) => {
      const answers = await Promise.all(several.map(ask));
      for (const [index, answer] of answers.entries()) expectNoFault(answer, several[index] ?? '');
    }),
    { numRuns: runs / 8 },
  );

const pages = routes.filter(([method, , , answer]) => method === 'GET' && answer === 'page').map(([, path]) => path);
const api = description();
const { resolve } = createApiValidator(api);
/** The names of a list's parameters in the query. */
const parametersOf = (path: string): Set<string> => {
  const { parameters = [] } = api.paths[path.replace(':id', '{id}')]?.['get'] ?? {};
  return new Set(parameters.map(resolve).flatMap(({ name, in: where }) => (where === 'query' ? [name] : [])));
};

describe('REST', () => {
  const links = fc.oneof(
    fc
      .tuple(
        fc.constantFrom<unknown>(1, 2, ...numbers),
        fc.constantFrom<unknown>(25, 100, ...numbers),
        fc.oneof(
          positions(['x']).map((at): unknown => ({ after: at })),
          positions(['x']).map((at): unknown => ({ before: at })),
          anything,
        ),
      )
      .map(encode),
    fc.string(),
  );

  // All lists read links by the same code. What is a list's own is the cursor inside.
  it.each(pages)('%s answers any cursor of a link', (path) =>
    check(links, 64, (cursor) => acme.rest('GET', `${path}?${new URLSearchParams({ cursor })}`)),
  );

  it.each(pages)('%s answers any page, size, and time', async (path) => {
    const known = parametersOf(path);
    const names = ['page', 'per_page', 'updated_since', 'from', 'to', 'since', 'issued_from'];
    const times = [
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+14:00',
      '9999-12-31T23:59:59.999999999Z',
      '+275760-09-13T00:00:00Z',
      '-000001-01-01T00:00:00Z',
    ];
    const ask = async (name: string, value: string): Promise<void> =>
      expectNoFault(await acme.rest('GET', `${path}?${new URLSearchParams({ [name]: value })}`), `${name} ${value}`);
    const texts = [...wholeNumbers, ...values, ...times].map((each) => each.slice(0, 2000));
    for (const text of texts) await Promise.all(names.filter((name) => known.has(name)).map((name) => ask(name, text)));
    // A parameter that a list doesn't have is not read.
    await Promise.all(names.filter((name) => !known.has(name)).map((name) => ask(name, '0000-01-01')));
  });

  it('the change feed answers any cursor', async () => {
    const { cursor } = (await acme.rest('GET', '/changes')).body.meta;
    const [, epoch, issuedAt, names] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    for (const position of [...wholeNumbers, ...numbers])
      for (const [at, time] of [
        [epoch, issuedAt],
        [position, issuedAt],
        [epoch, position],
      ])
        expectNoFault(
          await acme.rest('GET', `/changes?since=${encode([position, at, time, names])}`),
          String(position),
        );
    expect(
      (await acme.rest('GET', `/changes?since=${encode([String(2n ** 63n), epoch, issuedAt, names])}`)).status,
    ).toBe(422);
    const forged = fc
      .tuple(
        anything,
        fc.oneof(fc.constant(epoch as unknown), anything),
        fc.oneof(fc.constant(issuedAt as unknown), anything),
        fc.oneof(fc.constant(names as unknown), anything),
      )
      .map(encode);
    await check(fc.oneof(forged, fc.string()), 160, (since) =>
      acme.rest('GET', `/changes?${new URLSearchParams({ since })}`),
    );
  });
});

describe('GraphQL', () => {
  it('every list answers any cursor, in any order', async () => {
    const fields = Object.values<GraphQLField<unknown, unknown>>(
      service.domain.schema.getQueryType()?.getFields() ?? {},
    );
    const lists = fields.filter(({ args }) => args.some(({ name }) => name === 'after'));
    expect(lists.length).toBeGreaterThanOrEqual(10);
    for (const { name, args } of lists) {
      const orders = orderFields(args.find((each) => each.name === 'orderBy')?.type);
      const marks = orders.flatMap((field) => ['ASC', 'DESC'].map((direction) => writeMark(field, direction)));
      const ordered = args.find((each) => each.name === 'orderBy')?.type;
      const ask = (mark: string, at: string, side: string): Promise<Answer> => {
        const orderBy = mark === '' ? [] : mark.split(', ').map((each) => readMark(each));
        // Half of them are read from the row's side of the order that its cursor names.
        const size = side === 'after' ? 'first' : 'last';
        // The order in a variable, as the service parses and validates each text once.
        const [declared, order] = ordered ? [`, $orderBy: ${String(ordered)}`, ', orderBy: $orderBy'] : ['', ''];
        return acme.graphqlAnswer(
          `query ($at: String!${declared}) { ${name}(${size}: 2, ${side}: $at${order}) { totalCount nodes { id } } }`,
          { at, ...(ordered && { orderBy }) },
        );
      };
      for (const [index, field] of orders.entries()) {
        // A value is read in the same way in both directions.
        const answers = impossible.map((value, place) => {
          const mark = writeMark(field, (index + place) % 2 === 0 ? 'ASC' : 'DESC');
          return ask(mark, encode([mark, ids[0], value]), 'after');
        });
        for (const answer of await Promise.all(answers)) expectNoFault(answer, `${name} ${field.name}`);
      }
      const pairs = marks.flatMap((mark, index) => {
        const other = marks[(index + 3) % marks.length];
        return other === mark ? [] : [`${mark}, ${other}`];
      });
      const all = [...marks, ...pairs];
      const of = fc.record({
        mark: fc.constantFrom(...all, ''),
        at: positions(all),
        side: fc.constantFrom('after', 'before'),
      });
      await check(
        of.map((each) => JSON.stringify(each)),
        80,
        (text) => {
          const { mark, at, side } = JSON.parse(text) as { mark: string; at: string; side: string };
          return ask(mark, at, side);
        },
      );
    }
  });

  it('the change feed answers any cursor', async () => {
    const { changes } = await acme.graphql('{ changes { cursor } }');
    const [, epoch, issuedAt, names] = JSON.parse(Buffer.from(changes.cursor, 'base64url').toString());
    for (const position of wholeNumbers)
      expectNoFault(
        await acme.graphqlAnswer('query ($since: String!) { changes(since: $since) { cursor hasMore nodes { id } } }', {
          since: encode([position, epoch, issuedAt, names]),
        }),
        position,
      );
  });
});

/** The part of a cursor that names its order. */
const writeMark = (field: GraphQLEnumValue, direction: string): string =>
  `${field.name} ${direction}${field.description?.includes('regardless of case') ? ' by words' : ''}`;

const readMark = (mark: string): { field: string; direction: string } => {
  const [field = '', direction = ''] = mark.split(' ');
  return { field, direction };
};

function orderFields(type: unknown): readonly GraphQLEnumValue[] {
  const input = type === undefined ? undefined : getNamedType(type as never);
  const field = isInputObjectType(input) ? getNamedType(input.getFields()['field']?.type) : undefined;
  return isEnumType(field) ? field.getValues() : [];
}
