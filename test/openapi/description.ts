import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { describeApi } from '../../rest-shim/openapi/document.ts';
import { loadOperations } from '../../rest-shim/operation.ts';
import { routes } from '../../rest-shim/routes.ts';
import { toSchema } from '../../schema/index.ts';
import type { Answer } from '../harness.ts';

// The API description as a client reads it: plain JSON by the rules of OpenAPI.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  not?: Schema;
  default?: unknown;
  readOnly?: boolean;
  deprecated?: boolean;
  description?: string;
  additionalProperties?: boolean | Schema;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  deprecated?: boolean;
  /** `deepObject`: each key of the object is in brackets. */
  style?: string;
  schema: Schema;
}

export interface Content {
  'application/json': { schema: Schema; example: unknown };
}

export interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  /** JSON, or a file. */
  content?: Record<string, { schema: Schema; example?: unknown }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  deprecated?: boolean;
  'x-abilities'?: string[];
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response & { $ref?: string }>;
}

export interface Description {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, { required?: boolean; schema: Schema; example?: unknown }>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
  };
}

/** The description of the current code, as parsed JSON. */
export function description(): Description {
  const schema = toSchema();
  return JSON.parse(JSON.stringify(describeApi({ schema, operations: loadOperations(schema) }, routes))) as Description;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof methods)[number];

export interface Endpoint {
  path: string;
  method: Method;
  operation: Operation;
}

/** Every operation of a description. */
export const operations = ({ paths }: Description): Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  );

export interface ApiValidator {
  /** Resolves a reference. Anything else is returned unchanged. */
  resolve<T extends object>(node: T & { $ref?: string }): T;
  /** The violations of a schema of the description by a value. */
  violations(schema: Schema, value: unknown): string[];
  /** Fails unless the description documents the answer for the operation. */
  check(endpoint: Endpoint, answer: Answer): void;
}

/** Adds `additionalProperties: false` to all objects. Clients must accept new fields, but answers must document theirs. */
function closed<Node extends object>(node: Node): Node {
  return JSON.parse(JSON.stringify(node), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && 'properties' in value && !('additionalProperties' in value)
      ? { ...value, additionalProperties: false }
      : value,
  ) as Node;
}

export function createApiValidator(document: Description): ApiValidator {
  const ajv = new Ajv2020({ strict: false, allErrors: true, multipleOfPrecision: 6 });
  addFormats.default(ajv);
  ajv.addSchema(closed(document), 'api');
  const resolve: ApiValidator['resolve'] = (node) => {
    if (node.$ref === undefined) return node;
    const keys = node.$ref.slice('#/'.length).split('/');
    return keys.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document) as typeof node;
  };
  const compiled = new WeakMap<Schema, ValidateFunction>();
  const compile = (schema: Schema): ValidateFunction => {
    const known = compiled.get(schema);
    if (known) return known;
    const validate = ajv.compile(
      closed(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"api#')) as object),
    );
    compiled.set(schema, validate);
    return validate;
  };
  const violations: ApiValidator['violations'] = (schema, value) => {
    const validate = compile(schema);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  return {
    resolve,
    violations,
    check({ path, method, operation }, { status, headers, body, text }) {
      const about = { path, method, status };
      const found = operation.responses[status];
      expect({ ...about, documented: Object.keys(operation.responses) }).toEqual({
        ...about,
        documented: expect.arrayContaining([String(status)]),
      });
      const response = resolve(found ?? { description: '' });
      expect({ ...about, missing: invalidHeaders(headers, response.headers ?? {}) }).toEqual({ ...about, missing: [] });
      const types = Object.keys(response.content ?? {});
      const { schema } = response.content?.['application/json'] ?? {};
      if (types.length > 0 && !schema) {
        expect(types, `${method} ${path}: the type`).toContain(headers.get('content-type')?.split(';')[0]);
      } else if (schema) {
        expect(headers.get('content-type')).toBe('application/json');
        const wrong = violations(schema, body);
        expect({ ...about, wrong, text: wrong.length > 0 && text }).toEqual({ ...about, wrong: [], text: false });
      } else {
        expect({ ...about, text }).toEqual({ ...about, text: '' });
      }
    },
  };

  /** Documented headers that are missing or invalid, and undocumented headers of the service. */
  function invalidHeaders(sent: Headers, documented: NonNullable<Response['headers']>): string[] {
    const wrong = Object.entries(documented).flatMap(([name, reference]) => {
      const { required, schema } = resolve<Partial<Description['components']['headers'][string]>>(reference);
      const value = sent.get(name);
      if (value === null) return required ? [`${name}: missing`] : [];
      const read = schema?.type === 'integer' ? Number(value) : value;
      return violations(schema ?? {}, read).map((violation) => `${name}: ${value} ${violation}`);
    });
    const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
    const ours = Object.keys(document.components.headers).map((name) => name.toLowerCase());
    return [
      ...wrong,
      ...ours.filter((name) => sent.has(name) && !known.has(name)).map((name) => `${name}: undocumented`),
    ];
  }
}
