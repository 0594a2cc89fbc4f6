import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources, type Resource } from '../../schema/resource-list.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { samples } from '../resources.ts';
import { characters, expectNoInternalError, refusal } from '../rest/samples.ts';
import { newRow, postNew } from './new-rows.ts';

// The promises of `metadata`, for each resource that clients write.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const written = resources.filter(({ model }) => model !== 'BankTransaction');
const updated = written.filter(({ model }) => model !== 'CreditNote');

const post = async (resource: Resource, metadata: unknown): Promise<Answer> =>
  postNew(acme, await newRow(acme, resource, { metadata }));

/** A body with this JSON as its metadata. JSON.stringify() would not write every one. */
const postCustomer = (json: string): Promise<Answer> =>
  acme.rest('POST', '/customers', `{"type":"customer","company_name":"x","metadata":${json}}`);

const pairs = (count: number, value: unknown = 'x'): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, value]));

/** Keys that something between the socket and PostgreSQL might give a meaning. */
const odd = {
  unitPriceNet: 'camel',
  unit_price_net: 'snake',
  constructor: 'c',
  toString: 't',
  $type: 'Raw',
  'a.b': 'dot',
  'a[b]': 'brackets',
  '"\\\'': 'quotes',
  '10': 'ten',
  '9': 'nine',
  é: 'two bytes',
  zz: ' spaces stay ',
  empty: '',
  '%_': 'wildcards',
  toJSON: 'text',
  tenantId_id: 'a unique key of Prisma',
  AND: 'an operator',
};
const oddJson = JSON.stringify(odd).replace('{', '{"__proto__":"own",');
const oddParsed = JSON.parse(oddJson) as Record<string, string>;

describe.each(written)('metadata of $path', (resource) => {
  it('is answered as it was sent, the same by GET, the list, the event, and GraphQL', async () => {
    const made = await post(resource, JSON.parse(oddJson));
    expect(made.status).toBe(201);
    const { id, metadata } = made.body.data;
    const path = `/${resource.path}/${id}`;
    expect(Object.entries(metadata).toSorted()).toEqual(Object.entries(oddParsed).toSorted());
    const written_ = JSON.stringify(metadata);
    const got = await acme.rest('GET', path);
    expect(got.text).toContain(`"metadata":${written_}`);
    if (resource.model !== 'CreditNote' && resource.model !== 'Payment')
      expect(got.headers.get('etag')).toBe(made.headers.get('etag'));
    expect((await acme.rest('GET', `/${resource.path}?per_page=1`)).text).toContain(`"metadata":${written_}`);
    const events = await acme.rest(
      'GET',
      `/events?resource_id=${id}&type=${resource.name}.${resource.model === 'Payment' ? 'recorded' : 'created'}`,
    );
    expect(events.text).toContain(`"metadata":${written_}`);
    const field = resource.name.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase());
    const answer = await acme.graphqlAnswer(`query ($id: UUID!) { ${field}(id: $id) { metadata } }`, { id });
    expect(answer.text).toContain(`"metadata":${written_}`);
  });

  it('is empty without any', async () => {
    for (const none of [undefined, null, {}, { gone: null }])
      expect((await post(resource, none)).body.data.metadata).toEqual({});
  });

  it('has at most 20 pairs of bounded strings', async () => {
    const most = pairs(20, characters(500));
    expect((await post(resource, most)).body.data.metadata).toEqual(most);
    expect((await post(resource, { [characters(40)]: 'x' })).status).toBe(201);
    const wrong = [
      pairs(21),
      pairs(10_000),
      { a: 'x'.repeat(900_000) },
      { a: characters(501) },
      { [characters(41)]: 'x' },
      { '': 'x' },
      { a: 1 },
      { a: true },
      { a: ['x'] },
      { a: { b: 'x' } },
      { 'a\0': 'x' },
      { a: '\0' },
      { a: '\ud800' },
      { '\ud800': 'x' },
      ['x'],
      [],
      'x',
      5,
      true,
    ];
    for (const value of wrong) {
      const { metadata: errors, ...others } = refusal(await post(resource, value), 422);
      const about = JSON.stringify(value).slice(0, 60);
      expect({ about, others, count: errors?.length }).toEqual({ about, others: {}, count: 1 });
    }
  });
});

describe.each(updated)('an update of metadata of $path', (resource) => {
  const { model } = resource;
  const make = (metadata: object) => samples[model].make(acme, { metadata });
  const update = async (id: string, metadata: unknown) => {
    const mutation = `mutation ($id: UUID!, $input: Update${model}Input!) { row: update${model}(id: $id, input: $input) { metadata version } }`;
    return acme.graphqlAnswer(mutation, { id, input: { metadata } });
  };
  const updates = async (id: string) =>
    (await acme.rest('GET', `/events?resource_id=${id}&type=${resource.name}.updated`)).body.meta.total;

  it('sets and removes the keys that it names; null removes all', async () => {
    const id = await make({ a: '1', b: '2', c: '3' });
    const steps: [unknown, object][] = [
      [
        { b: null, c: '4', d: '5' },
        { a: '1', c: '4', d: '5' },
      ],
      [
        JSON.parse('{"__proto__":"p","constructor":"c"}'),
        JSON.parse('{"a":"1","c":"4","d":"5","__proto__":"p","constructor":"c"}'),
      ],
      [JSON.parse('{"__proto__":null,"toString":null}'), { a: '1', c: '4', d: '5', constructor: 'c' }],
      [null, {}],
      [JSON.parse(oddJson), oddParsed],
    ];
    for (const [change, after] of steps) {
      const { body } = await update(id, change);
      expect(Object.entries(body.data.row.metadata).toSorted()).toEqual(Object.entries(after).toSorted());
    }
    const { rows } = await service.pool.query(`select metadata from ${resource.path.replace('-', '_')} where id = $1`, [
      id,
    ]);
    expect(Object.entries(rows[0].metadata).toSorted()).toEqual(Object.entries(oddParsed).toSorted());
  });

  it('that changes nothing writes nothing, and makes no event', async () => {
    const id = await make({ b: '1', a: '2' });
    for (const same of [{}, { a: '2' }, { a: '2', b: '1' }, { c: null }, undefined])
      expect((await update(id, same)).body.data.row.version).toBe(1);
    expect(await updates(id)).toBe(0);
    expect((await update(id, { a: '3' })).body.data.row.version).toBe(2);
    expect(await updates(id)).toBe(1);
  });

  it('has at most 20 pairs as its result', async () => {
    const id = await make(pairs(20));
    const full = (await update(id, { another: 'x' })).body.errors[0].extensions;
    expect(full.errors).toEqual({ 'input.metadata': ['Must not have more than 20 pairs.'] });
    expect(full.details[0]).toMatchObject({ code: 'wrong_count', params: { min: 0, max: 20 } });
    const swapped = {
      ...pairs(20, null),
      ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`new ${n}`, 'x'])),
    };
    expect(Object.keys((await update(id, swapped)).body.data.row.metadata)).toHaveLength(20);
    expect((await update(id, pairs(41, null))).body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
  });
});

it('of the same key twice in JSON, the last one counts', async () => {
  expect((await postCustomer('{"a":"1","a":"2"}')).body.data.metadata).toEqual({ a: '2' });
});

it('is written in a GraphQL document, too', async () => {
  const create = (metadata: string) =>
    acme.graphqlAnswer(`mutation { createProject(input: { name: "x", metadata: ${metadata} }) { metadata } }`);
  expect((await create('{ __proto__: "a", camelCase: "b" }')).text).toContain(
    '"metadata":{"__proto__":"a","camelCase":"b"}',
  );
  for (const wrong of ['{ a: 1 }', '{ a: { b: "x" } }', '["x"]', '"x"'])
    expect((await create(wrong)).body.errors).toHaveLength(1);
});

it('needs the ability that the resource needs', async () => {
  const reader = await service.integrator({ abilities: ['customers:read'] });
  const body = { type: 'customer', company_name: 'x', metadata: { a: 'x' }, external_id: 'x' };
  expect((await reader.rest('POST', '/customers', body)).status).toBe(403);
  expect((await reader.rest('GET', '/projects?metadata[a]=x')).status).toBe(403);
});

it('no request caused a fault', () => expectNoInternalError(service));
