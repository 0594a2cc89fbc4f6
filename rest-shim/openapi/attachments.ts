import { contentTypes } from '../../schema/resources/attachment/recognize.ts';
import { maxAttachmentBytes } from '../../schema/resources/attachment/rules.ts';
import type { Operation } from '../operation.ts';
import { idsIn, type Route } from '../routes.ts';
import { idempotencyKey, singleSchema } from './paths.ts';
import { ofEveryAnswer, rateLimitHeaders, refusals, withHeaders } from './responses.ts';
import { acceptedSchema, type Components, type JsonSchema } from './schemas.ts';

const binary = { schema: { type: 'string', format: 'binary' } };

/** The content of a file that a user has uploaded: its type is in the resource. */
export const uploadedContent: Record<string, JsonSchema> = Object.fromEntries(
  contentTypes.map((type) => [type, binary]),
);

/** Describes a row of the routes whose body is a file, as an operation of OpenAPI. */
export function describeFileUpload(
  [, path, name]: Route,
  operation: Operation,
  { tag, components }: { tag: string; components: Components },
): JsonSchema {
  const { ability, places } = operation;
  const parameters = [...operation.parameters].flatMap(([restName, { name: variable }]) => {
    const input = places.get(variable)?.input;
    if (!input || restName === 'body' || idsIn(path).includes(restName)) return [];
    const { description, ...schema } = acceptedSchema(input, components);
    return [{ name: restName, in: 'query', required: true, description, schema }];
  });
  const [summary = '', ...details] = String(operation.field.description).split(/(?<=\.) /);
  return {
    operationId: name,
    tags: [tag],
    summary: summary.replace(/\.$/, ''),
    description: `${details.join(' ')} At most ${maxAttachmentBytes} bytes, whatever the Content-Type says. Needs the ability \`${ability}\`.`,
    'x-abilities': [ability],
    parameters: [...parameters, idempotencyKey],
    requestBody: { required: true, description: 'The bytes of the file.', content: uploadedContent },
    responses: {
      201: {
        description: 'The new resource.',
        headers: withHeaders(...ofEveryAnswer, ...rateLimitHeaders, 'Location', 'ETag', 'Idempotent-Replayed'),
        content: { 'application/json': { schema: singleSchema(operation, components) } },
      },
      ...refusals([400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 503]),
    },
  };
}
