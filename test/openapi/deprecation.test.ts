import { buildSchema, printSchema, type GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { describeApi } from '../../rest-shim/openapi/document.ts';
import { compileOperations, loadOperations } from '../../rest-shim/operation.ts';
import { createRouter } from '../../rest-shim/router.ts';
import type { Route } from '../../rest-shim/routes.ts';
import type { Context } from '../../schema/graphql/context.ts';
import { parseDeprecation } from '../../schema/graphql/deprecation.ts';
import { toSchema } from '../../schema/index.ts';
import type { Description } from './description.ts';

// Nothing is deprecated yet. So this test translates and serves a small schema as the real one.

const say = (day: string, sunset: string): string => `Use another. Deprecated since ${day}, gone from ${sunset}.`;
const reason = (day = '2026-11-21', sunset = '2027-05-21'): string =>
  `@deprecated(reason: ${JSON.stringify(say(day, sunset))})`;

const schema = buildSchema(`
  scalar UUID
  type Query {
    thing(id: UUID!): Thing!
    things(name: String, size: Int ${reason('2026-12-01', '2027-06-01')}): Thing!
    old: Old! ${reason('2027-01-01', '2028-01-01')}
  }
  type Mutation { createThing(input: ThingInput!): Thing! }
  input ThingInput { name: String, colour: String ${reason('2027-02-01', '2027-09-01')} }
  type Thing { id: UUID!, name: String! }
  type Old { name: String!, size: Int! ${reason()} }
`);
const answering = (type: GraphQLObjectType | null | undefined, value: object): void => {
  for (const field of Object.values(type?.getFields() ?? {})) field.resolve = () => value;
};
const thing = { id: '0190a1b2-c3d4-7000-8000-000000000000', name: 'x', size: 1 };
answering(schema.getQueryType(), thing);
answering(schema.getMutationType(), thing);

const domain = {
  schema,
  operations: compileOperations(schema, [
    'query getThing($id: UUID!) { result: thing(id: $id) { id name } }',
    'query listThings($name: String, $size: Int) { result: things(name: $name, size: $size) { id name } }',
    'query getOld { result: old { name size } }',
    'mutation createThing($input: ThingInput!) { result: createThing(input: $input) { id name } }',
  ]),
};
const rows: Route[] = [
  ['GET', '/things/:id', 'getThing', 'item'],
  ['GET', '/things', 'listThings', 'item'],
  ['POST', '/things', 'createThing', 'created'],
  ['GET', '/old', 'getOld', 'item'],
];

const router = createRouter(domain, { url: 'http://kontor.example' }, rows);
async function announced(path: string, body?: object): Promise<(string | null)[]> {
  const request = new Request(`http://kontor.example/api/v1${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const context = { may: () => true } as unknown as Context;
  const report = (error: unknown): never => {
    throw error;
  };
  const response = await router(request, { context, requestId: '1', report });
  const { status, headers } = response;
  expect(status).toBe(body ? 201 : 200);
  // A creation without an event answers the fields that its document selects.
  if (body) expect(await response.json()).toEqual({ data: { id: thing.id, name: thing.name } });
  return [headers.get('deprecation'), headers.get('sunset')];
}
const at = (day: string): string => `@${Date.parse(day) / 1000}`;

describe('a @deprecated directive of the schema', () => {
  it('is in the SDL, with its dates', () => {
    expect(printSchema(schema)).toContain(
      '@deprecated(reason: "Use another. Deprecated since 2026-11-21, gone from 2027-05-21.")',
    );
  });

  it('sets the headers Deprecation (RFC 9745) and Sunset (RFC 8594) of an answer with the field', async () => {
    // The earlier of the dates of the endpoint and of its field.
    expect(await announced('/old')).toEqual([at('2026-11-21'), 'Fri, 21 May 2027 00:00:00 GMT']);
  });

  it('sets them for a parameter or a body field only if it is sent', async () => {
    expect(await announced('/things?name=x')).toEqual([null, null]);
    expect(await announced('/things?size=1')).toEqual([at('2026-12-01'), 'Tue, 01 Jun 2027 00:00:00 GMT']);
    expect(await announced('/things', { name: 'x' })).toEqual([null, null]);
    expect(await announced('/things', { colour: 'red' })).toEqual([at('2027-02-01'), 'Wed, 01 Sep 2027 00:00:00 GMT']);
    expect(await announced(`/things/${thing.id}`)).toEqual([null, null]);
  });

  it('marks its operation, parameter, or field as deprecated in OpenAPI', () => {
    // The webhook payloads need the real operations.
    const real = loadOperations(toSchema());
    const whole = { ...domain, operations: new Map([...real, ...domain.operations]) };
    const api = JSON.parse(JSON.stringify(describeApi(whole, rows))) as Description;
    expect(api.paths['/old']?.['get']?.deprecated).toBe(true);
    expect(api.paths['/things']?.['get']?.deprecated).toBeUndefined();
    const parameters = api.paths['/things']?.['get']?.parameters ?? [];
    const ofQuery = parameters.filter(({ in: where }) => where === 'query');
    expect(ofQuery.map(({ name, deprecated: is }) => [name, is])).toEqual([
      ['name', undefined],
      ['size', true],
    ]);
    expect(api.components.schemas['Old']?.properties?.['size']?.deprecated).toBe(true);
    expect(api.components.schemas['ThingInput']?.properties).toMatchObject({ colour: { deprecated: true }, name: {} });
    expect(Object.keys(api.paths['/old']?.['get']?.responses['200']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset']),
    );
  });
});

describe('a deprecation', () => {
  it('must be announced six months ahead', () => {
    expect(() => parseDeprecation(say('2026-11-21', '2027-05-20'))).toThrow('not before 2027-05-21');
    const parsed = { since: new Date('2026-08-31'), sunset: new Date('2027-02-28') };
    expect(parseDeprecation(say('2026-08-31', '2027-02-28'))).toEqual(parsed);
  });

  it('without dates is an error at startup', () => {
    expect(parseDeprecation(undefined)).toBeUndefined();
    expect(() => parseDeprecation('No longer supported')).toThrow('needs its dates');
    const careless = buildSchema('type Query { old: String @deprecated }');
    const operations = compileOperations(careless, ['query getOld { result: old }']);
    expect(() =>
      createRouter({ schema: careless, operations }, { url: '' }, [['GET', '/old', 'getOld', 'item']]),
    ).toThrow('needs its dates');
  });
});
