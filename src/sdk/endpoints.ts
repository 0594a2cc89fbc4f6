import { z } from 'zod';

// Reads from an OpenAPI description which methods the SDK has, and which types they take and return.

const jsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof jsonSchema>;

const content = z.object({ 'application/json': z.object({ schema: jsonSchema }) });
const responseContent = z.record(z.string(), z.object({ schema: jsonSchema }));
const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  description: z.string().optional(),
  deprecated: z.boolean().optional(),
  schema: jsonSchema,
});
type Parameter = z.infer<typeof parameter>;

const operation = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  description: z.string().default(''),
  deprecated: z.boolean().default(false),
  parameters: z.array(z.union([parameter, z.object({ $ref: z.string() })])).default([]),
  requestBody: z
    .object({
      required: z.boolean().default(false),
      content: content
        .or(z.object({ 'application/jsonl': z.unknown() }))
        .or(z.object({ 'application/pdf': z.unknown() })),
    })
    .optional(),
  responses: z.record(z.string(), z.object({ content: responseContent.optional() })),
});
type Operation = z.infer<typeof operation>;

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The parts of an OpenAPI description that the SDK is generated from. */
export const openApi = z.object({
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(
    z.string(),
    z.object({
      get: operation.optional(),
      post: operation.optional(),
      put: operation.optional(),
      patch: operation.optional(),
      delete: operation.optional(),
    }),
  ),
  webhooks: z.record(z.string(), z.object({ post: z.object({ requestBody: z.object({ content }) }) })),
  components: z.object({ schemas: z.record(z.string(), jsonSchema), parameters: z.record(z.string(), parameter) }),
});
export type OpenApi = z.infer<typeof openApi>;

/** The result of a method. `item` is the `data` of the response, `body` the whole response, and `file` its bytes. */
type Result =
  | { kind: 'list' | 'item' | 'body'; type: string }
  | { kind: 'nothing'; type: 'void' }
  | { kind: 'file'; type: 'Blob' };

/** A method of the SDK. */
export interface Endpoint {
  method: string;
  path: string;
  tag: string;
  /** The client's property that has the method, such as `timeEntries`. Undefined if the client itself has it: `me()`. */
  resource: string | undefined;
  name: string;
  documentation: string;
  query: { type: string; isRequired: boolean; schema: JsonSchema } | undefined;
  input: { type: string; isRequired: boolean } | undefined;
  /** Whether it takes the bytes of a file. */
  takesFile: boolean;
  /** The type of the options. */
  options: string;
  result: Result;
}

/** @throws Error if the SDK has no name for a type */
export const readEndpoints = (document: OpenApi): Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const described = item[method];
      return described && !isStream(described) ? [readEndpoint(document, method.toUpperCase(), path, described)] : [];
    }),
  );

/** JSON Lines, in or out: the client has methods of its own for them. */
const isStream = ({ requestBody, responses }: Operation): boolean =>
  [requestBody, responses['200']].some((part) => part?.content && 'application/jsonl' in part.content);

function readEndpoint(document: OpenApi, method: string, path: string, described: Operation): Endpoint {
  const { operationId, tags, summary, description, deprecated } = described;
  const parameters = described.parameters.map((each) => ('$ref' in each ? resolve(document, each.$ref) : each));
  const [, segment = '', ...rest] = path.split('/');
  const result = findResult(document, described);
  // There is one of it: its operations keep their names.
  const isRead = method === 'GET' || method === 'PUT';
  const isAlone = isRead && result.kind === 'item' && !path.includes('{id}') && !document.paths[path]?.post;
  const isOfClient = isAlone && method === 'GET' && !document.paths[path]?.put && rest.length === 0;
  return {
    method,
    path,
    tag: tags[0],
    resource: isOfClient ? undefined : camelCase(segment),
    name: isOfClient ? camelCase(segment) : getName(operationId, isAlone ? [] : buildNames(segment, tags[0])),
    documentation: [`${summary}.`, description, deprecated && '@deprecated'].filter(Boolean).join('\n'),
    query: findQuery(
      operationId,
      parameters.filter((each) => each.in === 'query'),
    ),
    input: findInput(described),
    takesFile: described.requestBody !== undefined && 'application/pdf' in described.requestBody.content,
    options: findOptions(method, parameters),
    result,
  };
}

function resolve({ components }: OpenApi, $ref: string): Parameter {
  const found = components.parameters[lastSegment($ref)];
  if (!found) throw new Error(`OpenAPI: there is no ${$ref}`);
  return found;
}

/** Of a resource: in the plural, and in the singular where it is that of the path and not another resource's. */
function buildNames(segment: string, tag: string): string[] {
  const [plural, singular] = [pascalCase(segment), pascalCase(tag.replace(/ list$/, ''))];
  return plural.startsWith(singular.slice(0, -1)) ? [plural, singular] : [plural];
}

/** `listTimeEntries` of `TimeEntries` is `list`. The id of an operation without a resource's name is kept. */
function getName(operationId: string, resources: string[]): string {
  const found = resources.find((resource) => operationId.includes(resource));
  return found ? operationId.replace(found, '') : operationId;
}

/** As json-schema-to-typescript spells it. A query may name a parameter that has no value. */
const undefinedType = { tsType: 'undefined' };

function findQuery(operationId: string, parameters: Parameter[]): Endpoint['query'] {
  if (parameters.length === 0) return undefined;
  const required = parameters.filter((each) => each.required).map(({ name }) => name);
  const properties = Object.fromEntries(
    parameters.map(({ name, required: isRequired, schema, ...annotations }) => [
      name,
      { ...annotations, ...(isRequired ? schema : { anyOf: [schema, undefinedType] }) },
    ]),
  );
  return {
    type: `${pascalCase(operationId)}Query`,
    isRequired: required.length > 0,
    schema: { type: 'object', required, properties },
  };
}

function findOptions(method: string, parameters: Parameter[]): string {
  const isConditional = parameters.some(({ name }) => name === 'If-Match');
  const types = [method === 'POST' ? 'PostOptions' : [], isConditional ? 'ConditionalOptions' : []].flat();
  return types.join(' & ') || 'RequestOptions';
}

function findInput({ operationId, requestBody }: Operation): Endpoint['input'] {
  if (!requestBody || !('application/json' in requestBody.content)) return undefined;
  const { schema } = requestBody.content['application/json'];
  return { type: referredName(schema, operationId), isRequired: requestBody.required };
}

function findResult({ components }: OpenApi, { operationId, responses }: Operation): Result {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  if (!success?.content) return { kind: 'nothing', type: 'void' };
  const schema = success.content['application/json']?.schema;
  if (!schema) return { kind: 'file', type: 'Blob' };
  const { properties } = envelope.parse(
    '$ref' in schema ? components.schemas[referredName(schema, operationId)] : schema,
  );
  if (properties.links && properties.data?.items)
    return { kind: 'list', type: referredName(properties.data.items, operationId) };
  if ('$ref' in schema) return { kind: 'body', type: referredName(schema, operationId) };
  return { kind: 'item', type: referredName(properties.data ?? {}, operationId) };
}

const envelope = z.object({
  properties: z.object({
    data: jsonSchema.and(z.object({ items: jsonSchema.optional() })).optional(),
    links: z.unknown().optional(),
  }),
});

const lastSegment = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

function referredName({ $ref }: JsonSchema, operationId: string): string {
  if (typeof $ref !== 'string') throw new Error(`OpenAPI: ${operationId} has a type without a name`);
  return lastSegment($ref);
}

/** `time-entries` → `timeEntries`. */
export const camelCase = (text: string): string =>
  text.replace(/[-_ ](\w)/g, (_match, letter: string) => letter.toUpperCase());

/** `time-entries` → `TimeEntries`. */
export const pascalCase = (text: string): string => camelCase(text).replace(/^\w/, (letter) => letter.toUpperCase());
