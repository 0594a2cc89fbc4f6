import { bulkKinds } from '../../schema/resources/bulk-operation/kinds.ts';
import { maxLineBytes, maxLines } from '../../schema/resources/bulk-operation/read-chunks.ts';
import type { Operation } from '../operation.ts';
import type { Route } from '../routes.ts';
import { jsonLines, maxUploadBytes } from '../upload.ts';
import { problemProperties } from './problem-details.ts';
import { idempotencyKey, singleSchema } from './paths.ts';
import { ofEveryAnswer, rateLimitHeaders, refusals, withHeaders } from './responses.ts';
import { acceptedSchema, type Components, type JsonSchema } from './schemas.ts';

const mebibytes = maxUploadBytes / 1024 / 1024;

/** The schema of a line of the results. */
export const bulkSchemas: Record<string, JsonSchema> = {
  BulkResult: {
    type: 'object',
    description: 'What one line of a bulk operation was answered.',
    required: ['line', 'status'],
    properties: {
      line: { type: 'integer', minimum: 1, description: 'The number of the line in the body. Empty lines count.' },
      status: { type: 'integer', description: 'The status of the single request.' },
      id: { type: 'string', format: 'uuid', description: 'What was written. Absent if the line was refused.' },
      message: { type: 'string', description: 'Why the line was refused. Absent if it was not.' },
      ...problemProperties,
    },
  },
};

const kinds = Object.entries(bulkKinds).map(
  ([resource, { actions }]) =>
    `${resource.toLowerCase().replace('_', '-')}: ${actions.map((action) => action.toLowerCase()).join(', ')}`,
);

/** Describes the row of the routes whose body is a file, as an operation of OpenAPI. */
export function describeUpload(
  [, , name]: Route,
  operation: Operation,
  { tag, components }: { tag: string; components: Components },
): JsonSchema {
  const { ability, places } = operation;
  const parameters = [...operation.parameters].flatMap(([restName, { name: variable }]) => {
    const input = places.get(variable)?.input;
    if (!input || restName === 'body') return [];
    const { description, ...schema } = acceptedSchema(input, components);
    return [{ name: restName, in: 'query', required: true, description, schema }];
  });
  return {
    operationId: name,
    tags: [tag],
    summary: 'Starts a bulk operation',
    description: `Each line of the body is the body of the single request, for \`update\` and \`delete\` with the \`id\`, for \`upsert\` with the \`external_id\`. A job does one line after the other, each as the single request would. It is one request of the rate limit. Possible: ${kinds.join('; ')}. At most ${mebibytes} MiB, ${maxLines} lines, and ${maxLineBytes} bytes in a line; empty lines are skipped. Needs the ability \`${ability}\`, and the one to write the resource, until the end.`,
    'x-abilities': [ability],
    parameters: [...parameters, idempotencyKey],
    requestBody: {
      required: true,
      description: 'JSON Lines.',
      content: Object.fromEntries(jsonLines.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
    },
    responses: {
      201: {
        description: 'The new resource.',
        headers: withHeaders(...ofEveryAnswer, ...rateLimitHeaders, 'Location', 'ETag', 'Idempotent-Replayed'),
        content: { 'application/json': { schema: singleSchema(operation, components) } },
      },
      ...refusals([400, 401, 403, 405, 408, 413, 415, 422, 429, 431, 500, 503]),
    },
  };
}

const resultLines = { type: 'array', items: { $ref: '#/components/schemas/BulkResult' } };

/** Describes the row of the routes that streams results. */
export const describeResults = ({ ability }: Operation, tag: string): JsonSchema => ({
  operationId: 'getBulkResults',
  tags: [tag],
  summary: 'Streams the results of a bulk operation',
  description: `JSON Lines, each a \`BulkResult\`: of the lines that are done, in their order. Needs the ability \`${ability}\`.`,
  'x-abilities': [ability],
  parameters: [
    {
      name: 'failed',
      in: 'query',
      description: 'Whether only lines that were refused are answered.',
      schema: { type: 'boolean', default: false },
    },
  ],
  responses: {
    200: {
      description: 'The results.',
      headers: withHeaders(...ofEveryAnswer, ...rateLimitHeaders),
      content: { 'application/jsonl': { schema: { type: 'string', format: 'binary', contentSchema: resultLines } } },
    },
    ...refusals([400, 401, 403, 404, 405, 408, 422, 429, 431, 500, 503]),
  },
});
