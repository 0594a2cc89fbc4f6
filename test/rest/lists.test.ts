import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { create, invalidFields } from './samples.ts';

let service: Service;
let acme: Integrator;
/** Newest first. */
let ids: string[];

const lists = ['/customers', '/invoices', '/receipts', '/projects', '/time-entries', '/bank-transactions'];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  ids = [];
  for (let count = 0; count < 30; count++) ids.unshift((await create(acme, '/customers', sample.customer)).id);
});
afterAll(() => service.close());

const url = (path: string) => `${service.url}/api/v1${path}`;
const idsOn = async (path: string) => (await acme.rest('GET', path)).body.data.map((row: { id: string }) => row.id);

describe('paging', () => {
  it('answers page 1 with 25 rows by default, newest first, in the envelope of lists', async () => {
    const { status, body } = await acme.rest('GET', '/customers');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: ids.slice(0, 25).map((id) => expect.objectContaining({ id })),
      links: {
        first: url('/customers?page=1'),
        last: url('/customers?page=2'),
        prev: null,
        next: expect.stringContaining(url('/customers?page=2&cursor=')),
      },
      meta: { current_page: 1, per_page: 25, total: 30, last_page: 2, from: 1, to: 25 },
    });
  });

  it('links are absolute URLs that keep every query parameter, also unknown ones', async () => {
    const query = 'per_page=7&type=customer&q=k%C3%BC%26&q=kund&utm=1&a%5B%5D=1&a%5B%5D=2&page=';
    const { body } = await acme.rest('GET', `/customers?${query}3`);
    for (const [name, page] of [
      ['first', 1],
      ['last', 5],
      ['prev', 2],
      ['next', 4],
    ] as const) {
      const link = new URL(body.links[name]);
      expect(link.origin + link.pathname).toBe(url('/customers'));
      expect(link.searchParams.has('cursor')).toBe(name === 'prev' || name === 'next');
      link.searchParams.delete('cursor');
      expect([...link.searchParams].toSorted()).toEqual([...new URLSearchParams(`${query}${page}`)].toSorted());
    }
    expect(body.meta).toEqual({ current_page: 3, per_page: 7, total: 30, last_page: 5, from: 15, to: 21 });
  });

  it('the next links reach every row once, and the prev links lead back', async () => {
    const seen: string[] = [];
    let at: string | null = url('/customers?per_page=7');
    let last = at;
    while (at) {
      const { body } = await service.request('GET', at, { headers: { authorization: `Bearer ${acme.token}` } });
      seen.push(...body.data.map((row: { id: string }) => row.id));
      last = at;
      at = body.links.next;
    }
    expect(seen).toEqual(ids);
    expect(new URL(last).searchParams.get('page')).toBe('5');
    const { links, meta } = (await acme.rest('GET', '/customers?per_page=7&page=5')).body;
    const prev = expect.stringContaining(url('/customers?per_page=7&page=4&cursor='));
    expect({ prev: links.prev, next: links.next }).toEqual({ prev, next: null });
    expect(meta).toEqual({ current_page: 5, per_page: 7, total: 30, last_page: 5, from: 29, to: 30 });
  });

  it('answers 200 with data: [] after the last page', async () => {
    for (const page of [3, 1_000_000_000]) {
      for (const perPage of [25, 100]) {
        const { status, body } = await acme.rest('GET', `/customers?page=${page}&per_page=${perPage}`);
        expect({ status, data: body.data, next: body.links.next }).toEqual({ status: 200, data: [], next: null });
        const last_page = perPage === 25 ? 2 : 1;
        expect(body.meta).toEqual({
          current_page: page,
          per_page: perPage,
          total: 30,
          last_page,
          from: null,
          to: null,
        });
      }
    }
  });

  it.each(lists)(
    'an empty list of %s: total 0, last_page 1, first and last both page 1, next and prev null',
    async (path) => {
      const nobody = await service.integrator();
      const { status, body } = await nobody.rest('GET', path);
      expect(status).toBe(200);
      expect(body).toEqual({
        data: [],
        links: { first: url(`${path}?page=1`), last: url(`${path}?page=1`), prev: null, next: null },
        meta: { current_page: 1, per_page: 25, total: 0, last_page: 1, from: null, to: null },
      });
    },
  );

  it('per_page: 1 to 100', async () => {
    expect(await idsOn('/customers?per_page=1&page=30')).toEqual(ids.slice(29));
    expect(await idsOn('/customers?per_page=100')).toEqual(ids);
  });

  it.each(lists)(
    'answers 422 to a page or per_page of %s outside its bounds or that is no whole number',
    async (path) => {
      const bad = [
        '0',
        '-1',
        '1.5',
        '1e9',
        '',
        'x',
        '0x1',
        'NaN',
        'Infinity',
        '99999999999999999999',
        '1,2',
        '%00',
        'null',
      ];
      for (const value of [...bad, '1000000001']) {
        expect([value, invalidFields(await acme.rest('GET', `${path}?page=${value}`))]).toEqual([value, ['page']]);
      }
      for (const value of [...bad, '101']) {
        expect([value, invalidFields(await acme.rest('GET', `${path}?per_page=${value}`))]).toEqual([
          value,
          ['per_page'],
        ]);
      }
      expect(invalidFields(await acme.rest('GET', `${path}?page=0&per_page=0`))).toEqual(['page', 'per_page']);
    },
  );

  it('an invalid page and an invalid filter are reported together', async () => {
    const answer = await acme.rest('GET', '/invoices?page=0&per_page=101&status=x&customer_id=y');
    expect(invalidFields(answer)).toEqual(['customer_id', 'page', 'per_page', 'status']);
  });
});

describe('query parameters', () => {
  it.each(lists)('are ignored if unknown: %s', async (path) => {
    const plain = await acme.rest('GET', path);
    for (const query of [
      'first=1',
      'offset=3',
      'input=x',
      'after=x',
      'id=x',
      '__proto__=x',
      'constructor=1',
      'a[b]=c',
      '&&=',
      '%zz',
    ]) {
      const { status, body } = await acme.rest('GET', `${path}?${query}`);
      expect([query, status, body.data, body.meta]).toEqual([query, 200, plain.body.data, plain.body.meta]);
    }
  });

  it('have no spaces around, and filter nothing if they are a blank text', async () => {
    const who = await service.integrator();
    const { id } = await who.db.customer.create({
      data: { type: 'CUSTOMER', companyName: 'Blank & Sons', externalId: 'of another' },
    });
    await create(who, '/customers', sample.customer);
    const idsOf = async (query: string): Promise<string[]> =>
      (await who.rest('GET', `/customers?${query}`)).body.data.map((row: { id: string }) => row.id);
    const all = await idsOf('');
    expect(all).toHaveLength(2);
    for (const blank of ['', '%20', '%09%0A', '%20'.repeat(300)])
      expect(await idsOf(`external_id=${blank}&q=${blank}`)).toEqual(all);
    expect(await idsOf('external_id=%20of%20another%20')).toEqual([id]);
    expect(await idsOf('external_id=other&external_id=of%20another')).toEqual([id]);
    expect(await idsOf('q=%20blank%20sons%20')).toEqual([id]);
    const spaced = `external_id=${'%20'.repeat(9)}${'x'.repeat(255)}`;
    expect(await idsOf(spaced)).toEqual([]);
    expect(invalidFields(await who.rest('GET', `/customers?${spaced}x`))).toEqual(['external_id']);
  });

  it.each([...lists, '/changes'])(
    'are refused if unknown, and the client prefers strict handling: %s',
    async (path) => {
      const known = path === '/changes' ? 'limit=5&wait=0' : 'page=1&per_page=5';
      for (const prefer of ['handling=strict', 'respond-async, Handling = "strict"; x=y', 'wait=5,handling=strict']) {
        const refused = await acme.rest('GET', `${path}?${known}&staus=paid&__proto__=1&staus=x`, undefined, {
          prefer,
        });
        expect(refused.status).toBe(422);
        expect(refused.body.errors).toEqual({
          staus: ['This parameter is not known here.'],
          ['__proto__']: ['This parameter is not known here.'],
        });
        const answered = await acme.rest('GET', `${path}?${known}`, undefined, { prefer });
        expect([answered.status, answered.headers.get('preference-applied')]).toEqual([200, 'handling=strict']);
      }
      for (const prefer of ['handling=lenient', 'handling=stricter', 'xhandling=strict', 'return=minimal']) {
        const answered = await acme.rest('GET', `${path}?staus=paid`, undefined, { prefer });
        expect([answered.status, answered.headers.get('preference-applied')]).toEqual([200, null]);
      }
    },
  );

  it('every described parameter is known', async () => {
    const { body } = await service.request('GET', '/api/v1/openapi.json');
    const prefer = { prefer: 'handling=strict' };
    let tried = 0;
    for (const [path, { get }] of Object.entries<{
      get?: { parameters?: { in: string; name: string; style?: string }[] };
    }>(body.paths)) {
      const names = (get?.parameters ?? [])
        .filter((each) => each.in === 'query')
        .map(({ name, style }) => (style === 'deepObject' ? `${name}[a]` : name));
      for (const name of names) {
        tried += 1;
        const { body: answer } = await acme.rest(
          'GET',
          `${path.replace('{id}', sample.unknownId)}?${name}=1`,
          undefined,
          prefer,
        );
        expect(answer.errors?.[name] ?? []).not.toContain('This parameter is not known here.');
      }
    }
    expect(tried).toBeGreaterThan(30);
  });

  it('are ignored for a single row', async () => {
    for (const path of ['/me', `/customers/${ids[0]}`]) {
      expect((await acme.rest('GET', `${path}?page=0&type=x`)).status).toBe(200);
    }
  });
});
