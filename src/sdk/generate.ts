import { mkdir, rename, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { format } from 'oxfmt';
import { describeApi } from '../../rest-shim/openapi/document.ts';
import { loadOperations } from '../../rest-shim/operation.ts';
import { routes } from '../../rest-shim/routes.ts';
import { toSchema } from '../../schema/index.ts';
import {
  camelCase,
  openApi,
  pascalCase,
  readEndpoints,
  type Endpoint,
  type JsonSchema,
  type OpenApi,
} from './endpoints.ts';

/** Writes the SDK's sources that depend on the OpenAPI description: client/generated/. */
export async function generate(): Promise<void> {
  const schema = toSchema();
  const document = openApi.parse(describeApi({ schema, operations: loadOperations(schema) }, routes));
  const endpoints = readEndpoints(document);
  const sources = {
    'types.ts': await generateTypes(document, endpoints),
    'api.ts': await generateApi(document, endpoints),
  };
  const folder = new URL('client/generated/', import.meta.url);
  await mkdir(folder, { recursive: true });
  for (const [name, source] of Object.entries(sources)) {
    // A process that reads the file meanwhile sees it whole.
    const temporary = new URL(`${name}.${process.pid}`, folder);
    await writeFile(temporary, source);
    await rename(temporary, new URL(name, folder));
  }
}

const style = { singleQuote: true, printWidth: 120 };
const banner = '// Generated from the OpenAPI description by src/sdk/generate.ts.\n';

/** The types of inputs, queries, responses, and events. Those of errors are left out: the SDK has classes for them. */
function generateTypes({ components, webhooks }: OpenApi, endpoints: Endpoint[]): Promise<string> {
  const events = Object.entries(webhooks).map(([event, { post }]) => [
    event,
    post.requestBody.content['application/json'].schema,
  ]);
  const schemas: Record<string, JsonSchema> = {
    ...components.schemas,
    ...Object.fromEntries(endpoints.flatMap(({ query }) => (query ? [[query.type, query.schema]] : []))),
    WebhookEvents: buildObject(Object.fromEntries(events), 'The events that webhooks receive, by name.'),
  };
  const used = endpoints.flatMap(({ query, input, result }) => [query?.type, input?.type, result.type]);
  const names = [
    'BulkResult',
    'PageLinks',
    'PageMeta',
    'ProblemCode',
    'ProblemDetail',
    'Warning',
    'WebhookEvents',
    ...used,
  ].filter((name) => name !== undefined && name in schemas);
  const root = buildObject(
    Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    'All types, by name.',
  );
  const $defs = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, forTypes(withRequiredFields(schema, schemas))]),
  );
  return compile({ ...root, $defs }, 'Schemas', {
    bannerComment: banner,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    style,
  });
}

const buildObject = (properties: Record<string, JsonSchema>, description: string): JsonSchema => ({
  type: 'object',
  description,
  required: Object.keys(properties),
  properties,
});

/** Requires fields of all alternatives of a union, which json-schema-to-typescript leaves optional. */
function withRequiredFields(
  { oneOf, required, ...schema }: JsonSchema,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  if (!Array.isArray(oneOf) || !Array.isArray(required)) return { ...schema, oneOf, required };
  const [{ $ref } = {}] = oneOf as JsonSchema[];
  const { properties } = schemas[String($ref).replace(components, '')] ?? {};
  const fields = Object.entries(isSchema(properties) ? properties : {}).filter(([name]) => required.includes(name));
  const { description } = schema;
  return { description, allOf: [{ type: 'object', required, properties: Object.fromEntries(fields) }, { oneOf }] };
}

const components = '#/components/schemas/';

/**
 * A schema as json-schema-to-typescript reads it. Fields that a request may contain but the service ignores are left out:
 * they have no type. A reference with a description would become a second type. A union of known texts and any text would
 * become any text, and editors would suggest none.
 */
const forTypes = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (!isSchema(value)) return value;
    if (isOpenEnum(value)) return { ...value, anyOf: [...value.anyOf.slice(0, -1), { tsType: 'string & {}' }] };
    const { $ref, ...others } = value;
    if (others['readOnly'] === true && !('type' in others)) return undefined;
    if (typeof $ref !== 'string') return value;
    const local = { $ref: $ref.replace(components, '#/$defs/') };
    return Object.keys(others).length === 0 ? local : { ...others, allOf: [local] };
  }) as JsonSchema;

const isOpenEnum = (value: JsonSchema): value is JsonSchema & { anyOf: JsonSchema[] } => {
  const alternatives: unknown = value['anyOf'];
  if (!Array.isArray(alternatives)) return false;
  const last: unknown = alternatives.at(-1);
  return isSchema(last) && last['type'] === 'string' && Object.keys(last).length === 1;
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A class for each resource, and one that has them all. */
async function generateApi({ tags }: OpenApi, endpoints: Endpoint[]): Promise<string> {
  const resources = Map.groupBy(endpoints, ({ resource }) => resource);
  const ofClient = resources.get(undefined) ?? [];
  resources.delete(undefined);
  const names = [...resources.keys()].filter((name) => name !== undefined);
  const types = endpoints.flatMap(({ query, input, result }) =>
    [query?.type ?? [], input?.type ?? [], result.type].flat(),
  );
  const classes = [...resources].map(([name = '', ofResource]) => {
    const { description = '' } = tags.find((tag) => tag.name === ofResource[0]?.tag) ?? {};
    return `${comment(description)}\nexport class ${pascalCase(name)} extends Resource {\n${ofResource.map(buildMethod).join('\n\n')}\n}`;
  });
  const source = `${banner}
    import type { HttpClient } from '../http-client.ts';
    import { List } from '../list.ts';
    import type { ConditionalOptions, PostOptions, RequestOptions } from '../options.ts';
    import { Resource } from '../resource.ts';
    import type { ${[...new Set(types)].filter((name) => name !== 'void' && name !== 'Blob').join(', ')} } from './types.ts';

    ${classes.join('\n\n')}

    /** All resources. */
    export class Api extends Resource {
      ${names.map((name) => `readonly ${name}: ${pascalCase(name)};`).join('\n')}

      constructor(client: HttpClient) {
        super(client);
        ${names.map((name) => `this.${name} = new ${pascalCase(name)}(client);`).join('\n')}
      }

      ${ofClient.map(buildMethod).join('\n\n')}
    }`;
  const { code, errors } = await format('api.ts', source, style);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
}

function buildMethod({
  method,
  path,
  name,
  documentation,
  query,
  input,
  takesFile,
  options,
  result,
}: Endpoint): string {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => `${camelCase(id)}: string`);
  const argument = (as: string, given: { type: string; isRequired: boolean } | undefined): string[] =>
    given ? [`${as}: ${given.type}${given.isRequired ? '' : ' = {}'}`] : [];
  const parameters = [
    ...ids,
    ...(takesFile ? ['file: Blob'] : []),
    ...argument('input', input),
    ...argument('query', query),
    `options: ${options} = {}`,
  ];
  const url = `\`${path.replaceAll(/\{(\w+)\}/g, (_match, id: string) => `\${encodeURIComponent(${camelCase(id)})}`)}\``;
  const call = `{ ${[query && 'query', input && 'body: input', takesFile && 'file', 'options'].filter(Boolean).join(', ')} }`;
  const head = `${comment(documentation)}\n${result.kind === 'item' ? 'async ' : ''}${name}(${parameters.join(', ')})`;
  if (result.kind === 'list')
    return `${head}: List<${result.type}> { return new List(this.client, ${url}, query, options); }`;
  if (result.kind === 'file') return `${head}: Promise<Blob> { return this.client.download(${url}, ${call}); }`;
  if (result.kind !== 'item')
    return `${head}: Promise<${result.type}> { return this.client.request('${method}', ${url}, ${call}); }`;
  return `${head}: Promise<${result.type}> {
    const { data } = await this.client.request<{ data: ${result.type} }>('${method}', ${url}, ${call});
    return data;
  }`;
}

const comment = (text: string): string =>
  `/**\n${text
    .replaceAll('*/', '*\\/')
    .split('\n')
    .map((line) => ` * ${line}`.trimEnd())
    .join('\n')}\n */`;

if (import.meta.main) await generate();
