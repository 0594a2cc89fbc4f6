import { z } from 'zod';
import { describeApi } from '../../../rest-shim/openapi/document.ts';
import type { JsonSchema } from '../../../rest-shim/openapi/schemas.ts';
import { loadOperations } from '../../../rest-shim/operation.ts';
import { routes } from '../../../rest-shim/routes.ts';
import { toSchema } from '../../../schema/index.ts';
import type { FieldType, Flag, RemoteOperation } from './operations.ts';

/** Derives the operations of this version of the service. */
export function deriveOperations(): RemoteOperation[] {
  const schema = toSchema();
  return buildOperations(describeApi({ schema, operations: loadOperations(schema) }, routes));
}

interface Schema {
  type?: string | string[] | undefined;
  $ref?: string | undefined;
  format?: string | undefined;
  description?: string | undefined;
  enum?: unknown[] | undefined;
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
  items?: Schema | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  readOnly?: boolean | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    $ref: z.string().optional(),
    format: z.string().optional(),
    description: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    anyOf: z.array(schema).optional(),
    oneOf: z.array(schema).optional(),
    items: schema.optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    readOnly: z.boolean().optional(),
  }),
);
const content = z.record(z.string(), z.object({ schema }));
const parameter = z.object({
  name: z.string(),
  in: z.string(),
  description: z.string().optional(),
  required: z.boolean().optional(),
  schema: schema.optional(),
});
const operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  parameters: z.array(z.union([parameter, z.object({ $ref: z.string() })])).optional(),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional() })),
});
const methods = ['get', 'post', 'patch', 'put', 'delete'] as const;
const description = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: operation.optional(),
      post: operation.optional(),
      patch: operation.optional(),
      put: operation.optional(),
      delete: operation.optional(),
    }),
  ),
  components: z.object({
    schemas: z.record(z.string(), schema),
    parameters: z.record(z.string(), parameter),
  }),
});
type Components = z.infer<typeof description>['components'];

/** Lists the operations of an OpenAPI description. @throws Error for a description of another form */
export function buildOperations(openapi: JsonSchema): RemoteOperation[] {
  const { paths, components } = description.parse(openapi);
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const described = item[method];
      return described && !isStream(described) ? [buildOperation(method, path, described, components)] : [];
    }),
  );
}

/** JSON Lines, in or out: a command of its own has them. */
const isStream = ({ requestBody, responses }: z.infer<typeof operation>): boolean =>
  [requestBody, responses['200']].some((part) => part?.content && 'application/jsonl' in part.content);

function buildOperation(
  method: string,
  path: string,
  {
    operationId,
    tags: [tag = ''] = [],
    summary = '',
    parameters = [],
    requestBody,
    responses,
  }: z.infer<typeof operation>,
  components: Components,
): RemoteOperation {
  const body = jsonIn(requestBody?.content, components);
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const properties = jsonIn(success?.content, components)?.properties ?? {};
  const data = resolve(properties['data'], components);
  const isFile = success?.content !== undefined && !('application/json' in success.content);
  const isExportFile = isFile && path.startsWith('/exports/'); // `export` moves a tenant
  const isList = data?.type === 'array' && 'links' in properties;
  const resource = data?.type === 'array' ? resolve(data.items, components) : data;
  const given = parameters.map((each) =>
    '$ref' in each ? components.parameters[getName(each.$ref)] : each,
  ) as z.infer<typeof parameter>[];
  return {
    verb: isExportFile
      ? 'download'
      : isFile
        ? tag.toLowerCase().replaceAll(' ', '-')
        : (/^[a-z]+/.exec(operationId)?.[0] ?? operationId),
    noun:
      path.includes('/attachments') && !isFile
        ? 'attachments'
        : readsAnother(method, path) || path.startsWith('/test-helpers/')
          ? toNoun(operationId)
          : `${path.split('/').at(isFile && !isExportFile ? -1 : 1) ?? ''}${path.endsWith('/batch') ? '-batch' : ''}`,
    method: method.toUpperCase(),
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    flags: [
      ...given
        .filter((each) => each.in === 'query' || each.in === 'header')
        .filter(({ name }) => !(isList && pagingParameters.has(name)))
        .map((each) => buildFlag(each.name, each.in === 'query' ? 'query' : 'header', each, each.schema, components)),
      ...Object.entries(body?.properties ?? {})
        .filter(([, { readOnly }]) => !readOnly)
        .map(([name, each]) =>
          buildFlag(name, 'body', { ...each, required: body?.required?.includes(name) }, each, components),
        )
        .map((flag) => (reserved.has(flag.name) ? { ...flag, name: `${toSingular(path)}-${flag.name}` } : flag)),
    ].filter(({ name }) => !reserved.has(name)),
    hasBody: body !== undefined,
    takesFile: requestBody !== undefined && 'application/pdf' in requestBody.content,
    summary,
    result: isFile ? 'file' : isList ? 'list' : data ? 'item' : 'results' in properties ? 'batch' : 'none',
    fields: new Map(
      Object.entries(resource?.properties ?? {}).map(([name, each]) => [name, findFieldType(each, components)]),
    ),
  };
}

/** Whether an operation reads something else than what the first part of its path names. */
const readsAnother = (method: string, path: string): boolean =>
  method === 'get' && (path.startsWith('/reports/') || /\/(?:balance|check|credit|proof)$/.test(path));

/** `getOpenItems` → `open-items`. */
const toNoun = (operationId: string): string =>
  operationId
    .replace(/^[a-z]+/, '')
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();

/** `--limit` and `--all` stand for these. */
const pagingParameters = new Set(['page', 'per_page', 'cursor']);

/** `/webhooks/{id}` → `webhook`. */
const toSingular = (path: string): string => (path.split('/')[1] ?? '').replace(/s$/, '');

/**
 * Options of every command. A field of the body of such a name has the resource before it: `--webhook-url`. A parameter is
 * left out. So is `If-None-Match`: a 304 has no body to print.
 */
const reserved = new Set(['if-none-match', 'data', 'clear', 'json', 'columns', 'url', 'token', 'help']);

const getName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

const jsonIn = (types: z.infer<typeof content> | undefined, components: Components): Schema | undefined =>
  resolve(types?.['application/json']?.schema, components);

/** The schema that a reference, or a choice between a schema and null, stands for. Of several kinds, the first one. */
function resolve(given: Schema | undefined, components: Components): Schema | undefined {
  if (given?.$ref !== undefined) return resolve(components.schemas[getName(given.$ref)], components);
  const [choice] = given?.anyOf ?? given?.oneOf ?? [];
  if (choice) return resolve(choice, components);
  return given;
}

const getTypes = ({ type }: Schema): string[] => [type ?? []].flat().filter((each) => each !== 'null');

function buildFlag(
  field: string,
  place: Flag['in'],
  { description: text = '', required = false }: { description?: string | undefined; required?: boolean | undefined },
  given: Schema | undefined,
  components: Components,
): Flag {
  const resolved = resolve(given, components) ?? {};
  const types = getTypes(resolved);
  const choices = resolved.enum?.filter((value) => typeof value === 'string');
  return {
    name: field.toLowerCase().replaceAll('_', '-'),
    field,
    in: place,
    type: types.some((each) => each === 'array' || each === 'object')
      ? place === 'body'
        ? 'json'
        : 'list'
      : types.includes('number') || types.includes('integer')
        ? 'number'
        : types.includes('boolean')
          ? 'boolean'
          : 'text',
    choices: types.includes('boolean') ? ['true', 'false'] : choices,
    description: text,
    isRequired: required,
  };
}

function findFieldType(given: Schema, components: Components): FieldType {
  const types = getTypes(resolve(given, components) ?? {});
  if (types.some((each) => each === 'array' || each === 'object')) return 'nested';
  return types.includes('number') || types.includes('integer') ? 'number' : 'text';
}
