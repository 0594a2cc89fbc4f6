import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { listen, type Statement } from '../../isolation/statements.ts';
import { explain } from '../../plans.ts';
import { fold } from '../../../schema/graphql/filters/search.ts';
import { refusal } from '../books.ts';

let service: Service;
let acme: Integrator;
let customerId: string;
let projectId: string;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
  customerId = (await acme.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'm' } })).id;
  projectId = (await acme.db.project.create({ data: { name: 'm', currency: 'EUR' } })).id;
});

type Row = Record<string, unknown> & { id: string };

interface List {
  /** Creates rows with values from numbers of 0 to 999. Few of these are different. */
  fill(numbers: number[]): Promise<unknown>;
  rows(): Promise<Row[]>;
  remove(ids: string[]): Promise<unknown>;
  /** The column of each field of its order. */
  fields: Record<string, string>;
}

const day = (number: number): Date => new Date(Date.UTC(2026, 0, 1 + (number % 9)));
const amount = (number: number): string => `${(number % 4) - 1}.${number % 2 ? '5' : '05'}`;
const word = (number: number): string =>
  ['apple', 'Apple', 'äpfel', 'ÄPFEL', 'b"%_\\', "o'b", '', '中', '🍏', 'Zeta', 'Straße', 'STRASSE'][number % 12]!;

const lists: Record<string, List> = {
  customers: {
    fill: (numbers) =>
      acme.db.customer.createMany({ data: numbers.map((n) => ({ type: 'SUPPLIER', companyName: word(n) })) }),
    rows: () => acme.db.customer.findMany({ where: { type: 'SUPPLIER' } }),
    remove: (ids) => acme.db.customer.deleteMany({ where: { id: { in: ids } } }),
    fields: { COMPANY_NAME: 'companyName' },
  },
  invoices: {
    fill: (numbers) =>
      acme.db.invoice.createMany({
        data: numbers.map((n) => ({
          customerId,
          // Every other invoice has no number. Numbers are unique.
          ...(n % 2
            ? { status: 'DRAFT' as const }
            : { status: 'ISSUED' as const, issuedAt: new Date(), number: `${n}-${Math.random()}` }),
          invoiceDate: day(n % 5),
          dueDate: day(5 + (n % 3)),
          currency: 'EUR',
          totalNet: n % 4,
          totalVat: 0,
          totalGross: n % 4,
        })),
      }),
    rows: () => acme.db.invoice.findMany(),
    // The service itself can't delete an issued invoice.
    remove: async (ids) => {
      for (const table of ['invoice_parties', 'invoices'])
        await service.pool.query(`delete from ${table} where tenant_id = $1 and id = any ($2)`, [acme.tenantId, ids]);
    },
    fields: { NUMBER: 'number', INVOICE_DATE: 'invoiceDate', DUE_DATE: 'dueDate', TOTAL_GROSS: 'totalGross' },
  },
  receipts: {
    fill: (numbers) =>
      acme.db.receipt.createMany({
        data: numbers.map((n) => ({
          receiptDate: day(n),
          amountGross: Math.abs(Number(amount(n))),
          vatAmount: 0,
          amountNet: Math.abs(Number(amount(n))),
          currency: 'EUR',
        })),
      }),
    rows: () => acme.db.receipt.findMany(),
    remove: (ids) =>
      service.pool.query('delete from receipts where tenant_id = $1 and id = any ($2)', [acme.tenantId, ids]),
    fields: { RECEIPT_DATE: 'receiptDate', AMOUNT_GROSS: 'amountGross' },
  },
  projects: {
    fill: (numbers) =>
      acme.db.project.createMany({
        data: numbers.map((n) => ({ name: word(n), currency: 'EUR', status: 'ARCHIVED' })),
      }),
    rows: () => acme.db.project.findMany({ where: { status: 'ARCHIVED' } }),
    remove: (ids) => acme.db.project.deleteMany({ where: { id: { in: ids } } }),
    fields: { NAME: 'name' },
  },
  timeEntries: {
    fill: (numbers) =>
      acme.db.timeEntry.createMany({
        data: numbers.map((n) => ({ projectId, userId: acme.userId, date: day(n), durationMinutes: 1 })),
      }),
    rows: () => acme.db.timeEntry.findMany(),
    remove: (ids) => acme.db.timeEntry.deleteMany({ where: { id: { in: ids } } }),
    fields: { DATE: 'date' },
  },
  bankTransactions: {
    fill: (numbers) =>
      acme.db.bankTransaction.createMany({
        data: numbers.map((n) => ({
          accountIban: 'x',
          bookingDate: day(n),
          amount: amount(n),
          amountOpen: amount(n),
          currency: 'EUR',
        })),
      }),
    rows: () => acme.db.bankTransaction.findMany(),
    remove: (ids) => acme.db.bankTransaction.deleteMany({ where: { id: { in: ids } } }),
    fields: { BOOKING_DATE: 'bookingDate', AMOUNT: 'amount' },
  },
};

lists['payments'] = {
  fill: async (numbers) => {
    const gross = { amountGross: numbers.length, vatAmount: 0, amountNet: numbers.length, currency: 'EUR' };
    const receipt = await acme.db.receipt.create({ data: { ...gross, receiptDate: day(0), status: 'BOOKED' } });
    await acme.db.payment.createMany({
      data: numbers.map((n) => ({ amount: 1, currency: 'EUR', paidOn: day(n), receiptId: receipt.id })),
    });
  },
  rows: () => acme.db.payment.findMany(),
  // The service itself can't delete a payment.
  remove: (ids) =>
    service.pool.query('delete from payments where tenant_id = $1 and id = any ($2)', [acme.tenantId, ids]),
  fields: { PAID_ON: 'paidOn' },
};

interface Page {
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  totalCount: number;
}

/** Leaves out the rows of `beforeEach`. */
const others: Record<string, string> = {
  customers: 'filter: { type: { eq: SUPPLIER } }',
  projects: 'filter: { status: { eq: ARCHIVED } }',
};

/** Everything in variables: each other document would be parsed, validated, and held back as a new one. */
async function read(list: string, order: Partial<Order>, args: Record<string, unknown>): Promise<Page> {
  const type = `${list[0]?.toUpperCase()}${list.slice(1).replace(/ies$/, 'y').replace(/s$/, '')}Order`;
  const declared = `$orderBy: [${type}!], $first: Int, $after: String, $last: Int, $before: String, $offset: Int`;
  const all = [
    'orderBy: $orderBy',
    ...['first', 'after', 'last', 'before', 'offset'].map((name) => `${name}: $${name}`),
  ];
  if (others[list]) all.push(others[list]);
  const rows = 'edges { cursor node { id } } totalCount pageInfo { startCursor endCursor hasNextPage hasPreviousPage }';
  const { field, direction } = order;
  const variables = { orderBy: { field, direction }, ...args };
  return (await acme.graphql(`query (${declared}) { page: ${list}(${all.join(', ')}) { ${rows} } }`, variables)).page;
}

interface Order {
  list: string;
  field: string;
  direction: string;
  orderBy: string;
}

const orders: Order[] = Object.entries(lists).flatMap(([list, { fields }]) =>
  Object.keys({ CREATED_AT: '', ...fields }).flatMap((field) =>
    ['ASC', 'DESC'].map((direction) => ({
      list,
      field,
      direction,
      orderBy: `{field: ${field}, direction: ${direction}}`,
    })),
  ),
);

/** The fields whose texts are words. */
const ofWords = new Set(['COMPANY_NAME', 'NAME']);

/** Compares by code points, which is the collation of the test database. */
const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const compareWords = (a: string, b: string): number => compareTexts(fold(a), fold(b));

function compare(a: unknown, b: unknown, comparison = compareTexts): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null); // null is larger than every value
  return typeof a === 'string' ? comparison(a, String(b)) : Number(a) - Number(b);
}

/** The expected whole list. */
async function expected({ list, field, direction }: Order): Promise<string[]> {
  const column = lists[list]!.fields[field];
  const rows = await lists[list]!.rows();
  const comparison = ofWords.has(field) ? compareWords : compareTexts;
  const sorted = rows.toSorted(
    (a, b) => (column ? compare(a[column], b[column], comparison) : 0) || compareTexts(a.id, b.id),
  );
  return (direction === 'ASC' ? sorted : sorted.toReversed()).map(({ id }) => id);
}

async function walk(
  order: Order,
  way: string,
  sizes: number[],
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const { list } = order;
  const seen: string[] = [];
  let position = {};
  for (let step = 0; ; step++) {
    if (step > 200) throw new Error('The walk does not end');
    const size = sizes[step % sizes.length];
    const forwards = way === 'forwards';
    const page = await read(list, order, forwards ? { first: size, ...position } : { last: size, ...position });
    const ids = page.edges.map(({ node }) => node.id);
    seen.push(...(forwards ? ids : ids.toReversed()));
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    if (!(forwards ? hasNextPage : hasPreviousPage)) return seen;
    position = forwards ? { after: endCursor } : { before: startCursor };
    await between();
  }
}

const numbers = fc.array(fc.nat(999), { maxLength: 25 });
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
const ways = fc.constantFrom('forwards', 'backwards');

describe.each(orders)('$list by $field $direction', (order) => {
  const { list, orderBy } = order;
  const { fill, rows, remove } = lists[list]!;
  const clear = async (): Promise<unknown> => remove((await rows()).map(({ id }) => id));

  it('pages of any size have every row once, in order, forwards and backwards', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, ways, sizes, async (values, way, pageSizes) => {
        await clear();
        await fill(values);
        const all = await expected(order);
        expect(await walk(order, way, pageSizes)).toEqual(way === 'forwards' ? all : all.toReversed());
      }),
      { numRuns: 8 },
    );
  });

  it('pages have no row twice and skip no remaining row while rows are added and removed', async () => {
    const changes = fc.array(
      fc.record({ insert: fc.array(fc.nat(999), { maxLength: 2 }), remove: fc.array(fc.nat(999), { maxLength: 3 }) }),
      { minLength: 1 },
    );
    await fc.assert(
      fc.asyncProperty(numbers, ways, sizes, changes, async (values, way, pageSizes, steps) => {
        await clear();
        await fill(values);
        const staying = new Set((await rows()).map(({ id }) => id));
        let step = 0;
        const seen = await walk(order, way, pageSizes, async () => {
          const change = steps[step++ % steps.length]!;
          const there = await rows();
          const gone = change.remove.flatMap((index) => there[index % there.length]?.id ?? []);
          await remove(gone);
          for (const id of gone) staying.delete(id);
          if (step < 10) await fill(change.insert);
        });
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining([...staying]));
      }),
      { numRuns: 8 },
    );
  });

  it('any combination of after, before, and offset works', async () => {
    await fill([...Array(24).keys()]);
    const all = await expected(order);
    const { edges } = await read(list, order, { first: 100 });
    const at = fc.option(fc.nat(23), { nil: undefined });
    const parameters = fc.record({ after: at, before: at, offset: fc.option(fc.nat(5), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(
        parameters,
        ways,
        fc.integer({ min: 1, max: 9 }),
        async ({ after, before, offset }, way, size) => {
          const page = await read(list, order, {
            [way === 'forwards' ? 'first' : 'last']: size,
            ...(after !== undefined && { after: edges[after]!.cursor }),
            ...(before !== undefined && { before: edges[before]!.cursor }),
            ...(offset !== undefined && { offset }),
          });
          const inside = all.slice(after === undefined ? 0 : after + 1, before ?? all.length);
          const skipped =
            way === 'forwards'
              ? inside.slice(offset ?? 0)
              : inside.slice(0, Math.max(0, inside.length - (offset ?? 0)));
          const wanted = way === 'forwards' ? skipped.slice(0, size) : skipped.slice(-size);
          expect(page.edges.map(({ node }) => node.id)).toEqual(wanted);
          expect(page.totalCount).toBe(24);
          const { hasNextPage, hasPreviousPage } = page.pageInfo;
          expect(way === 'forwards' ? hasNextPage : hasPreviousPage).toBe(skipped.length > size);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('rejects a cursor of another order and an invalid one', async () => {
    await fill([0, 1, 2, 3]);
    const errors = { after: ['Must be a cursor of this list, in this order.'] };
    for (const other of orders.filter((each) => each.list === list && each.orderBy !== orderBy)) {
      const [edge] = (await read(list, other, { first: 1 })).edges;
      const answer = await acme.graphqlAnswer(
        `{ ${list}(orderBy: ${orderBy}, after: "${edge!.cursor}") { totalCount } }`,
      );
      expect(refusal(answer)).toMatchObject({ code: 'VALIDATION_FAILED', errors });
    }
    if (order.field === 'CREATED_AT') return; // its cursors have only an id
    const mark = `${order.field} ${order.direction}${ofWords.has(order.field) ? ' by words' : ''}`;
    const anyText = ['NUMBER', 'NAME', 'COMPANY_NAME'].includes(order.field);
    const values: unknown[] = [
      1,
      {},
      'a\0b',
      ...(anyText ? [] : ['x', '1e9', '9'.repeat(40), '2026-02-30', '0000-01-01T00:00:00.000Z']),
    ];
    if (order.field !== 'NUMBER') values.push(null);
    for (const parts of [
      ...values.map((value) => [mark, customerId, value]),
      ...(ofWords.has(order.field) ? [[`${order.field} ${order.direction}`, customerId, 'x']] : []), // of version 1.0.0
      [mark, 'x', 'x'],
      [mark],
      { 0: mark },
      null,
    ]) {
      const after = Buffer.from(JSON.stringify(parts)).toString('base64url');
      const answer = await acme.graphqlAnswer(`{ ${list}(orderBy: ${orderBy}, after: "${after}") { totalCount } }`);
      expect(refusal(answer)).toMatchObject({ code: 'VALIDATION_FAILED', errors });
    }
  });
});

it('texts are in the order that the description of OrderDirection promises', async () => {
  const { db, graphql } = await service.integrator();
  const names = ['alpha', 'Ärger', 'Arzt', 'beta', 'Beta', 'émile', 'Zeta'];
  await db.customer.createMany({
    data: ['beta', 'Beta', 'Zeta', 'émile', 'Arzt', 'Ärger', 'alpha'].map((companyName, at) => ({
      type: 'CUSTOMER' as const,
      companyName,
      externalId: String(at),
      ...(at > 4 && { contactName: at > 5 ? 'Zoë' : 'zoe' }),
    })),
  });
  const list = async (...order: string[]): Promise<string[]> => {
    const orderBy = order.map((each) => `{ field: ${each} }`).join(', ');
    const { customers } = await graphql(`{ customers(orderBy: [${orderBy}]) { nodes { companyName } } }`);
    return customers.nodes.map((node: { companyName: string }) => node.companyName);
  };
  expect(await list('COMPANY_NAME, direction: ASC')).toEqual(names);
  expect(await list('COMPANY_NAME, direction: DESC')).toEqual(names.toReversed());
  // No index serves it. Names that are the same words are in the order of the next field.
  expect(await list('CONTACT_NAME, direction: ASC', 'EXTERNAL_ID, direction: DESC')).toEqual([
    'alpha',
    'Ärger',
    'Arzt',
    'émile',
    'Zeta',
    'Beta',
    'beta',
  ]);
  const { description } = service.domain.schema.getType('OrderDirection') ?? {};
  expect(description).toContain('code points');
});

it('lists without an order are newest first, with the same cursors', async () => {
  const { receipts } = lists;
  await receipts?.fill([1, 2, 3]);
  const unordered = (await acme.graphql('{ receipts { edges { cursor node { id } } } }')).receipts.edges;
  const { edges } = await read('receipts', { field: 'CREATED_AT', direction: 'DESC' }, {});
  expect(edges).toEqual(unordered);
  expect(edges.map(({ node }) => node.id)).toEqual(
    (await lists['receipts']!.rows())
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
});

it.each([
  ['invoices', '{field: NAME, direction: ASC}'],
  ['invoices', '{field: NUMBER, direction: UP}'],
  ['invoices', '{direction: ASC}'],
])('an unknown order is rejected: %s %s', async (list, orderBy) => {
  const { body } = await acme.graphqlAnswer(`{ ${list}(orderBy: ${orderBy}) { totalCount } }`);
  expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
});

describe('with 5,000 rows', () => {
  let busy: Integrator;
  beforeAll(async () => {
    busy = await service.integrator({ name: 'Busy' });
    const values = [
      busy.tenantId,
      (await busy.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'x' } })).id,
    ];
    const many = (sql: string, inserted = values): Promise<unknown> => service.pool.query(sql, inserted);
    await many(`insert into invoices (tenant_id, id, customer_id, status, number, invoice_date, due_date, currency, total_net, total_vat, total_gross, issued_at, updated_at)
      select $1, uuidv7(), $2, case when n % 50 = 0 then 'draft' else 'issued' end::invoice_status, case when n % 50 > 0 then '2026-' || n end,
        date '2020-01-01' + n % 1000, date '2023-01-01' + n % 1000, 'EUR', n % 1250, 0, n % 1250,
        case when n % 50 > 0 then now() end, now() from generate_series(1, 5000) n`);
    await many(
      `insert into customers (tenant_id, id, type, company_name, updated_at)
      select $1, uuidv7(), 'customer', md5(n::text), now() from generate_series(1, 5000) n`,
      [busy.tenantId],
    );
    await many(
      `insert into bank_transactions (tenant_id, id, account_iban, booking_date, amount, amount_open, currency, updated_at)
      select $1, uuidv7(), 'x', date '2020-01-01' + n % 1000, n % 1250 - 625, n % 1250 - 625, 'EUR', now() from generate_series(1, 5000) n`,
      [busy.tenantId],
    );
    await many(
      `insert into projects (tenant_id, id, name, currency, updated_at)
      select $1, uuidv7(), md5(n::text), 'EUR', now() from generate_series(1, 5000) n`,
      [busy.tenantId],
    );
    await service.pool.query('vacuum analyze invoices, customers, bank_transactions, projects');
  });

  it.each(orders.filter(({ list }) => ['invoices', 'customers', 'bankTransactions', 'projects'].includes(list)))(
    'a page deep inside reads hardly more than its rows: $list by $field $direction',
    async ({ list, orderBy }) => {
      const edges = '{ edges { cursor } pageInfo { endCursor } }';
      const deep = await busy.graphql(`{ page: ${list}(orderBy: ${orderBy}, first: 1, offset: 2500) ${edges} }`);
      const sent: Statement[] = [];
      const stop = listen((statement) => sent.push(statement));
      const document = `{ page: ${list}(orderBy: ${orderBy}, after: "${deep.page.pageInfo.endCursor}") ${edges} }`;
      const { page } = await busy.graphql(document).finally(stop);
      expect(page.edges).toHaveLength(25);

      let rowsRead = 0;
      for (const statement of sent.filter(({ text }) => / order by /.test(text))) {
        for (const node of await explain(service, busy.tenantId, statement)) {
          if (node['Relation Name']) rowsRead += node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
        }
      }
      expect(rowsRead).toBeGreaterThanOrEqual(25);
      expect(rowsRead).toBeLessThanOrEqual(60);
    },
  );
});

describe('a cursor is exact at any value that a column can have', () => {
  const walkOneByOne = async (list: string, orderBy: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let after: string | null = null; ;) {
      const query = `query ($after: String) { page: ${list}(first: 1, after: $after, orderBy: [${orderBy}]) {
        nodes { id } pageInfo { hasNextPage endCursor } } }`;
      const { page } = await acme.graphql(query, { after });
      ids.push(...page.nodes.map((node: { id: string }) => node.id));
      if (!page.pageInfo.hasNextPage) return ids;
      after = page.pageInfo.endCursor;
    }
  };

  it('exchange rates', async () => {
    const rates = ['0.000000000001', '0.000057312345', '0.0000573124', '1.5', '999999999999.123456789012'];
    for (const exchangeRate of rates)
      await acme.db.receipt.create({
        data: {
          receiptDate: day(0),
          amountGross: 1,
          vatAmount: 0,
          amountNet: 1,
          currency: 'USD',
          exchangeRate,
          exchangeCurrency: 'EUR',
          exchangeRateDate: day(0),
        },
      });
    const rows = await acme.db.receipt.findMany({ orderBy: { exchangeRate: 'asc' } });
    expect(rows.map(({ exchangeRate }) => exchangeRate?.toFixed())).toEqual(rates);
    const ids = rows.map(({ id }) => id);
    expect(await walkOneByOne('receipts', '{ field: EXCHANGE_RATE, direction: ASC }')).toEqual(ids);
    expect(await walkOneByOne('receipts', '{ field: EXCHANGE_RATE, direction: DESC }')).toEqual(ids.toReversed());
  });

  it('lengths of files', async () => {
    for (const length of [0, 999_999_999, 1_500_000_000, 2_147_483_647])
      await acme.db.export.create({
        data: {
          type: 'DATEV',
          status: 'COMPLETED',
          userId: acme.userId,
          fileName: 'x',
          rows: 1,
          processedRows: 1,
          length,
          sha256: new Uint8Array(32),
          startedAt: day(0),
          finishedAt: day(0),
          expiresAt: day(0),
        },
      });
    const ids = (await acme.db.export.findMany({ orderBy: { length: 'asc' } })).map(({ id }) => id);
    expect(await walkOneByOne('exports', '{ field: LENGTH, direction: ASC }')).toEqual(ids);
  });
});
