import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { toSnakeCase } from '../../rest-shim/snake-case.ts';
import { eventTypes } from '../../schema/events/events.ts';
import { version } from '../../schema/version.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { startService, type Service } from '../harness.ts';
import { refusal } from '../rest/samples.ts';
import { createApiValidator, description, operations, type Description, type Schema } from './description.ts';

const address = '/api/v1/openapi.json';
const api = description();
const validator = createApiValidator(api);
const sdl = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');

let service: Service;
beforeAll(async () => {
  service = await startService({
    corsOrigins: ['https://app.example'],
    limiter: () => createRateLimiter({ limit: 1, store: memoryStore() }),
  });
});
afterAll(() => service.close());

describe('the description', () => {
  it('is valid OpenAPI 3.1 by a public validator', async () => {
    const schemaValidator = new Validator();
    const { valid, errors } = await schemaValidator.validate({ ...structuredClone(api) });
    expect({ valid, errors, version: schemaValidator.version }).toEqual({
      valid: true,
      errors: undefined,
      version: '3.1',
    });
  });

  it('has the version that answers have as Kontor-Version', async () => {
    const { headers, body } = await service.request('GET', address);
    expect([body.info.version, headers.get('kontor-version')]).toEqual([version, version]);
  });

  it('has every endpoint of REST v1, and no other', () => {
    const described = operations(api).map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    const served = routes.map(([method, path]) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(described.toSorted()).toEqual(served.toSorted());
    expect(api.servers).toEqual([{ url: '/api/v1' }]);
  });

  it('has a unique camelCase operation id for each operation and webhook', () => {
    const webhooks = Object.values(api.webhooks).map(({ post }) => post.operationId);
    const ids = [...operations(api).map(({ operation }) => operation.operationId), ...webhooks];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Za-z]*$/);
    expect(ids).toEqual(expect.arrayContaining(['getProfile', 'listCustomers', 'createInvoice', 'onInvoicePaid']));
  });

  it('has a summary and a described tag for every operation', () => {
    for (const { operation } of operations(api)) {
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(api.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags));
    }
    for (const tag of api.tags) expect(tag.description).not.toBe('');
  });

  it('has only examples that are valid by their schemas', () => {
    const examplePaths: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('example' in node && 'schema' in node) {
        examplePaths.push(path);
        expect({ path, violations: validator.violations(node.schema as Schema, node.example) }).toEqual({
          path,
          violations: [],
        });
      }
      for (const [key, value] of Object.entries(node)) if (key !== 'example') visit(value, `${path}/${key}`);
    };
    visit(api, '');
    const bodies = operations(api).filter(({ operation }) => operation.requestBody?.content['application/json']);
    for (const { path, method } of bodies)
      expect(examplePaths).toContain(`/paths/${path}/${method}/requestBody/content/application/json`);
    for (const event of Object.keys(api.webhooks)) {
      expect(examplePaths).toContain(`/webhooks/${event}/post/requestBody/content/application/json`);
    }
  });

  it('has every event in its webhooks section', () => {
    expect(Object.keys(api.webhooks).toSorted()).toEqual([...eventTypes, 'webhook.ping'].toSorted());
  });

  it('has no GraphQL spelling of a name', () => {
    const names = new Set(
      Object.values(buildSchema(sdl).getTypeMap()).flatMap((type) =>
        isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [],
      ),
    );
    const foreign = [...names].filter((name) => name !== toSnakeCase(name));
    const said = JSON.stringify({ ...api, paths: withoutOperationIds(api) });
    for (const name of foreign) expect([name, new RegExp(`[\`"]${name}[\`"]`).test(said)]).toEqual([name, false]);
  });
});

const withoutOperationIds = ({ paths }: Description): unknown =>
  JSON.parse(JSON.stringify(paths, (key, value: unknown) => (key === 'operationId' ? undefined : value)));

describe('description, SDL, and server agree', () => {
  const bounds = /^$|^ (At (most|least) [\d.]+( \w+)?\. ?|[\d.]+ to \d+( of them)?\. ?)+$/;

  it('answers and bodies have the SDL’s names, descriptions, and required fields', () => {
    const graphql = buildSchema(sdl);
    const compared = Object.entries(api.components.schemas).flatMap(([name, schema]) => {
      const type = graphql.getType(name);
      if (!isObjectType(type) && !isInputObjectType(type)) return [];
      if (name === 'BulkResult' || name === 'ProblemDetail') return []; // parts of files and errors, in REST's form
      const fields = new Map(Object.values(type.getFields()).map((field) => [toSnakeCase(field.name), field]));
      for (const [property, { description: said, readOnly }] of Object.entries(schema.properties ?? {})) {
        if (readOnly) continue;
        const field = fields.get(property);
        // In the SDL the bounds may follow as text.
        const described = field?.description?.replace(/`[a-z]+[A-Z]\w*`/g, toSnakeCase) ?? '';
        expect([name, property, said]).toEqual([name, property, described.slice(0, said?.length)]);
        expect([name, property, described.slice(said?.length)]).toEqual([
          name,
          property,
          expect.stringMatching(bounds),
        ]);
        if (isInputObjectType(type)) {
          const required = schema.required?.includes(property);
          expect([name, property, required]).toEqual([name, property, field && isNonNullType(field.type)]);
        }
      }
      return [name];
    });
    expect(compared).toEqual(expect.arrayContaining(['Invoice', 'CreateInvoiceInput', 'InvoiceItemInput', 'Profile']));
  });

  it('the server serves this description and this SDL', async () => {
    expect((await service.request('GET', address)).body).toEqual(api);
    const who = await service.integrator();
    const { body } = await who.graphqlAnswer(
      getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true }),
    );
    expect(`${printSchema(lexicographicSortSchema(buildClientSchema(body.data)))}\n`).toBe(sdl);
  });
});

describe(`GET ${address}`, () => {
  it('needs no token and counts towards no limit', async () => {
    const who = await service.integrator();
    for (let count = 0; count < 3; count++) {
      const { status, headers } = await who.rest('GET', '/openapi.json');
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    }
    expect((await who.rest('GET', '/me')).status).toBe(200);
    expect((await service.request('GET', address, { headers: { authorization: 'Bearer nonsense' } })).status).toBe(200);
  });

  it('has a stable ETag, and answers 304 to a matching If-None-Match', async () => {
    const { headers } = await service.request('GET', address);
    const tag = headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await service.request('GET', address, { headers: { 'if-none-match': known } });
      expect([known, answer.status, answer.text, answer.headers.get('etag')]).toEqual([known, 304, '', tag]);
    }
    expect((await service.request('GET', address, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('HEAD is answered as GET, without the body', async () => {
    const [get, head] = [await service.request('GET', address), await service.request('HEAD', address)];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
  });

  it('can be read by pages of any origin, also of an unconfigured one', async () => {
    for (const origin of ['https://app.example', 'https://elsewhere.example']) {
      const { headers } = await service.request('GET', address, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      const preflight = {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      };
      const answer = await service.request('OPTIONS', address, { headers: preflight });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toBe('if-none-match');
    }
  });

  it('answers 405 to any other method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await service.request(method, address);
      refusal(answer, 405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    }
  });
});
