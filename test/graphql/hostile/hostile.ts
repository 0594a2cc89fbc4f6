import { aliasedQuery, type Random } from './hostile-aliases.ts';

// Generates hostile documents. The same seed gives the same document.

export interface Hostile {
  family: string;
  body: string;
  /** The media type, unless it is JSON. */
  type?: string;
  /** The tested input. */
  about?: string;
}

/** Random integers below `max`. The same seed gives the same sequence. */
export function random(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return (max) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x3c6ef35f) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % max;
  };
}

const times = (count: number, make: (index: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_each, index) => make(index)).join(between);

const me = '{ me { user { id } } }';
const full = `fragment T on __Type { name fields { name args { name type { name } } type { name } } enumValues { name } }`;
const lists = ['customers', 'invoices', 'receipts', 'projects', 'timeEntries', 'bankTransactions'];
const rubbish = [
  '\u0000',
  '\ud800',
  '\u202e',
  '🦆',
  '\ufeff',
  '"""',
  '"\\u{110000}"',
  '#',
  '\r',
  '&',
  '\u2028',
  '...',
  '$',
  '@',
  '!',
  '{',
  '}',
  '[',
  ']',
  '1e9999',
  '-',
  '0x1',
];
const page = 'id invoices(first: 100) { nodes { id items { id title } } }';

// Counts range from accepted ones to many times the limit.
const families: Record<string, (r: Random) => { query: unknown; variables?: unknown; operationName?: unknown }> = {
  deep: (r) => {
    const levels = 1 + r(600);
    return {
      query: `{ customers { nodes { ${times(levels, () => 'invoices { nodes { customer {')} id ${times(levels, () => '} } }')} } } }`,
    };
  },
  wide: (r) => ({ query: `{ me { user { ${times(1 + r(3000), () => 'id')} } } }` }),
  aliased: (r) => ({
    query: `{ ${times(1 + r(400), (index) => `a${index}: ${lists[r(lists.length)]}(first: 100) { totalCount nodes { id } }`)} }`,
  }),
  'aliased mutations': (r) => ({
    query: `mutation { ${times(1 + r(200), (index) => `a${index}: deleteCustomer(id: "0190a1b2-c3d4-7000-8000-000000000000") { id }`)} }`,
  }),
  'fragment bomb': (r) => {
    const count = 1 + r(120);
    const fragment = (index: number) =>
      `fragment f${index} on Profile { ${times(1 + r(4), () => `...f${index + 1}`)} user { id } }`;
    return { query: `{ me { ...f0 } } ${times(count, fragment)} fragment f${count} on Profile { user { id } }` };
  },
  'cyclic fragments': (r) => {
    const count = 1 + r(120);
    return {
      query: `{ me { ...f0 } } ${times(count, (index) => `fragment f${index} on Profile { ...f${(index + 1) % count} ...f${r(count)} }`)}`,
    };
  },
  'directive flood': (r) => ({
    query: `{ me ${times(1 + r(1000), () => ['@include(if: true)', '@skip(if: false)', '@nothing'][r(3)]!)} { user { id } } }`,
  }),
  'huge literal': (r) => ({ query: `{ customers(filter: { q: "${'x'.repeat(r(900_000))}" }) { totalCount } }` }),
  'huge number': (r) => ({ query: `{ customers(first: ${'9'.repeat(1 + r(100_000))}) { totalCount } }` }),
  'unicode rubbish': (r) => ({
    query: `{ me { ${times(r(60), () => rubbish[r(rubbish.length)]!, r(2) === 0 ? '' : ' ')} } }`,
  }),
  'rubbish inside text': (r) => ({
    query: `{ customers(filter: { q: ${JSON.stringify(times(r(200), () => rubbish[r(rubbish.length)]!, ''))} }) { totalCount } }`,
  }),
  'variables bomb': (r) => {
    const count = 1 + r(700);
    const variables = Object.fromEntries(Array.from({ length: count }, (_each, index) => [`v${index}`, index]));
    return {
      query: `query (${times(count, (index) => `$v${index}: Int`)}) { customers(first: $v0) { totalCount } }`,
      variables,
    };
  },
  'variables nested': (r) => {
    const depth = 1 + r(50_000);
    const input = JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`) as unknown;
    return {
      query: 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      variables: { input },
    };
  },
  'variables many': (r) => ({
    query: 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }',
    variables: { input: { items: Array.from({ length: r(20_000) }, () => ({ title: r(9) })) } },
  }),
  'introspection bomb': (r) => ({
    query: `{ ${times(1 + r(6), (index) => `a${index}: __schema { ${times(1 + r(30), (more) => `b${more}: types { ...T }`)} }`)} } ${full}`,
  }),
  'introspection deep': (r) => {
    const levels = 1 + r(200);
    return {
      query: `{ __schema { types { ${times(levels, () => 'fields { type {')} name ${times(levels, () => '} }')} } } }`,
    };
  },
  overlapping: (r) => {
    const count = 1 + r(250);
    return { query: `{ ${times(count, () => `${lists[0]} { nodes { invoices { nodes { id } } } }`)} }` };
  },
  'overlapping fragments': (r) => {
    const count = 1 + r(150);
    return {
      query: `{ me { ${times(count, (index) => `...f${index}`)} } } ${times(count, (index) => `fragment f${index} on Profile { user { id } user { name } }`)}`,
    };
  },
  'conflicting fields': (r) => ({
    query: `{ me { ${times(1 + r(200), (index) => `x: user { y${index % 3}: id }`)} x: tenant { id } } }`,
  }),
  'pages of pages': (r) => ({
    query: `query ($n: Int) { customers(first: $n) { nodes { ${times(1 + r(4), () => page)} } } }`,
    variables: { n: [100, 1, -1, 2 ** 31, null][r(5)] },
  }),
  'nested lists': (r) => {
    const depth = 1 + r(1200);
    return { query: `{ customers(first: ${'['.repeat(depth)}${r(2) === 0 ? ']'.repeat(depth) : ''}) { totalCount } }` };
  },
  'nested objects': (r) => {
    const depth = 1 + r(800);
    return { query: `mutation { createCustomer(input: ${'{a:'.repeat(depth)}1${'}'.repeat(depth)}) { id } }` };
  },
  'nested filters': (r) => {
    const depth = 1 + r([20, 40, 5000][r(3)]!);
    const inner = '{ q: "x" }';
    const literal = times(depth, (index) => (index % 2 ? '{ and: [' : '{ or: ['), '') + inner + ']}'.repeat(depth);
    const filter = JSON.parse(`${'{"or": ['.repeat(depth)}{"q": "x"}${']}'.repeat(depth)}`) as unknown;
    return r(2) === 0
      ? {
          query: `{ customers { nodes { invoices(filter: ${literal}) { totalCount } } } invoices(filter: ${literal}) { totalCount } }`,
        }
      : { query: 'query ($f: InvoiceFilter) { invoices(filter: $f) { totalCount } }', variables: { f: filter } };
  },
  'results of bulk operations': (r) => {
    const cursor = [null, Buffer.from(`${r(3)} ${r(3)}`).toString('base64url'), rubbish[r(rubbish.length)]][r(3)];
    const list = `results(failed: ${r(2) === 0}, first: ${1 + r(120)}, after: $after) { nodes { line details { params } } }`;
    return {
      query: `query ($after: String) { bulkOperations(first: ${1 + r(110)}) { nodes { ${times(1 + r(20), (at) => `r${at}: ${list}`)} } } }`,
      variables: { after: cursor },
    };
  },
  'wide filters': (r) => {
    const widths = [1 + r(60), 1 + r(4)];
    const all = (level: number): object =>
      level === widths.length
        ? {
            subject: { contains: '%_\\'.repeat(r(90)) },
            customer: { city: { in: Array.from({ length: r(150) }, () => 'x') } },
          }
        : { [r(2) === 0 ? 'or' : 'and']: Array.from({ length: widths[level]! }, () => all(level + 1)) };
    const field = ['invoices(filter: $f, first: 100)', 'customers { nodes { invoices(filter: $f) { totalCount } } }'][
      r(2)
    ]!;
    const query = `query ($f: InvoiceFilter) { ${field.includes('{') ? field : `${field} { totalCount }`} }`;
    return { query, variables: { f: all(0) } };
  },
  'many orders': (r) => ({
    query: `{ invoices(orderBy: [${times(r(60), () => `{ field: ${['SUBJECT', 'NUMBER', 'AMOUNT_DUE', 'CREATED_AT'][r(4)]}, direction: ${['ASC', 'DESC'][r(2)]} }`)}], offset: ${r(3) * 5000}) { nodes { id } } }`,
  }),
  'inline fragments': (r) => {
    const depth = 1 + r(600);
    return { query: `{ me { ${'... on Profile { '.repeat(depth)} user { id } ${'}'.repeat(depth)} } }` };
  },
  'many operations': (r) => ({
    query: times(1 + r(300), (index) => `query q${index} ${me}`),
    operationName: ['q0', 'q1', '', 7, null][r(5)],
  }),
  'cut off': (r) => ({
    query:
      `query q($a: Int = 1) @skip(if: false) { a: customers(first: $a) { ...F @include(if: true) } } fragment F on CustomerConnection { nodes { id } }`.slice(
        0,
        r(150),
      ),
  }),
  'names of JavaScript': (r) => ({ query: aliasedQuery(r) }),
  'no query': (r) => ({ query: [null, 1, [], {}, true, ''][r(6)], variables: [null, 1, [], 'x', {}][r(5)] }),
};

const names = Object.keys(families);

export function hostileDocument(seed: number): Hostile {
  const r = random(seed);
  const family = names[seed % names.length]!;
  const body = JSON.stringify(families[family]!(r));
  // Some are invalid JSON.
  return { family, body: r(50) === 0 ? body.slice(0, r(body.length)) : body };
}
