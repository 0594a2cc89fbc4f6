import type { Tool } from '@modelcontextprotocol/server';
import type { JsonSchema } from '../../../rest-shim/openapi/schemas.ts';
import type { Ability } from '../../../schema/graphql/ability.ts';
import { graphqlTools } from './graphql-tools.ts';

/** How a tool's call becomes a request to REST. Arguments that stand nowhere else are fields of the body, or of the query. */
export interface RestTool {
  api: 'rest';
  tool: Tool;
  method: string;
  /** Relative to REST's base, as OpenAPI has it: `/customers/{id}`. */
  path: string;
  ability: Ability | undefined;
  /** The headers that arguments are sent as, by the argument's name. */
  headers: ReadonlyMap<string, string>;
}

export interface GraphqlTool {
  api: 'graphql';
  tool: Tool;
  method: 'GET' | 'POST';
}

export type AnyTool = RestTool | GraphqlTool;

interface Parameter extends JsonSchema {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  required?: boolean;
  schema: JsonSchema;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  'x-abilities'?: Ability[];
  parameters?: Parameter[];
  responses: Record<string, { content?: object }>;
  requestBody?: { required: boolean; content: Record<string, { schema: { $ref: string } }> };
}

/** A 304 has no body to show, so no tool takes tags for it. */
const leftOut = new Set(['If-None-Match']);

/** The paths where a POST can write something final: documents that are issued or booked at once, and a clock that never goes back. */
const finalAtOnce = new Set([
  '/invoices',
  '/invoices/batch',
  '/credit-notes',
  '/receipts',
  '/receipts/batch',
  '/test-clock',
]);

/** The requests that send data of the books to an address that the call names, or that was named before. */
const sendingOut = new Set([
  'post /webhooks',
  'patch /webhooks/{id}',
  'post /webhooks/{id}/ping',
  'post /deliveries/{id}/redeliver',
]);

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Whether a tool can have its body and its answer: not JSON Lines, of which there may be too many, and no attachments. */
const isBounded = ({ requestBody, responses }: Operation): boolean =>
  ![requestBody, responses['200']].some(
    (part) => part?.content && ['application/jsonl', 'image/jpeg'].some((type) => type in (part.content as object)),
  );

/** Derives all tools: one for each operation of REST, from its OpenAPI description, and those of GraphQL. */
export function deriveTools(description: JsonSchema): ReadonlyMap<string, AnyTool> {
  const paths = description['paths'] as Record<string, Record<string, Operation>>;
  const { schemas } = description['components'] as { schemas: Record<string, JsonSchema> };
  const tools = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) =>
      item[method] && isBounded(item[method]) ? [toTool(method, path, item[method], schemas)] : [],
    ),
  );
  return new Map([...tools, ...graphqlTools].map((each) => [each.tool.name, each]));
}

function toTool(method: string, path: string, operation: Operation, schemas: Record<string, JsonSchema>): RestTool {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const headers = new Map<string, string>();
  for (const [, id = ''] of path.matchAll(/\{(\w+)\}/g)) {
    properties[id] = { type: 'string', format: 'uuid' };
    required.push(id);
  }
  const ofBody = requestBody && schemas[parseName(Object.values(requestBody.content)[0]?.schema.$ref ?? '')];
  for (const [name, schema] of Object.entries((ofBody?.['properties'] ?? {}) as Record<string, JsonSchema>))
    if (schema['readOnly'] !== true && !(name in properties)) properties[name] = schema;
  required.push(...((ofBody?.['required'] ?? []) as string[]));
  for (const { name, in: place, schema, description: meaning, required: isRequired } of parameters) {
    if (leftOut.has(name)) continue;
    const argument = place === 'header' ? name.toLowerCase().replaceAll('-', '_') : name;
    properties[argument] = { ...schema, ...(meaning !== undefined && { description: meaning }) };
    if (place === 'header') headers.set(argument, name);
    if (isRequired) required.push(argument);
  }
  const isRead = method === 'get';
  const isBatch = path.endsWith('/batch');
  const isCreating = method === 'post' && (isBatch || !path.includes('{id}'));
  const inputSchema = withDefinitions(
    { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false },
    schemas,
  );
  return {
    api: 'rest',
    method: method.toUpperCase(),
    path,
    ability: operation['x-abilities']?.[0],
    headers,
    tool: {
      name: operationId,
      title: summary,
      description: [`${summary}.`, description].filter(Boolean).join(' '),
      inputSchema: inputSchema as Tool['inputSchema'],
      annotations: {
        title: summary,
        readOnlyHint: isRead,
        // Whatever doesn't only add: changes, deletions, and transitions, of which many are final.
        destructiveHint: !isRead && (!isCreating || finalAtOnce.has(path)),
        idempotentHint: method !== 'post',
        openWorldHint: sendingOut.has(`${method} ${path}`),
      },
    },
  };
}

const parseName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Adds the schemas that a schema refers to, directly or not, because a tool's schema stands alone. */
function withDefinitions(schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const copy = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(copy);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref: reference, ...others } = part as JsonSchema;
    const entries = Object.entries(others).filter(
      ([, value]) => !(typeof value === 'object' && value !== null && 'readOnly' in value),
    );
    const copied = Object.fromEntries(entries.map(([name, value]) => [name, copy(value)]));
    if (typeof reference !== 'string') return copied;
    const name = parseName(reference);
    if (!(name in definitions)) {
      definitions[name] = true; // a schema may refer to itself
      definitions[name] = copy(schemas[name]);
    }
    return { $ref: `#/$defs/${name}`, ...copied };
  };
  const copied = copy(schema) as JsonSchema;
  return { ...copied, ...(Object.keys(definitions).length > 0 && { $defs: definitions }) };
}
