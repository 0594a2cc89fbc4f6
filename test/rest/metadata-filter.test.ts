import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../../schema/resource-list.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { makeCustomer } from '../graphql/books.ts';
import { samples } from '../resources.ts';
import { expectNoInternalError, invalidFields } from './samples.ts';

// `?metadata[key]=value`

let service: Service;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

/** The address of a list, with these parameters. */
const at = (path: string, ...pairs: [string, string][]): string =>
  `/${path}?${new URLSearchParams(pairs.map(([key, value]) => [`metadata[${key}]`, value])).toString()}`;

describe.each(resources.filter(({ model }) => model !== 'BankTransaction'))('GET /$path', ({ model, path }) => {
  it('finds rows that have each of these pairs, and those of the tenant only', async () => {
    const globex = await service.integrator({ name: 'Globex' });
    await samples[model].make(globex, { metadata: { a: '1', b: '2' } });
    const both = await samples[model].make(acme, { metadata: { a: '1', b: '2' } });
    const one = await samples[model].make(acme, { metadata: { a: '1' } });
    await samples[model].make(acme, { metadata: { a: '12', c: '1' } });
    const find = async (...pairs: [string, string][]) => {
      const { body } = await acme.rest('GET', at(path, ...pairs));
      expect(body.meta.total).toBe(body.data.length);
      return body.data.map(({ id }: { id: string }) => id);
    };
    expect(await find(['a', '1'])).toEqual([one, both]);
    expect(await find(['a', '1'], ['b', '2'])).toEqual([both]);
    expect(await find(['a', '9'], ['a', '1'])).toEqual([one, both]); // the last value
    expect(await find(['A', '1'])).toEqual([]);
    expect(await find(['a', '%'])).toEqual([]);
    expect(await find(['a', ''])).toEqual([]);
  });
});

it('finds any key', async () => {
  for (const key of [
    '__proto__',
    'constructor',
    'a]b',
    'a[b]',
    '[]',
    '"\'\\',
    'a.b',
    'é 🦆',
    '$1',
    '10',
    'a&b=c',
    'unitPrice',
  ]) {
    const id = await makeCustomer(acme, { metadata: JSON.parse(`{${JSON.stringify(key)}:"odd "}`) as object });
    const { body } = await acme.rest('GET', at('customers', [key, 'odd ']));
    expect([key, body.data?.map((row: { id: string }) => row.id)]).toEqual([key, [id]]);
    await acme.rest('DELETE', `/customers/${id}`);
  }
});

it('keeps it in the links of pages', async () => {
  await Promise.all([1, 2, 3].map(() => makeCustomer(acme, { metadata: { page: 'p&q' } })));
  const first = await acme.rest('GET', `${at('customers', ['page', 'p&q'])}&per_page=2`);
  const next = new URL(first.body.links.next);
  expect(next.searchParams.get('metadata[page]')).toBe('p&q');
  const second = await acme.rest('GET', `/customers${next.search}`);
  expect([first.body.data.length, second.body.data.length, second.body.meta.total]).toEqual([2, 1, 3]);
});

it('is refused at `metadata` where a key or a value can’t be one', async () => {
  const many = Array.from({ length: 21 }, (_, n): [string, string] => [`k${n}`, 'x']);
  for (const pairs of [many, [['', 'x']], [['x'.repeat(41), 'x']], [['a\0', 'x']], [['a', 'x'.repeat(501)]]] as [
    string,
    string,
  ][][])
    expect(invalidFields(await acme.rest('GET', at('customers', ...pairs)))).toEqual(['metadata']);
  expect((await acme.rest('GET', at('customers', ...many.slice(1)))).status).toBe(200);
});

it('is known with `Prefer: handling=strict`, where the list has it', async () => {
  const strict = { prefer: 'handling=strict' };
  const get = (path: string) => acme.rest('GET', path, undefined, strict);
  expect((await get(at('customers', ['a', '1'], ['b[]', '2']))).status).toBe(200);
  expect(invalidFields(await get('/customers?metadata=x'))).toEqual(['metadata']);
  expect(invalidFields(await get('/customers?metadata%5Ba=x'))).toEqual(['metadata[a']);
  expect(invalidFields(await get('/customers?type[a]=x'))).toEqual(['type[a]']);
  expect(invalidFields(await get(at('bank-transactions', ['a', '1'])))).toEqual(['metadata[a]']);
  expect((await acme.rest('GET', '/customers?metadata=x&metadata%5Ba=x')).status).toBe(200);
});

it('no request caused a fault', () => expectNoInternalError(service));
