import { describeApi } from '../../rest-shim/openapi/document.ts';
import { loadOperations } from '../../rest-shim/operation.ts';
import { routes } from '../../rest-shim/routes.ts';
import { toSchema } from '../../schema/index.ts';
import { toAnchor } from './markdown.ts';
import { formatTable } from './tables.ts';

// The API reference as Markdown, from the OpenAPI description: a page for each first part of a path, and an index.

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  readOnly?: boolean;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  additionalProperties?: boolean | Schema;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema: Schema; example?: unknown }>;

interface Response {
  $ref?: string;
  description: string;
  content?: Content;
}

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; description?: string; content: Content };
  responses: Record<string, Response>;
}

interface Description {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation> & { parameters?: Parameter[] }>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
  };
}

interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
  parameters: Parameter[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

const code = (text: string): string => `\`${text}\``;
/** Text within a cell of a table. */
const cell = (text: string): string => text.replaceAll(/\s*\n+\s*/g, ' ').replaceAll('|', '\\|');
const parseName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

function readDescription(): Description {
  const schema = toSchema();
  const described = describeApi({ schema, operations: loadOperations(schema) }, routes);
  return JSON.parse(JSON.stringify(described)) as Description;
}

const { info, tags, paths, components } = readDescription();

const resolve = (schema: Schema): Schema => {
  const target = schema.$ref === undefined ? undefined : components.schemas[parseName(schema.$ref)];
  // The properties beside a reference are about this use of the schema.
  return target ? { ...target, ...schema, $ref: undefined } : schema;
};

/** A value of a known set, or a later one; or null: what clients are told is the first. */
const simplify = (schema: Schema): Schema => {
  const resolved = resolve(schema);
  const [first] = resolved.anyOf ?? [];
  return first ? { ...resolve(first), ...resolved, anyOf: undefined } : resolved;
};

function formatType(given: Schema): string {
  const schema = simplify(given);
  const isNullable = [schema.type, ...(given.anyOf ?? []).map(({ type }) => type)].flat().includes('null');
  const orNull = isNullable ? ' or null' : '';
  const values = (schema.enum ?? []).filter((value) => value !== null);
  if (values.length > 0) return values.map((value) => code(String(value))).join(', ') + orNull;
  if (schema.const !== undefined) return code(String(schema.const));
  const types = [schema.type ?? (schema.properties ? 'object' : [])].flat().filter((type) => type !== 'null');
  if (types.includes('array') && schema.items) {
    const one = simplify(schema.items);
    return `list of ${one.properties ? 'objects' : formatType(schema.items)}${orNull}`;
  }
  const format = schema.format === undefined ? '' : ` (${schema.format})`;
  return `${types.join(' or ') || 'any'}${format}${orNull}`;
}

function formatBounds(given: Schema): string {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, ...schema } = simplify(given);
  const range = (low: number | undefined, high: number | undefined, unit: string): string[] => {
    if (high === undefined) return low === undefined || low === 0 ? [] : [`At least ${low}${unit}.`];
    return [low === undefined ? `At most ${high}${unit}.` : `${low} to ${high}${unit}.`];
  };
  return [
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' of them'),
    ...range(minimum, maximum, ''),
    ...(schema.default === undefined ? [] : [`Default: ${code(JSON.stringify(schema.default))}.`]),
  ].join(' ');
}

const describe = (schema: Schema): string =>
  cell(
    [schema.description ?? simplify(schema).description?.split('\n\n')[0] ?? '', formatBounds(schema)]
      .filter(Boolean)
      .join(' '),
  );

const maxDepth = 4;

/** A row for each field, those of objects within it below. */
function listFields(given: Schema, isRequest: boolean, prefix = '', depth = 0): string[][] {
  const schema = simplify(given);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    // A request may contain what only answers have.
    if (isRequest && field.readOnly === true) return [];
    const path = `${prefix}${name}`;
    const needed = isRequest && schema.required?.includes(name) ? ', required' : '';
    const resolved = simplify(field);
    const inner = resolved.items ? simplify(resolved.items) : resolved;
    const below =
      inner.properties && depth < maxDepth
        ? listFields(inner, isRequest, `${path}${resolved.items ? '[]' : ''}.`, depth + 1)
        : [];
    return [[code(path), formatType(field) + needed, describe(field)], ...below];
  });
}

const formatFields = (rows: string[][]): string => formatTable(['name', 'type', 'meaning'], rows);

const formatParameters = (parameters: Parameter[]): string =>
  formatFields(
    parameters.map((parameter) => [
      code(parameter.name),
      `${formatType(parameter.schema)}, ${parameter.in}${parameter.required ? ', required' : ''}`,
      cell([parameter.description ?? '', formatBounds(parameter.schema)].filter(Boolean).join(' ')),
    ]),
  );

/** A request that works with the shell of the quick start, for the ids that it names. */
function formatSample({ method, path, operation, parameters }: Endpoint): string {
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = needed.map(({ name }) => `${name}=${name.toUpperCase()}`).join('&');
  const address = `$KONTOR/api/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())}${query && `?${query}`}`;
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const isJson = type === 'application/json';
  const text = JSON.stringify(body?.example, null, 2)?.replaceAll("'", String.raw`'\''`);
  const usual = body === undefined ? 'get' : 'post';
  return [
    `curl -s${method === usual ? '' : ` -X ${method.toUpperCase()}`} ${query ? `"${address}"` : address} \\\n  -H "Authorization: Bearer $TOKEN"`,
    ...(type === undefined ? [] : [`-H 'Content-Type: ${type}'`]),
    ...(type === undefined ? [] : [isJson ? `-d '${text}'` : '--data-binary @FILE']),
  ].join(' \\\n  ');
}

/** The component that an answer's `data` has, one or a list of. */
function findObject({ content }: Response): { name: string; isList: boolean } | undefined {
  const schema = resolve(content?.['application/json']?.schema ?? {});
  const data = schema.properties?.['data'];
  const ref = data?.$ref ?? data?.items?.$ref;
  return ref === undefined ? undefined : { name: parseName(ref), isList: data?.items !== undefined };
}

const toWords = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
const isSuccess = (status: string): boolean => status.startsWith('2');

function formatResponses({ operation }: Endpoint): string {
  const all = Object.entries(operation.responses);
  const lines = all
    .filter(([status, { $ref }]) => isSuccess(status) || $ref === undefined)
    .map(([status, response]) => {
      const object = findObject(response);
      const types = Object.keys(response.content ?? {}).filter((type) => type !== 'application/json');
      const body = object
        ? ` \`data\`: ${object.isList ? 'a list of ' : ''}[${toWords(object.name)}](#object-${toSlug(object.name)}).`
        : '';
      return `- **${status}** ${response.description.replaceAll('\n', ' ')}${body}${types.length > 0 ? ` ${types.map(code).join(', ')}.` : ''}`;
    });
  const errors = all.filter(([status, { $ref }]) => !isSuccess(status) && $ref !== undefined).map(([status]) => status);
  return [...lines, `- Errors: ${errors.join(', ')} ([what they mean](/docs/api#errors)).`].join('\n');
}

const toSlug = (name: string): string => toWords(name).replaceAll(' ', '-');

function formatEndpoint(endpoint: Endpoint): string {
  const { method, path, operation, parameters } = endpoint;
  const { requestBody } = operation;
  const json = requestBody?.content['application/json'];
  const fields = json ? listFields(json.schema, true) : [];
  return [
    `## ${operation.summary}`,
    `**${code(`${method.toUpperCase()} ${path}`)}**`,
    ...(operation.description === undefined ? [] : [operation.description]),
    ...(parameters.length > 0 ? ['**Parameters**', formatParameters(parameters)] : []),
    ...(requestBody ? [`**Body${requestBody.required ? '' : ', which may be left out'}**`] : []),
    ...(requestBody?.description === undefined ? [] : [requestBody.description]),
    ...(fields.length > 0 ? [formatFields(fields)] : []),
    `\`\`\`sh\n${formatSample(endpoint)}\n\`\`\``,
    '**Answers**',
    formatResponses(endpoint),
  ].join('\n\n');
}

/** The objects that answers of these endpoints have, with an example of each. */
function formatObjects(endpoints: Endpoint[]): string[] {
  const examples = new Map<string, unknown>();
  for (const { operation } of endpoints)
    for (const response of Object.values(operation.responses)) {
      const object = findObject(response);
      if (!object || examples.has(object.name)) continue;
      const example = response.content?.['application/json']?.example as { data?: unknown } | undefined;
      examples.set(object.name, object.isList ? (example?.data as unknown[] | undefined)?.[0] : example?.data);
    }
  return [...examples].map(([name, example]) => {
    const schema = components.schemas[name] ?? {};
    const rows = listFields(schema, false);
    const kinds = (schema.oneOf ?? []).map(({ $ref = '' }) => code(parseName($ref))).join(', ');
    return [
      `## Object: ${toWords(name)}`,
      ...(schema.description === undefined ? [] : [schema.description]),
      ...(rows.length > 0 ? [formatFields(rows)] : []),
      ...(kinds ? [`One of ${kinds}, as [the OpenAPI description](/api/v1/openapi.json) has them.`] : []),
      ...(example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``]),
    ].join('\n\n');
  });
}

const endpoints: Endpoint[] = Object.entries(paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method];
    if (!operation) return [];
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
      parameter.$ref === undefined ? parameter : (components.parameters[parseName(parameter.$ref)] ?? parameter),
    );
    return [{ method, path, operation, parameters }];
  }),
);

const groups = [...Map.groupBy(endpoints, ({ path }) => path.split('/')[1] ?? '')];
const titles: Record<string, string> = { me: 'The caller' };
const formatTitle = (group: string): string =>
  titles[group] ?? group.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase());

function buildIndex(): string {
  const list = groups.flatMap(([group, all]) => [
    `### ${formatTitle(group)}`,
    formatTable(
      ['request', 'what it does'],
      all.map(({ method, path, operation: { summary } }) => [
        code(`${method.toUpperCase()} ${path}`),
        `[${cell(summary)}](/docs/api-${group}#${toAnchor(summary)})`,
      ]),
    ),
  ]);
  const errors = Object.entries(listErrors()).map(([status, descriptions]) => [status, cell(descriptions.join(' '))]);
  return [
    '# API reference',
    info.description,
    'Programs read [the OpenAPI description](/api/v1/openapi.json), from which this reference is made. Try requests in [the console](/docs/console).',
    '## Requests',
    ...list,
    '## Errors',
    formatTable(['status', 'when'], errors),
  ].join('\n\n');
}

/** The descriptions of each status that all requests share. */
function listErrors(): Record<string, string[]> {
  const found: Record<string, Set<string>> = {};
  for (const { operation } of endpoints)
    for (const [status, { $ref }] of Object.entries(operation.responses)) {
      const shared = $ref === undefined ? undefined : components.responses[parseName($ref)];
      if (shared) (found[status] ??= new Set()).add(shared.description);
    }
  return Object.fromEntries(Object.entries(found).map(([status, all]) => [status, [...all]]));
}

function formatIntroduction(all: Endpoint[]): string {
  const requests = all.map(({ method, path }) => code(`${method.toUpperCase()} ${path}`)).join(', ');
  const about = tags.find(({ name }) => name === all[0]?.operation.tags[0])?.description ?? '';
  return `The ${all.length === 1 ? 'request' : 'requests'} ${requests}. ${about}`;
}

/** The pages of the reference, the index first. */
export const buildApiReference = (): { slug: string; text: string }[] => [
  { slug: 'api', text: buildIndex() },
  ...groups.map(([group, all]) => ({
    slug: `api-${group}`,
    text: [`# ${formatTitle(group)}`, formatIntroduction(all), ...all.map(formatEndpoint), ...formatObjects(all)].join(
      '\n\n',
    ),
  })),
];
