import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A UUIDv7 of the millisecond `age`: the greater, the newer. */
const idOf = (age: number): string => `01900000-${age.toString(16).padStart(4, '0')}-7000-8000-000000000000`;

const tenants = new Map<number, Promise<Integrator>>();

/** A tenant with so many customers, stored in no particular order, and their ids, newest first. */
async function tenantOf(rows: number): Promise<{ tenant: Integrator; newestFirst: string[] }> {
  const make = async (): Promise<Integrator> => {
    const made = await service.integrator();
    const ages = Array.from({ length: rows }, (_, n) => (n * 37) % 61); // 61 is prime: each age once
    const data = ages.map((age) => ({ id: idOf(age), type: 'CUSTOMER' as const, companyName: `Customer ${age}` }));
    await made.db.customer.createMany({ data });
    return made;
  };
  if (!tenants.has(rows)) tenants.set(rows, make());
  const newestFirst = Array.from({ length: rows }, (_, n) => idOf((n * 37) % 61)).toSorted((a, b) => (a < b ? 1 : -1));
  return { tenant: await tenants.get(rows)!, newestFirst };
}

/** Follows a link as it stands. */
const follow = (tenant: Integrator, link: string): Promise<Answer> =>
  service.request('GET', link, { headers: { authorization: `Bearer ${tenant.token}` } });

const idsOf = ({ body }: Answer): string[] => body.data.map((row: { id: string }) => row.id);

/** A query's parameters but `page` and a link's `cursor`, in order; and the page, of several the last. */
function readQuery(search: string): { others: [string, string][]; page: number } {
  const all = [...new URLSearchParams(search)];
  return {
    others: all.filter(([name]) => name !== 'page' && name !== 'cursor'),
    page: Number(all.findLast(([name]) => name === 'page')?.[1] ?? 1),
  };
}

/** The page a link leads to; it must be an absolute address of the list, with every parameter of `search`. */
function pageOf(link: string, search: string): number {
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/customers\?/);
  const { origin, search: linked } = new URL(link);
  expect(origin).toBe(service.url);
  const { others, page } = readQuery(linked);
  expect(others).toEqual(readQuery(search).others);
  expect([...new URLSearchParams(linked)].filter(([name]) => name === 'page')).toHaveLength(1);
  return page;
}

interface Expected {
  rows: number;
  perPage: number;
  page: number;
}

/** The whole of links and meta, for a page that exists. */
function expectEnvelope({ status, body }: Answer, search: string, { rows, perPage, page }: Expected): void {
  expect(status).toBe(200);
  const lastPage = Math.max(1, Math.ceil(rows / perPage));
  const first = (page - 1) * perPage + 1;
  expect(Object.keys(body)).toEqual(['data', 'links', 'meta']);
  expect(body.meta).toEqual({
    current_page: page,
    per_page: perPage,
    total: rows,
    last_page: lastPage,
    from: rows === 0 ? null : first,
    to: rows === 0 ? null : Math.min(rows, first + perPage - 1),
  });
  expect(body.data).toHaveLength(rows === 0 ? 0 : Math.min(perPage, rows - first + 1));
  const { links } = body;
  expect(Object.keys(links)).toEqual(['first', 'last', 'prev', 'next']);
  expect(pageOf(links.first, search)).toBe(1);
  expect(pageOf(links.last, search)).toBe(lastPage);
  expect(links.prev && pageOf(links.prev, search)).toBe(page > 1 ? page - 1 : null);
  expect(links.next && pageOf(links.next, search)).toBe(page < lastPage ? page + 1 : null);
}

// Parameters as clients write them: encoded more than needed or less, spaces both ways, repeated, empty, without value.
const piece = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'x y',
    'größe',
    '%',
    '+',
    '&=',
    '#',
    '🎉',
    '日本',
    'a/b?c',
    '[]',
    "it's!",
    '..',
    'http://x/',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const written = piece.chain((text) =>
  fc.constantFrom(
    encodeURIComponent(text),
    encodeURIComponent(text).replaceAll('%20', '+'),
    encodeURIComponent(text).toLowerCase(),
    encodeURIComponent(text).replaceAll(/%(5B|5D|2F|3A|40|2C|24|3F)/g, (code) => decodeURIComponent(code)),
  ),
);
const parameter = fc
  .oneof(
    fc.tuple(written, written).map(([name, value]) => `${name}=${value}`),
    written, // without value
    fc.constantFrom('a=1', 'a=2', 'a=', 'tag[]=x', 'tag[]=y', '', 'Page=7', 'pages=7', 'page%20=7'),
    fc.constantFrom('type=customer', 'type=customer&type=customer', 'q=Customer', 'q=', 'q=%43ustomer', 'q=cust+'),
  )
  .filter(
    (text) =>
      !['page', 'per_page', 'type'].includes([...new URLSearchParams(text)][0]?.[0] ?? '') || text.startsWith('type=c'),
  )
  .filter((text) =>
    [...new URLSearchParams(text)].every(
      ([name, value]) => name !== 'q' || 'customer'.includes(value.toLowerCase().trim()),
    ),
  );

const listing = fc.record({
  rows: fc.integer({ min: 0, max: 60 }),
  perPage: fc.oneof(fc.constantFrom(undefined, 1, 25, 100), fc.integer({ min: 2, max: 12 })),
  before: fc.array(parameter, { maxLength: 4 }),
  after: fc.array(parameter, { maxLength: 4 }),
});

/** The query of a page: parameters before and after `page`, which `page` may miss. */
function queryOf(
  { perPage, before, after }: { perPage: number | undefined; before: string[]; after: string[] },
  page?: number,
): string {
  const own = [...(perPage ? [`per_page=${perPage}`] : []), ...(page === undefined ? [] : [`page=${page}`])];
  return `?${[...before, ...own, ...after].join('&')}`;
}

describe('a list of 0 to 60 rows, with any page size and any other parameters', () => {
  it('has every row exactly once, newest first, along links.next, and in reverse along links.prev', async () => {
    await fc.assert(
      fc.asyncProperty(listing, async (list) => {
        const { tenant, newestFirst } = await tenantOf(list.rows);
        const perPage = list.perPage ?? 25;
        const search = queryOf(list);
        const start = await tenant.rest('GET', `/customers${search}`);
        const lastPage = Math.max(1, Math.ceil(list.rows / perPage));

        const forwards: string[][] = [];
        for (let answer = start, page = 1; ; page++) {
          expectEnvelope(answer, search, { rows: list.rows, perPage, page });
          forwards.push(idsOf(answer));
          if (!answer.body.links.next) break;
          answer = await follow(tenant, answer.body.links.next);
        }
        expect(forwards).toHaveLength(lastPage);
        expect(forwards.flat()).toEqual(newestFirst);

        const backwards: string[][] = [];
        for (let answer = await follow(tenant, start.body.links.last), page = lastPage; ; page--) {
          expectEnvelope(answer, search, { rows: list.rows, perPage, page });
          backwards.push(idsOf(answer));
          if (!answer.body.links.prev) break;
          answer = await follow(tenant, answer.body.links.prev);
        }
        expect(backwards.toReversed()).toEqual(forwards);
        expect(idsOf(await follow(tenant, start.body.links.first))).toEqual(forwards[0]);
      }),
      { numRuns: 40 },
    );
  });

  it('answers any page directly, and 200 with data: [] past the last page', async () => {
    const page = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(1_000_000, 21_474_837, 1_000_000_000));
    await fc.assert(
      fc.asyncProperty(listing, page, async (list, asked) => {
        const { tenant, newestFirst } = await tenantOf(list.rows);
        const perPage = list.perPage ?? 25;
        const search = queryOf(list, asked);
        const answer = await tenant.rest('GET', `/customers${search}`);
        expect(answer.status).toBe(200);
        expect(idsOf(answer)).toEqual(newestFirst.slice((asked - 1) * perPage, asked * perPage));
        const lastPage = Math.max(1, Math.ceil(list.rows / perPage));
        if (asked <= lastPage) {
          expectEnvelope(answer, search, { rows: list.rows, perPage, page: asked });
          return;
        }
        const { links, meta } = answer.body;
        expect(meta).toEqual({
          current_page: asked,
          per_page: perPage,
          total: list.rows,
          last_page: lastPage,
          from: null,
          to: null,
        });
        expect(pageOf(links.first, search)).toBe(1);
        expect(pageOf(links.last, search)).toBe(lastPage);
        expect(links.next).toBe(null);
        // The way back leads to the last page that has rows.
        expect(links.prev && pageOf(links.prev, search)).toBe(list.rows === 0 ? null : lastPage);
      }),
      { numRuns: 150 },
    );
  });
});

it('links keep every query parameter as sent', async () => {
  const { tenant } = await tenantOf(60);
  const search =
    '?tag[]=b%20c&tag[]=&empty&page=2&q=%43ustomer&x=1%2B1%3D2&name=M%C3%BCller+%26+S%C3%B6hne&per_page=20';
  const { body } = await tenant.rest('GET', `/customers${search}`);
  const at = `${service.url}/api/v1/customers`;
  const others = (link: string): object => {
    const { origin, pathname, searchParams } = new URL(link);
    expect(origin + pathname).toBe(at);
    expect(searchParams.has('cursor')).toBe(link === body.links.next || link === body.links.prev);
    searchParams.delete('cursor');
    return [...searchParams];
  };
  for (const [name, page] of [
    ['first', '1'],
    ['prev', '1'],
    ['next', '3'],
    ['last', '3'],
  ] as const) {
    expect(others(body.links[name])).toEqual([
      ['tag[]', 'b c'],
      ['tag[]', ''],
      ['empty', ''],
      ['page', page],
      ['q', 'Customer'],
      ['x', '1+1=2'],
      ['name', 'Müller & Söhne'],
      ['per_page', '20'],
    ]);
  }
});

it('an empty list: total 0, last_page 1, first and last both page 1, next and prev null', async () => {
  const { tenant } = await tenantOf(0);
  const at = `${service.url}/api/v1/customers?page=1`;
  const links = { first: at, last: at, prev: null, next: null };
  const meta = { current_page: 1, per_page: 25, total: 0, last_page: 1, from: null, to: null };
  expect((await tenant.rest('GET', '/customers')).body).toEqual({ data: [], links, meta });
  expect((await tenant.rest('GET', '/customers?page=5')).body).toEqual({
    data: [],
    links,
    meta: { ...meta, current_page: 5 },
  });
});

describe('page is 1 to 1,000,000,000 and per_page 1 to 100; other values are answered 422 under their name', () => {
  it('answers at the bounds', async () => {
    const { tenant } = await tenantOf(60);
    const { status, body } = await tenant.rest('GET', '/customers?page=1000000000&per_page=100');
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(body.meta).toEqual({
      current_page: 1_000_000_000,
      per_page: 100,
      total: 60,
      last_page: 1,
      from: null,
      to: null,
    });
    expect(body.links.next).toBe(null);
    expect(idsOf(await tenant.rest('GET', '/customers?page=1&per_page=1'))).toHaveLength(1);
  });

  const bad = ['0', '-1', '1.5', '1e3', 'abc', '', '0x10', '١', 'null', '99999999999999999999', '1000000001'];
  it.each(bad)('rejects %j for both at once', async (value) => {
    const { tenant } = await tenantOf(1);
    const { status, body } = await tenant.rest('GET', `/customers?page=${value}&per_page=${value}`);
    expect(status).toBe(422);
    expect(body.errors).toEqual({
      page: ['Must be a whole number from 1 to 1000000000.'],
      per_page: ['Must be a whole number from 1 to 100.'],
    });
  });

  it('rejects a per_page of 101, and reports an invalid filter with it', async () => {
    const { tenant } = await tenantOf(1);
    const { status, body } = await tenant.rest('GET', '/customers?per_page=101&type=foe');
    expect(status).toBe(422);
    expect(Object.keys(body.errors).toSorted()).toEqual(['per_page', 'type']);
  });
});

describe('every list has the same envelope', () => {
  const paths = ['/customers', '/invoices', '/receipts', '/projects', '/time-entries', '/bank-transactions'];
  let tenant: Integrator;

  beforeAll(async () => {
    tenant = await service.integrator();
    const { db } = tenant;
    const each = [1, 2, 3].map(idOf);
    const [customerId = '', projectId = ''] = each;
    const date = new Date('2026-01-31');
    const money = { currency: 'EUR' };
    await db.customer.createMany({ data: each.map((id) => ({ id, type: 'CUSTOMER', companyName: 'x' })) });
    await db.project.createMany({ data: each.map((id) => ({ id, name: 'x', ...money })) });
    await db.invoice.createMany({
      data: each.map((id) => ({
        id,
        customerId,
        invoiceDate: date,
        dueDate: date,
        totalNet: 0,
        totalVat: 0,
        totalGross: 0,
        ...money,
      })),
    });
    await db.receipt.createMany({
      data: each.map((id) => ({ id, receiptDate: date, amountGross: 0, vatAmount: 0, amountNet: 0, ...money })),
    });
    await db.timeEntry.createMany({
      data: each.map((id) => ({ id, projectId, userId: tenant.userId, date, durationMinutes: 1 })),
    });
    await db.bankTransaction.createMany({
      data: each.map((id) => ({ id, accountIban: 'x', bookingDate: date, amount: 1, amountOpen: 1, ...money })),
    });
  });

  it.each(paths)('%s', async (path) => {
    const at = `${service.url}/api/v1${path}?per_page=2&x=%26&page=`;
    const first = await tenant.rest('GET', `${path}?per_page=2&x=%26`);
    expect(first.body).toEqual({
      data: [expect.objectContaining({ id: idOf(3) }), expect.objectContaining({ id: idOf(2) })],
      links: { first: `${at}1`, last: `${at}2`, prev: null, next: expect.stringContaining(`${at}2&cursor=`) },
      meta: { current_page: 1, per_page: 2, total: 3, last_page: 2, from: 1, to: 2 },
    });
    const second = await follow(tenant, first.body.links.next);
    expect(second.body).toEqual({
      data: [expect.objectContaining({ id: idOf(1) })],
      links: { first: `${at}1`, last: `${at}2`, prev: expect.stringContaining(`${at}1&cursor=`), next: null },
      meta: { current_page: 2, per_page: 2, total: 3, last_page: 2, from: 3, to: 3 },
    });
  });
});
