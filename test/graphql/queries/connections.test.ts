import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import {
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
  refusal,
} from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

interface Page {
  nodes: { id: string }[];
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  totalCount: number;
}

const connection =
  'nodes { id } edges { cursor node { id } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } totalCount';
const argsOf = (args: object): string =>
  Object.keys(args).length === 0
    ? ''
    : `(${Object.entries(args)
        .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
        .join(', ')})`;
const customers = async (args: object = {}): Promise<Page> =>
  (await acme.graphql(`{ customers${argsOf(args)} { ${connection} } }`)).customers;

/** Customers, newest first. */
async function fill(count: number): Promise<string[]> {
  const data = Array.from({ length: count }, (_, index) => ({
    type: 'CUSTOMER' as const,
    companyName: `No. ${index}`,
  }));
  await acme.db.customer.createMany({ data });
  const rows = await acme.db.customer.findMany({ select: { id: true } });
  return rows
    .map(({ id }) => id)
    .toSorted()
    .toReversed();
}

const idsOf = (page: Page): string[] => page.nodes.map(({ id }) => id);

describe('lists are connections: first, after, last, before, offset; nodes, edges, pageInfo, totalCount', () => {
  it('have 25 rows by default, newest first, and the same rows in nodes and edges', async () => {
    const ids = await fill(30);
    const page = await customers();
    expect(idsOf(page)).toEqual(ids.slice(0, 25));
    expect(page.edges.map(({ node }) => node.id)).toEqual(ids.slice(0, 25));
    expect(page.totalCount).toBe(30);
    expect(page.pageInfo).toEqual({
      startCursor: page.edges[0]!.cursor,
      endCursor: page.edges[24]!.cursor,
      hasNextPage: true,
      hasPreviousPage: false,
    });
  });

  it('first, after, last, before, offset', async () => {
    const ids = await fill(10);
    const { edges } = await customers();
    const cursor = (index: number): string => edges[index]!.cursor;
    const sides = async (args: object) => {
      const page = await customers(args);
      return [idsOf(page), page.pageInfo.hasPreviousPage, page.pageInfo.hasNextPage, page.totalCount];
    };
    expect(await sides({ first: 3 })).toEqual([ids.slice(0, 3), false, true, 10]);
    expect(await sides({ first: 3, after: cursor(2) })).toEqual([ids.slice(3, 6), true, true, 10]);
    expect(await sides({ first: 100, after: cursor(6) })).toEqual([ids.slice(7), true, false, 10]);
    expect(await sides({ last: 3 })).toEqual([ids.slice(7), true, false, 10]);
    expect(await sides({ last: 3, before: cursor(7) })).toEqual([ids.slice(4, 7), true, true, 10]);
    expect(await sides({ last: 100, before: cursor(2) })).toEqual([ids.slice(0, 2), false, true, 10]);
    expect(await sides({ offset: 8 })).toEqual([ids.slice(8), true, false, 10]);
    expect(await sides({ first: 2, offset: 3 })).toEqual([ids.slice(3, 5), true, true, 10]);
    expect(await sides({ first: 2, offset: 3, after: cursor(0) })).toEqual([ids.slice(4, 6), true, true, 10]);
    expect(await sides({ offset: 10 })).toEqual([[], true, false, 10]);
    expect(await sides({ offset: 2_147_483_647 })).toEqual([[], true, false, 10]);
    expect((await sides({ after: cursor(1), before: cursor(4) }))[0]).toEqual(ids.slice(2, 4));
    expect(await sides({ last: 3, offset: 2 })).toEqual([ids.slice(5, 8), true, true, 10]);
  });

  it('have neither pages nor cursors if they are empty', async () => {
    expect(await customers()).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: false },
      totalCount: 0,
    });
  });

  it('have a page and a totalCount that filters narrow', async () => {
    await fill(3);
    const supplier = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Süßwaren 100% & Co_', city: 'Köln' });
    const found = async (filter: string) => {
      const page = (await acme.graphql(`{ customers(filter: { ${filter} }) { nodes { id } totalCount } }`)).customers;
      expect(page.totalCount).toBe(page.nodes.length);
      return idsOf(page);
    };
    expect(await found('type: { eq: SUPPLIER }')).toEqual([supplier]);
    for (const q of ['süß', 'SÜSSWAREN', 'sussw', 'SÜßW', '100%', 'co_', 'öl'])
      expect(await found(`q: "${q}"`)).toEqual([supplier]);
    expect(await found('q: "%", type: { eq: CUSTOMER }')).toEqual([]);
  });
});

describe('bounds and combinations', () => {
  it.each([
    [{ first: 0 }, { first: ['Must be from 1 to 100.'] }],
    [{ first: 101 }, { first: ['Must be from 1 to 100.'] }],
    [{ first: -1 }, { first: ['Must be from 1 to 100.'] }],
    [{ last: 101 }, { last: ['Must be from 1 to 100.'] }],
    [{ first: 1, last: 1 }, { last: ['Must not be combined with first.'] }],
    [{ offset: -1 }, { offset: ['Must not be negative.'] }],
    [{ after: '' }, { after: ['Must be a cursor of this list, in this order.'] }],
    [
      { after: 'nonsense', before: '%' },
      { after: [expect.any(String)], before: [expect.any(String)] },
    ],
    [{ before: Buffer.from("' or 1=1").toString('base64url') }, { before: [expect.any(String)] }],
    [
      { first: 0, offset: -1, after: '\0' },
      { first: [expect.any(String)], offset: [expect.any(String)], after: [expect.any(String)] },
    ],
  ])('%o is rejected', async (args, errors) => {
    const root = await acme.graphqlAnswer(`{ customers${argsOf(args)} { totalCount } }`);
    expect(refusal(root)).toMatchObject({ code: 'VALIDATION_FAILED', errors });
    await makeCustomer(acme);
    const nested = await acme.graphqlAnswer(`{ customers { nodes { invoices${argsOf(args)} { totalCount } } } }`);
    expect(refusal(nested)).toMatchObject({ code: 'VALIDATION_FAILED', errors });
  });

  it('first ≤ 100', async () => {
    await fill(101);
    expect((await customers({ first: 100 })).nodes).toHaveLength(100);
    expect((await customers({ last: 100 })).nodes).toHaveLength(100);
  });
});

async function walk(way: string, pageSizes: number[], between: () => Promise<unknown> = async () => {}) {
  const seen: string[] = [];
  let position = {};
  for (let step = 0; ; step++) {
    if (step > 200) throw new Error('The walk does not end');
    const size = pageSizes[step % pageSizes.length];
    const page = await customers(way === 'forwards' ? { first: size, ...position } : { last: size, ...position });
    seen.push(...(way === 'forwards' ? idsOf(page) : idsOf(page).toReversed()));
    const { pageInfo } = page;
    if (!(way === 'forwards' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return seen;
    position = way === 'forwards' ? { after: pageInfo.endCursor } : { before: pageInfo.startCursor };
    await between();
  }
}

describe('paging reaches every row once', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
  const direction = fc.constantFrom('forwards', 'backwards');

  it('with any page sizes, forwards and backwards', async () => {
    const ids = await fill(23);
    await fc.assert(
      fc.asyncProperty(direction, sizes, async (way, pageSizes) => {
        expect(await walk(way, pageSizes)).toEqual(way === 'forwards' ? ids : ids.toReversed());
      }),
      { numRuns: 25 },
    );
  });

  it('also while rows are inserted and deleted between the pages', async () => {
    const changes = fc.array(fc.record({ insert: fc.nat(2), remove: fc.array(fc.nat(1000), { maxLength: 3 }) }), {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(direction, sizes, changes, async (way, pageSizes, steps) => {
        await acme.db.customer.deleteMany({});
        const staying = new Set(await fill(23));
        let step = 0;
        const seen = await walk(way, pageSizes, async () => {
          const { insert, remove } = steps[step++ % steps.length]!;
          const rows = await acme.db.customer.findMany({ select: { id: true } });
          const gone = remove.map((index) => rows[index % rows.length]!.id);
          await acme.db.customer.deleteMany({ where: { id: { in: gone } } });
          for (const id of gone) staying.delete(id);
          if (insert > 0 && step < 10) await fill(insert);
        });
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining([...staying]));
      }),
      { numRuns: 25 },
    );
  });
});

describe('nested connections have their own pages', () => {
  it('Customer.invoices, Project.timeEntries', async () => {
    const [customerId, projectId] = [await makeCustomer(acme), await makeProject(acme)];
    await makeInvoice(acme); // of another customer
    await makeTimeEntry(acme);
    const invoices: string[] = [];
    const entries: string[] = [];
    for (let count = 0; count < 3; count++) {
      invoices.unshift(await makeInvoice(acme, { customerId }));
      entries.unshift(await makeTimeEntry(acme, { projectId }));
    }
    const query = `query ($customer: UUID!, $project: UUID!, $after: String, $before: String) {
      customer(id: $customer) { invoices(first: 2, after: $after) { ${connection} } }
      project(id: $project) { timeEntries(last: 2, before: $before) { ${connection} } }
    }`;
    const read = async (cursors: object): Promise<[Page, Page]> => {
      const { customer, project } = await acme.graphql(query, { customer: customerId, project: projectId, ...cursors });
      return [customer.invoices, project.timeEntries];
    };
    const [forwards, backwards] = await read({});
    expect([idsOf(forwards), idsOf(backwards)]).toEqual([invoices.slice(0, 2), entries.slice(1)]);
    expect([forwards.totalCount, backwards.totalCount]).toEqual([3, 3]);
    expect([forwards.pageInfo.hasNextPage, backwards.pageInfo.hasPreviousPage]).toEqual([true, true]);
    const [next, previous] = await read({ after: forwards.pageInfo.endCursor, before: backwards.pageInfo.startCursor });
    expect([idsOf(next), idsOf(previous)]).toEqual([invoices.slice(2), entries.slice(0, 1)]);
    expect([next.pageInfo.hasNextPage, previous.pageInfo.hasPreviousPage]).toEqual([false, false]);
  });

  it.each([
    'totalCount',
    'pageInfo { hasNextPage }',
    'nodes { subject items { title } }',
    'edges { cursor }',
    'edges { node { subject } }',
    'nodes { number } edges { cursor }',
    'edges { cursor node { number } } nodes { subject customer { city } }',
  ])('also if only a part is selected: %s', async (part) => {
    await makeInvoice(acme, { customerId: await makeCustomer(acme, { city: 'Bonn' }), subject: 'Advice' });
    const { customers: page, invoices } = await acme.graphql(
      `{ customers { nodes { invoices { ${part} } } } invoices { ${part} } }`,
    );
    expect(page.nodes[0].invoices).toEqual(invoices);
  });

  const lists: [list: string, owner: () => Promise<string>, row: (owner: string) => Promise<unknown>][] = [
    ['invoice.payments', () => makeInvoice(acme, { status: 'ISSUED' }), (id) => makePayment(acme, id, '1')],
    [
      'invoice.creditNotes',
      () => makeInvoice(acme, { status: 'ISSUED' }),
      (invoiceId) => makeCreditNote(acme, { invoiceId, amounts: [{ vatCategory: 'S', vatRate: '19', net: '1' }] }),
    ],
    [
      'invoice.timeEntries',
      () => makeInvoice(acme),
      async (invoiceId) =>
        acme.db.timeEntry.updateMany({ where: { id: await makeTimeEntry(acme) }, data: { invoiceId } }),
    ],
    [
      'receipt.payments',
      async () => {
        const id = await makeReceipt(acme);
        await acme.graphql('mutation ($id: UUID!) { bookReceipt(id: $id) { id } }', { id });
        return id;
      },
      (id) => acme.graphql('mutation ($id: UUID!) { payReceipt(id: $id, amount: "1") { id } }', { id }),
    ],
    [
      'creditNote.refunds',
      () => makeCreditNote(acme),
      (id) => acme.graphql('mutation ($id: UUID!) { refundCreditNote(id: $id, amount: "1") { id } }', { id }),
    ],
  ];
  it.each(lists)('%s', async (path, makeOwner, makeRow) => {
    const [root, list] = path.split('.');
    const owner = await makeOwner();
    const before = await makeOwner();
    await makeRow(before); // is not in the owner's list
    for (let count = 0; count < 4; count += 1) await makeRow(owner);
    const document = `query ($id: UUID!, $first: Int, $after: String, $last: Int) {
      owner: ${root}(id: $id) { list: ${list}(first: $first, after: $after, last: $last) { ${connection} } }
    }`;
    const read = async (args: object): Promise<Page> =>
      (await acme.graphql(document, { id: owner, ...args })).owner.list as Page;
    const all = idsOf(await read({}));
    expect(all).toEqual(all.toSorted().toReversed());
    expect(all).toHaveLength(4);
    const page = await read({ first: 3 });
    expect([idsOf(page), page.totalCount, page.pageInfo.hasNextPage]).toEqual([all.slice(0, 3), 4, true]);
    const next = await read({ first: 3, after: page.pageInfo.endCursor });
    expect([idsOf(next), next.pageInfo.hasNextPage]).toEqual([all.slice(3), false]);
    expect(idsOf(await read({ last: 1 }))).toEqual(all.slice(3));
    const [oldest] = all.slice(3);
    const narrow = `query ($id: UUID!, $row: UUID!) { owner: ${root}(id: $id) {
      oldest: ${list}(filter: { id: { eq: $row } }) { totalCount nodes { id } }
      upwards: ${list}(orderBy: { field: CREATED_AT, direction: ASC }, first: 2) { nodes { id } }
    } }`;
    expect((await acme.graphql(narrow, { id: owner, row: oldest })).owner).toEqual({
      oldest: { totalCount: 1, nodes: [{ id: oldest }] },
      upwards: { nodes: [{ id: all[3] }, { id: all[2] }] },
    });
  });
});
