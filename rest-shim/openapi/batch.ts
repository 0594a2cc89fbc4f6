import { isAnnounced } from '../deprecation.ts';
import { maxBatch } from '../batch.ts';
import type { Operation } from '../operation.ts';
import type { Route } from '../routes.ts';
import { idempotencyKey, requestBody, resourceName, singleSchema } from './paths.ts';
import { announcing, errorSchemas, ofEveryAnswer, rateLimitHeaders, refusals, withHeaders } from './responses.ts';
import { acceptedSchema, component, type Components, type JsonSchema } from './schemas.ts';

const { required: inErrors, properties: ofErrors } = errorSchemas['ValidationError'] as {
  required: string[];
  properties: Record<string, JsonSchema>;
};
const { request_id: _inHeader, ...ofItems } = ofErrors;

/** The schemas that all batches share. */
export const batchSchemas: Record<string, JsonSchema> = {
  BatchItemError: {
    type: 'object',
    description: 'Why an item of a batch was not written. Its fields have the names of the single request.',
    required: ['status', 'message'],
    properties: {
      status: {
        type: 'integer',
        minimum: 400,
        maximum: 599,
        description:
          'The status of the single request. 424: not written, because another item was refused. 503: not begun; send it again.',
      },
      ...ofItems,
    },
  },
  BatchError: {
    type: 'object',
    required: inErrors,
    properties: {
      ...ofErrors,
      results: {
        type: 'array',
        description: 'With `atomic`: the result of each item, in order. Nothing was written.',
        items: { $ref: '#/components/schemas/BatchItemError' },
      },
    },
  },
};

/** The response to a batch that is refused. */
export const batchRefusal: JsonSchema = {
  description: 'The body is not valid, or with `atomic`, an item was refused. Nothing was written.',
  headers: withHeaders(...ofEveryAnswer, ...rateLimitHeaders, 'Idempotent-Replayed'),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/BatchError' },
      example: {
        message: 'items.1.company_name: Required.',
        errors: { 'items.1.company_name': ['Required.'] },
        details: [{ field: 'items.1.company_name', code: 'required', message: 'Required.', params: {} }],
        request_id: '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b',
        results: [
          { status: 424, message: 'Not written, because another item was refused.' },
          {
            status: 422,
            message: 'company_name: Required.',
            errors: { company_name: ['Required.'] },
            details: [{ field: 'company_name', code: 'required', message: 'Required.', params: {} }],
          },
        ],
      },
    },
  },
};

/** `/time-entries/batch` → `TimeEntries`. */
const collectionName = (path: string): string =>
  (path.split('/')[1] ?? '').replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());

/** Describes one row of the routes that takes many bodies, as an operation of OpenAPI. */
export function describeBatch(
  [method, path]: Route,
  operation: Operation,
  { tag, components }: { tag: string; components: Components },
): JsonSchema {
  const isCreating = method === 'POST';
  const name = `${isCreating ? 'Create' : 'Update'}Many${collectionName(path)}`;
  const { ability } = operation;
  const what = `up to ${maxBatch} ${(path.split('/')[1] ?? '').replaceAll('-', ' ')}`;
  const description = [
    `Each item is what ${isCreating ? 'the single POST' : 'the single PATCH'} takes${isCreating ? '' : ', with the `id`'}. The items run in order, and each has the result that it would have alone: one that is refused doesn't prevent the others, unless \`atomic\` is true. The batch is one request of the rate limit.`,
    ability && `Needs the ability \`${ability}\`.`,
  ];
  const input = component(components, `${name}Input`, {
    type: 'object',
    required: ['items'],
    properties: {
      items: { type: 'array', minItems: 1, maxItems: maxBatch, items: itemSchema(operation, isCreating, components) },
      atomic: {
        type: 'boolean',
        default: false,
        description: 'Whether all items are written or none. If one is refused, the answer is 422.',
      },
    },
    additionalProperties: false,
  });
  const headers = withHeaders(
    ...ofEveryAnswer,
    ...rateLimitHeaders,
    ...(isCreating ? ['Idempotent-Replayed'] : []),
    ...(isAnnounced(operation) ? Object.keys(announcing) : []),
  );
  const schema = resultsSchema(name, operation, isCreating, components);
  return {
    operationId: `${name[0]?.toLowerCase()}${name.slice(1)}`,
    tags: [tag],
    summary: `${isCreating ? 'Adds' : 'Changes'} ${what} by one request`,
    description: description.filter(Boolean).join(' '),
    ...(ability && { 'x-abilities': [ability] }),
    ...(isCreating && { parameters: [idempotencyKey] }),
    requestBody: requestBody(input),
    responses: {
      200: {
        description: 'The results, in the order of the items.',
        headers,
        content: { 'application/json': { schema } },
      },
      ...refusals([400, 401, 403, 405, 408, 413, 415, 429, 431, 500, 503]),
      422: { $ref: '#/components/responses/BatchRefused' },
    },
  };
}

const ifMatchOfItem: JsonSchema = {
  type: 'string',
  examples: ['*'],
  description:
    'What the single request has as its header `If-Match`: the `ETag` of the resource as the client has read it.',
};

/** The schema of one item: the body of the single request, and the id of the resource that it changes. */
function itemSchema({ field, shape }: Operation, isCreating: boolean, components: Components): JsonSchema {
  const input = field.args.find(({ name }) => name === 'input');
  if (!input) throw new Error(`rest-shim/routes.ts: ${field.name} takes no input, so there are no batches of it`);
  const { $ref } = acceptedSchema(input, components, shape.fields);
  if (isCreating) return { $ref };
  const name = String($ref).replace(/^.*\//, '');
  const { properties, ...single } = components.get(name) as { properties: Record<string, JsonSchema> };
  const id: JsonSchema = { type: 'string', format: 'uuid', description: 'The id of what is changed.' };
  return component(components, name.replace(/^Update(\w+)Input$/, '$1Update'), {
    ...single,
    required: ['id'],
    properties: { ...properties, id, if_match: ifMatchOfItem },
  });
}

function resultsSchema(name: string, operation: Operation, isCreating: boolean, components: Components): JsonSchema {
  const { required, properties } = singleSchema(operation, components);
  const done: JsonSchema = component(components, `${isCreating ? 'New' : 'Changed'}${resourceName(operation)}`, {
    type: 'object',
    required: ['status', ...required],
    properties: { status: { const: isCreating ? 201 : 200 }, ...(properties as Record<string, JsonSchema>) },
  });
  return component(components, `${name}Result`, {
    type: 'object',
    required: ['results'],
    properties: {
      results: { type: 'array', items: { anyOf: [done, { $ref: '#/components/schemas/BatchItemError' }] } },
    },
  });
}
