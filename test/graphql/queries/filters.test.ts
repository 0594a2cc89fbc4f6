import fc from 'fast-check';
import {
  getNamedType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  isEnumType,
  type GraphQLInputObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getTable } from '../../../prisma/tables.ts';
import { resources } from '../../../schema/resource-list.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { refusal } from '../books.ts';
import { fillBooks, filtersOf, finds, lists, today, type Row } from './filter-model.ts';

// Every list is filtered and ordered at random, by what its schema says. What must be found is computed here from all rows; the
// order is PostgreSQL's own, by hand-written SQL.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  service.clock.now = today;
  acme = await service.integrator();
  await service.integrator().then(fillBooks); // another tenant's rows, the same ones
  await fillBooks(acme);
});
afterAll(() => service.close());

const inputType = (name: string): GraphQLInputObjectType => {
  const type = service.domain.schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  return type;
};

const orderFields = (type: string): string[] => {
  const fields = service.domain.schema.getType(`${type}OrderField`);
  return isEnumType(fields) ? fields.getValues().map(({ name }) => name) : [];
};

/** The order of rows by hand-written SQL. */
async function sortIds(
  type: string,
  ids: string[],
  orderBy: { field: string; direction: string }[],
): Promise<string[]> {
  const { table, fields } = getTable(type as never);
  const columns = orderBy.map(({ field, direction }) => {
    const name = field.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const column = fields.get(name);
    if (field === 'CREATED_AT' || column?.kind !== 'column') return `id ${direction}`;
    return `${column.isWords ? `search_fold(${column.column}) collate "C"` : column.column} ${direction}`;
  });
  const { rows } = await service.pool.query<{ id: string }>(
    `select id from ${table} where tenant_id = $1 and id = any ($2)
     order by ${[...columns, `id ${orderBy.at(-1)?.direction ?? 'desc'}`].join(', ')}`,
    [acme.tenantId, ids],
  );
  return rows.map(({ id }) => id);
}

async function walk(list: string, type: string, variables: object, size: number, way: 'first' | 'last') {
  const document = `query ($filter: ${type}Filter, $orderBy: [${type}Order!], $first: Int, $last: Int, $after: String, $before: String) {
    list: ${list}(filter: $filter, orderBy: $orderBy, first: $first, last: $last, after: $after, before: $before) {
      totalCount nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    }
  }`;
  const ids: string[] = [];
  let totalCount = 0;
  for (let position = {}, step = 0; step < 50; step++) {
    const page = (await acme.graphql(document, { ...variables, [way]: size, ...position })).list;
    const found = page.nodes.map(({ id }: Row) => id);
    ids.push(...(way === 'first' ? found : found.toReversed()));
    totalCount = page.totalCount;
    if (!(way === 'first' ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage)) return { ids, totalCount };
    position = way === 'first' ? { after: page.pageInfo.endCursor } : { before: page.pageInfo.startCursor };
  }
  throw new Error('The walk does not end');
}

describe.each(Object.keys(lists))('%s', (list) => {
  const { type, rows: readRows } = lists[list]!;

  it('finds what any filter says, in any order, on pages of any size', async () => {
    const rows = (await readRows(acme.db)) as Row[];
    const of = inputType(`${type}Filter`);
    const orders = fc.array(
      fc.record({ field: fc.constantFrom(...orderFields(type)), direction: fc.constantFrom('ASC', 'DESC') }),
      { maxLength: 3 },
    );
    let several = 0;
    await fc.assert(
      fc.asyncProperty(
        filtersOf(of, rows, 2),
        orders,
        fc.integer({ min: 2, max: 7 }),
        fc.constantFrom('first' as const, 'last' as const),
        async (filter, orderBy, size, way) => {
          const wanted = rows.filter((row) => finds(of, row, filter)).map(({ id }) => id);
          if (wanted.length > 0 && wanted.length < rows.length) several += 1;
          const sorted = await sortIds(type, wanted, orderBy);
          const { ids, totalCount } = await walk(list, type, { filter, orderBy }, size, way);
          expect(ids).toEqual(way === 'first' ? sorted : sorted.toReversed());
          expect(totalCount).toBe(wanted.length);
        },
      ),
      { numRuns: 60 },
    );
    expect(several).toBeGreaterThan(0);
  });

  it('can be filtered and ordered by each column that the type shows', () => {
    const shown = service.domain.schema.getType(type);
    if (!isObjectType(shown)) throw new Error(`${type} is no object`);
    const { fields } = getTable(type as never);
    const columns = Object.values(shown.getFields()).filter((field) => {
      const column = fields.get(field.name);
      const isValue = isScalarType(getNamedType(field.type)) || isEnumType(getNamedType(field.type));
      return column?.kind === 'column' && !column.isList && isValue && field.name !== 'sha256'; // bytes have no comparisons
    });
    const filters = inputType(`${type}Filter`).getFields();
    const comparators = Object.values(filters).filter((each) => fields.get(each.name)?.kind === 'column');
    expect(comparators.map(({ name }) => name).toSorted()).toEqual(columns.map(({ name }) => name).toSorted());
    const sortable = columns.filter(
      ({ name, type: of }) => !/^(UUID|ID|Metadata)!?$/.test(String(of)) && name !== 'description',
    );
    const toName = (name: string): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();
    expect(orderFields(type).toSorted()).toEqual(
      [...new Set(['CREATED_AT', ...sortable.map(({ name }) => toName(name))])].toSorted(),
    );
  });
});

it('every resource, and every list that can be filtered and ordered, is among them', () => {
  const types = new Set(Object.values(lists).map(({ type }) => type));
  for (const { model } of resources) expect(types).toContain(model);
  const fields = Object.values(service.domain.schema.getQueryType()?.getFields() ?? {}).filter(({ args, type }) => {
    const names = new Set(args.map(({ name }) => name));
    return names.has('filter') && names.has('orderBy') && getNamedType(type).name.endsWith('Connection');
  });
  expect(fields.map(({ name }) => name).toSorted()).toEqual(Object.keys(lists).toSorted());
});

it.each([
  ['invoices', 'EXCHANGE_RATE'],
  ['creditNotes', 'EXCHANGE_RATE'],
  ['exports', 'LENGTH'],
])('continues after each value of %s by %s', async (list, field) => {
  const { type, rows } = lists[list]!;
  const ids = ((await rows(acme.db)) as Row[]).map(({ id }) => id);
  for (const direction of ['ASC', 'DESC']) {
    const orderBy = [{ field, direction }];
    const sorted = await sortIds(type, ids, orderBy);
    expect((await walk(list, type, { orderBy }, 1, 'first')).ids).toEqual(sorted);
  }
});

it('shows overdue invoices of customers in Austria, the largest first, in one field', async () => {
  const { invoices } = await acme.graphql(`{
    invoices(
      filter: { isOverdue: { eq: true }, customer: { country: { eq: "AT" } } }
      orderBy: [{ field: AMOUNT_DUE, direction: DESC }, { field: NUMBER, direction: ASC }]
    ) { nodes { amountDue isOverdue customer { country } } }
  }`);
  const due = invoices.nodes.map(({ amountDue }: { amountDue: string }) => Number(amountDue));
  expect(due.length).toBeGreaterThan(1);
  expect(due).toEqual(due.toSorted((a: number, b: number) => b - a));
  for (const node of invoices.nodes) expect(node).toMatchObject({ isOverdue: true, customer: { country: 'AT' } });
});

it('filters and orders lists within a resource, with their totals', async () => {
  const filter = { status: { in: ['ISSUED', 'PAID'] }, amountDue: { gt: '0' } };
  const orderBy = [
    { field: 'AMOUNT_DUE', direction: 'ASC' },
    { field: 'CURRENCY', direction: 'DESC' },
  ];
  const { customers } = await acme.graphql(
    `query ($filter: InvoiceFilter, $orderBy: [InvoiceOrder!]) {
      customers { nodes { id invoices(filter: $filter, orderBy: $orderBy, first: 1) {
        totalCount nodes { id } pageInfo { hasNextPage endCursor }
      } } }
    }`,
    { filter, orderBy },
  );
  const rows = (await lists['invoices']!.rows(acme.db)) as Row[];
  const of = inputType('InvoiceFilter');
  for (const { id, invoices } of customers.nodes) {
    const wanted = rows.filter((row) => row['customerId'] === id && finds(of, row, filter)).map((row) => row.id);
    const sorted = await sortIds('Invoice', wanted, orderBy);
    expect(invoices.totalCount).toBe(wanted.length);
    expect(invoices.nodes.map((node: Row) => node.id)).toEqual(sorted.slice(0, 1));
    if (!invoices.pageInfo.hasNextPage) continue;
    const rest = await acme.graphql(
      `query ($id: UUID!, $after: String, $filter: InvoiceFilter, $orderBy: [InvoiceOrder!]) {
        customer(id: $id) { invoices(filter: $filter, orderBy: $orderBy, after: $after) { nodes { id } } }
      }`,
      { id, filter, orderBy, after: invoices.pageInfo.endCursor },
    );
    expect(rest.customer.invoices.nodes.map((node: Row) => node.id)).toEqual(sorted.slice(1));
  }
});

it.each([
  'totalCount',
  'pageInfo { startCursor hasNextPage }',
  'edges { cursor }',
  'nodes { id }',
  'nodes { number } totalCount',
  '__typename',
])('orders by a generated column whatever is selected: %s', async (selection) => {
  const args =
    '(first: 2, orderBy: [{ field: AMOUNT_DUE, direction: DESC }, { field: AMOUNT_TO_REFUND, direction: ASC }])';
  const { invoices, customers } = await acme.graphql(
    `{ invoices${args} { ${selection} } customers { nodes { invoices${args} { ${selection} } } } }`,
  );
  expect(Object.keys(invoices)).not.toEqual([]);
  expect(customers.nodes).toHaveLength(6);
});

describe('refuses', () => {
  const refused = async (filter: unknown, list = 'invoices', type = 'Invoice') =>
    refusal(
      await acme.graphqlAnswer(`query ($filter: ${type}Filter) { ${list}(filter: $filter) { totalCount } }`, {
        filter,
      }),
    );

  it.each([
    ['null', { status: { eq: null } }, { 'filter.status.eq': ['Must not be null.'] }],
    ['no comparisons at all', { status: null }, { 'filter.status': ['Must not be null.'] }],
    [
      'a period without a day',
      { and: [{ invoiceDate: { gte: '2026-02-01', lte: '2026-01-31' } }] },
      {
        'filter.and.0.invoiceDate.gte': ['Must not be after the last day.'],
        'filter.and.0.invoiceDate.lte': ['Must not be before the first day.'],
      },
    ],
    ['more than 100 values', { number: { in: Array(101).fill('1') } }, { 'filter.number.in': [expect.any(String)] }],
    ['a long text', { number: { contains: 'x'.repeat(256) } }, { 'filter.number.contains': [expect.any(String)] }],
    ['a NUL character', { customer: { city: { in: ['a\0'] } } }, { 'filter.customer.city.in': [expect.any(String)] }],
    [
      '21 pairs of metadata',
      { metadata: { contains: Object.fromEntries([...Array(21).keys()].map((n) => [n, 'x'])) } },
      { 'filter.metadata.contains': ['Must not have more than 20 pairs.'] },
    ],
    [
      'metadata that is null',
      { metadata: { contains: { a: null } } },
      { 'filter.metadata.contains': ['The value of "a" must be a string.'] },
    ],
    ['no alternatives', { or: [] }, { 'filter.or': [expect.any(String)] }],
    ['too many alternatives', { or: Array.from({ length: 21 }, () => ({})) }, { 'filter.or': [expect.any(String)] }],
    [
      'too many comparisons',
      { or: Array.from({ length: 17 }, () => ({ number: { eq: '1', neq: '2', in: ['3'] } })) },
      { filter: ['Must not have more than 50 comparisons.'] },
    ],
  ])('%s', async (_what, filter, errors) => {
    expect(await refused(filter)).toMatchObject({ code: 'VALIDATION_FAILED', errors });
  });

  it('the same in a list within a resource, whose filter is read before its arguments are checked', async () => {
    const answer = await acme.graphqlAnswer(
      'query ($filter: InvoiceFilter) { customers { nodes { invoices(filter: $filter) { nodes { id } } } } }',
      { filter: { number: { in: ['a\0'] }, status: { in: Array(101).fill('PAID') }, q: 'b\0' } },
    );
    expect(Object.keys(refusal(answer).errors ?? {}).toSorted()).toEqual([
      'filter.number.in',
      'filter.q',
      'filter.status.in',
    ]);
  });

  it('a filter of very many levels, at once', async () => {
    const levels = 50_000;
    const query = 'query ($filter: InvoiceFilter) { invoices(filter: $filter) { totalCount } }';
    const filter = `${'{"and":['.repeat(levels)}{}${']}'.repeat(levels)}`;
    for (const text of [filter, `${'['.repeat(levels)}${']'.repeat(levels)}`]) {
      const body = `{"query":${JSON.stringify(query)},"variables":{"filter":${text}}}`;
      const headers = { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' };
      const answer = await service.request('POST', '/graphql', { body, headers });
      expect(refusal(answer)).toMatchObject({ errors: { variables: ['Must not have more than 32 levels.'] } });
    }
  });

  it('a filter by a related row that the caller may not read', async () => {
    const reader = await service.integrator({ abilities: ['invoices:read', 'time-entries:read', 'projects:read'] });
    for (const query of [
      '{ invoices(filter: { customer: { country: { eq: "AT" } } }) { totalCount } }',
      '{ timeEntries(filter: { or: [{ project: { customer: { country: { eq: "AT" } } } }] }) { totalCount } }',
      '{ projects { nodes { timeEntries(filter: { invoice: { customer: { city: { isNull: true } } } }) { totalCount } } } }',
      '{ invoicesAggregate(filter: { customer: { country: { eq: "AT" } } }) { count } }',
    ])
      expect(refusal(await reader.graphqlAnswer(query)).code).toBe('FORBIDDEN');
  });
});

it.each(['{}', '{ metadata: {} }', '{ metadata: { contains: {} } }'])(
  'without any condition on a related row finds rows that have none, too: %s',
  async (supplier) => {
    const { all, found, groups } = await acme.graphql(`{
      all: receipts { totalCount }
      found: receipts(filter: { supplier: ${supplier} }) { totalCount nodes { supplier { id } } }
      groups: receiptsAggregate(filter: { supplier: ${supplier} }, groupBy: []) { count }
    }`);
    expect(found.totalCount).toBe(all.totalCount);
    expect(found.nodes.map((each: { supplier: unknown }) => each.supplier)).toContain(null);
    const counts = groups.map(({ count }: { count: number }) => count);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(all.totalCount);
  },
);

it('says which filters make a document too costly', async () => {
  const many = [...Array(17).keys()].map(
    (n) =>
      `l${n}: invoices(filter: { subject: { contains: "x" } }, orderBy: [{ field: SUBJECT, direction: ASC }]) { totalCount }`,
  );
  const { body } = await acme.graphqlAnswer(`{ ${many.join(' ')} }`);
  expect(body.errors[0]).toMatchObject({ extensions: { code: 'TOO_COSTLY' } });
  expect(body.errors[0].message).toContain('invoices (filter.subject.contains)');
  const words = Array.from({ length: 100 }, (_, n) => (n + 36).toString(36)).join(' ');
  const searches = await acme.graphqlAnswer(
    'query ($filter: InvoiceFilter) { invoices(filter: $filter) { totalCount } }',
    { filter: { or: Array.from({ length: 5 }, () => ({ q: words })) } },
  );
  expect(searches.body.errors[0]).toMatchObject({ extensions: { code: 'TOO_COSTLY' } });
  expect(searches.body.errors[0].message).toContain('invoices (filter.or.q)');
  const nested = await acme.graphqlAnswer(
    '{ customers(first: 100) { nodes { invoices(filter: { subject: { contains: "x" } }) { totalCount } } } }',
  );
  expect(nested.body.errors[0].message).toContain('invoices (filter.subject.contains)');
  const page = (offset: number) =>
    `{ invoices(first: 20) { nodes { customer { invoices(offset: ${offset}) { totalCount } } } } }`;
  const far = await acme.graphqlAnswer(page(1001));
  expect(far.body.errors[0]).toMatchObject({ extensions: { code: 'TOO_COSTLY' } });
  expect(far.body.errors[0].message).toContain('invoices (offset)');
  expect((await acme.graphqlAnswer(page(1000))).body.errors).toBeUndefined();
});
