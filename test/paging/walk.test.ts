import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';

// Links to the next page and the one before say where it lies, so that walking holds while rows come and go.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A UUIDv7 of the millisecond `age`: the greater, the newer. */
const idOf = (age: number): string => `01900000-${age.toString(16).padStart(4, '0')}-7000-8000-000000000000`;

const add = (tenant: Integrator, ages: number[], type: 'CUSTOMER' | 'SUPPLIER' = 'CUSTOMER') =>
  tenant.db.customer.createMany({ data: ages.map((age) => ({ id: idOf(age), type, companyName: `${age}` })) });
const remove = (tenant: Integrator, ages: number[]) =>
  tenant.db.customer.deleteMany({ where: { id: { in: ages.map(idOf) } } });

const follow = (tenant: Integrator, link: string): Promise<Answer> =>
  service.request('GET', link, { headers: { authorization: `Bearer ${tenant.token}` } });
const idsOf = ({ body }: Answer): string[] => body.data.map((row: { id: string }) => row.id);
const upTo = (rows: number): number[] => Array.from({ length: rows }, (_, n) => n + 1);

/** Newest first. */
const isInOrder = (ids: string[]): boolean => ids.every((id, at) => at === 0 || id < ids[at - 1]!);

/** Whether what a page says of itself agrees: its numbers with each other, with its rows, and with its links. */
function expectConsistent({ data, links, meta }: Answer['body']): void {
  const { current_page: page, last_page: lastPage, per_page: perPage, total, from, to } = meta;
  expect(lastPage).toBe(Math.max(1, Math.ceil(total / perPage)));
  expect(page).toBeGreaterThanOrEqual(1);
  expect(data.length).toBeLessThanOrEqual(Math.min(perPage, total));
  const number = (link: string): number => Number(new URL(link).searchParams.get('page'));
  expect([number(links.first), number(links.last)]).toEqual([1, lastPage]);
  if (data.length === 0) {
    expect([from, to]).toEqual([null, null]);
    expect(links.prev !== null).toBe(page > lastPage && total > 0);
    return;
  }
  expect(from).toBeGreaterThanOrEqual(1);
  expect(to - from + 1).toBe(data.length);
  expect(to).toBeLessThanOrEqual(total);
  expect(page).toBeLessThanOrEqual(lastPage);
  expect(links.prev !== null).toBe(from > 1);
  expect(links.next !== null).toBe(to < total);
  if (to === total) expect(page).toBe(lastPage);
  if (from === 1 && data.length === perPage) expect(page).toBe(1);
  if (links.prev) expect(number(links.prev)).toBe(Math.max(1, page - 1));
  if (links.next) expect(number(links.next)).toBe(Math.min(page + 1, lastPage));
}

const change = fc.record({
  // Rows are even; what comes is odd, anywhere.
  added: fc.uniqueArray(
    fc.nat(80).map((n) => n * 2 + 1),
    { maxLength: 8 },
  ),
  removed: fc.uniqueArray(
    fc.integer({ min: 1, max: 60 }).map((n) => n * 2),
    { maxLength: 8 },
  ),
});
const walk = fc.record({
  rows: fc.integer({ min: 0, max: 60 }),
  perPage: fc.integer({ min: 1, max: 20 }),
  changes: fc.array(change, { maxLength: 12 }),
});

describe('following links while rows are added and removed', () => {
  /** Walks from a page on, with a change after each. @returns the ids seen, page by page, and those that stayed */
  async function walking(
    { rows, perPage, changes }: { rows: number; perPage: number; changes: { added: number[]; removed: number[] }[] },
    from: 'first' | 'last',
  ): Promise<{ pages: string[][]; stayed: string[] }> {
    const tenant = await service.integrator();
    const ages = upTo(rows).map((n) => n * 2);
    await add(tenant, ages);
    const start = (await tenant.rest('GET', `/customers?per_page=${perPage}`)).body.links[from];
    const stayed = new Set(ages);
    const pages: string[][] = [];
    const pending = [...changes];
    for (let next: string | null = start; next !== null;) {
      const { status, body, ...answer } = await follow(tenant, next);
      expect(status).toBe(200);
      expect(body.meta).toMatchObject({ per_page: perPage, total: await tenant.db.customer.count() });
      expectConsistent(body);
      pages.push(idsOf({ status, body, ...answer }));
      next = from === 'first' ? body.links.next : body.links.prev;

      const { added, removed } = pending.shift() ?? { added: [], removed: [] };
      const there = new Set((await tenant.db.customer.findMany()).map(({ id }) => id));
      const fresh = added.filter((age) => !there.has(idOf(age)));
      await add(tenant, fresh);
      await remove(tenant, removed);
      for (const age of removed) stayed.delete(age);
    }
    return { pages, stayed: [...stayed].map(idOf) };
  }

  it('along links.next returns every remaining row, and none twice', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async (walked) => {
        const { pages, stayed } = await walking(walked, 'first');
        const seen = pages.flat();
        expect(isInOrder(seen)).toBe(true);
        expect(stayed.filter((id) => !seen.includes(id))).toEqual([]);
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(walked.perPage);
      }),
      { numRuns: 40 },
    );
  });

  it('along links.prev too, as far as page 1', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async (walked) => {
        const { pages, stayed } = await walking(walked, 'last');
        const seen = pages.toReversed().flat();
        expect(isInOrder(seen)).toBe(true);
        expect(stayed.filter((id) => id < (seen[0] ?? '') && !seen.includes(id))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('gives pages whose meta, links, and rows agree, in any order of links', async () => {
    const step = fc.record({
      change,
      link: fc.constantFrom('first', 'last', 'prev', 'next', 'prev', 'next', 'number'),
      number: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(walk, fc.array(step, { maxLength: 15 }), async ({ rows, perPage }, steps) => {
        const tenant = await service.integrator();
        await add(
          tenant,
          upTo(rows).map((n) => n * 2),
        );
        let answer = await tenant.rest('GET', `/customers?per_page=${perPage}`);
        for (const { change: changed, link, number } of steps) {
          expectConsistent(answer.body);
          await remove(tenant, changed.removed);
          const there = new Set((await tenant.db.customer.findMany()).map(({ id }) => id));
          await add(
            tenant,
            changed.added.filter((age) => !there.has(idOf(age))),
          );
          const to = link === 'number' ? null : answer.body.links[link];
          answer = await (to
            ? follow(tenant, to)
            : tenant.rest('GET', `/customers?per_page=${perPage}&page=${number}`));
        }
        expectConsistent(answer.body);
      }),
      { numRuns: 60 },
    );
  });

  it('does so also while rows change during a page’s statements', async () => {
    const tenant = await service.integrator();
    await add(tenant, upTo(60));
    const stop = new AbortController();
    const churn = async (): Promise<void> => {
      for (let at = 0; !stop.signal.aborted; at = (at + 7) % 60) {
        await remove(tenant, [at, at + 1, at + 2]);
        await add(tenant, [at]).catch(() => {});
      }
    };
    const churning = churn();
    for (let round = 0; round < 60; round++) {
      const { body } = await tenant.rest('GET', `/customers?per_page=3&page=${(round % 20) + 1}`);
      expectConsistent(body);
      if (body.links.next) expectConsistent((await follow(tenant, body.links.next)).body);
      if (body.links.prev) expectConsistent((await follow(tenant, body.links.prev)).body);
      const { body: found } = await tenant.rest('GET', `/customers?per_page=3&q=1&page=${(round % 5) + 1}`);
      expectConsistent(found);
    }
    stop.abort();
    await churning;
  });

  it('ends at the last row, also if the total has changed', async () => {
    const tenant = await service.integrator();
    await add(tenant, upTo(6));
    const first = await tenant.rest('GET', '/customers?per_page=2');
    await remove(tenant, [5, 6]);
    await add(tenant, [7]);
    const second = await follow(tenant, first.body.links.next);
    expect(idsOf(second)).toEqual([idOf(4), idOf(3)]);
    const third = await follow(tenant, second.body.links.next);
    expect(idsOf(third)).toEqual([idOf(2), idOf(1)]);
    expect(third.body.links.next).toBe(null);
    expect(third.body.meta).toEqual({ current_page: 3, per_page: 2, total: 5, last_page: 3, from: 4, to: 5 });
    await remove(tenant, [1, 2, 7]);
    const empty = await follow(tenant, second.body.links.next);
    expect(empty.body.data).toEqual([]);
    expect(empty.body.meta).toEqual({ current_page: 3, per_page: 2, total: 2, last_page: 1, from: null, to: null });
    expect(empty.body.links.next).toBe(null);
    expect(new URL(empty.body.links.prev).search).toBe('?per_page=2&page=1');
  });
});

describe('a link’s cursor', () => {
  let tenant: Integrator;
  let next: URL;
  const get = async (edit: (query: URLSearchParams) => void): Promise<Answer> => {
    const url = new URL(next);
    edit(url.searchParams);
    return follow(tenant, url.href);
  };

  beforeEach(async () => {
    tenant = await service.integrator();
    await add(tenant, upTo(20));
    await add(tenant, [21, 22], 'SUPPLIER');
    next = new URL((await tenant.rest('GET', '/customers?per_page=5')).body.links.next);
    await add(tenant, [30, 31, 32]);
  });

  it('applies only to its page: another page number is read by offset', async () => {
    const all = [32, 31, 30, ...upTo(22).toReversed()].map(idOf);
    expect(idsOf(await get(() => {}))).toEqual(all.slice(8, 13));
    expect(idsOf(await get((query) => query.set('page', '3')))).toEqual(all.slice(10, 15));
    expect(idsOf(await get((query) => query.set('per_page', '4')))).toEqual(all.slice(4, 8));
    expect(idsOf(await get((query) => query.delete('cursor')))).toEqual(all.slice(5, 10));
    expect(idsOf(await tenant.rest('GET', '/customers?per_page=5&page=2'))).toEqual(all.slice(5, 10));
  });

  it('holds the page number and the total', async () => {
    const { body } = await get((query) => {
      query.delete('page');
      query.delete('per_page');
    });
    expect(body.meta).toMatchObject({ current_page: 2, per_page: 5, from: 6, to: 10 });
    expect(body.data[0].id).toBe(idOf(17));
  });

  it('keeps filters', async () => {
    expect(idsOf(await get((query) => query.set('type', 'supplier')))).toEqual([]);
    const before = new URL((await follow(tenant, next.href)).body.links.prev);
    before.searchParams.set('type', 'supplier');
    expect(idsOf(await follow(tenant, before.href))).toEqual([22, 21].map(idOf));
  });

  it('works after its row is deleted, and shows another tenant only its own rows', async () => {
    await remove(tenant, [18]);
    expect(idsOf(await get(() => {}))[0]).toBe(idOf(17));
    const other = await service.integrator();
    await add(other, [3, 40]);
    expect(idsOf(await follow(other, next.href))).toEqual([idOf(3)]);
  });

  it('that is invalid is ignored, and the page is read by offset', async () => {
    const made = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const row = Buffer.from(idOf(20)).toString('base64url');
    const others = [
      '',
      'x',
      '%00',
      'null',
      idOf(20),
      row,
      made([1, 25]),
      made([0, 25, { after: row }]),
      made([1, 101, { after: row }]),
      made([1, 25, { after: row, before: row }]),
      made([1, 25, { after: 1 }]),
      made([1.5, 25, { after: row }]),
      made({ after: row }),
    ];
    const plain = await tenant.rest('GET', '/customers');
    for (const cursor of others) {
      const { status, body } = await tenant.rest('GET', `/customers?cursor=${cursor}`);
      expect([cursor, status, body.data, body.meta]).toEqual([cursor, 200, plain.body.data, plain.body.meta]);
      expect(new URL(body.links.first).searchParams.has('cursor')).toBe(false);
    }
    const faulty = await tenant.rest('GET', '/customers?cursor=x&page=0&type=foe');
    expect(Object.keys(faulty.body.errors).toSorted()).toEqual(['page', 'type']);
  });

  it('that is forged to name a page but no row is answered 422', async () => {
    for (const after of ['x', '', Buffer.from('NUMBER ASC').toString('base64url')]) {
      const cursor = Buffer.from(JSON.stringify([1, 25, { after }])).toString('base64url');
      const { status, body } = await tenant.rest('GET', `/customers?cursor=${cursor}`);
      expect([status, body.errors]).toEqual([422, { cursor: ['Must be a cursor of this list, in this order.'] }]);
    }
  });
});
