import { getNamedType, getNullableType, isListType, isNonNullType } from 'graphql';
import { defaultPageSize, maxPageSize } from '../../schema/graphql/paging/page-sizes.ts';
import { isAnnounced } from '../deprecation.ts';
import { longestWait } from '../change-feed.ts';
import { lastPossiblePage } from '../list-envelope.ts';
import { isPlainVariable } from '../list-paging.ts';
import type { Operation } from '../operation.ts';
import { hasKeys } from '../naming.ts';
import { toSnakeCase } from '../snake-case.ts';
import { idsIn, type ResponseKind, type Route } from '../routes.ts';
import { contentTypes } from '../../schema/resources/attachment/recognize.ts';
import type { Place } from '../variable-places.ts';
import {
  announcing,
  conflict,
  conflictSchema,
  ofEveryAnswer,
  rateLimitHeaders,
  refusals,
  withHeaders,
} from './responses.ts';
import {
  acceptedSchema,
  annotations,
  answeredSchema,
  component,
  presentSchema,
  scalarSchema,
  type Components,
  type JsonSchema,
} from './schemas.ts';

const pageParameters = [
  {
    name: 'page',
    in: 'query',
    description: 'The page number. On a page beyond the last one, `data` is empty.',
    schema: { type: 'integer', minimum: 1, maximum: lastPossiblePage, default: 1 },
  },
  {
    name: 'per_page',
    in: 'query',
    description: 'The number of rows per page.',
    schema: { type: 'integer', minimum: 1, maximum: maxPageSize, default: defaultPageSize },
  },
  {
    name: 'cursor',
    in: 'query',
    description:
      'The position of the page, as in `links.next` and `links.prev`. Follow these links as they are: a cursor is valid only with its own `page` and `per_page`.',
    schema: { type: 'string' },
  },
];

const wait = {
  name: 'wait',
  in: 'query',
  description: 'How many seconds to wait for a change if there is none. The answer is sent at the first change.',
  schema: { type: 'integer', minimum: 0, maximum: longestWait, default: 0 },
};

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'For 24 hours, the same key with the same body gets the stored answer, with `Idempotent-Replayed: true`. Another body is refused. Answers with 401, 403, 412, 429, 500 and 503 are not stored.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

export const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Tags that the client has, from `ETag`. If one is current, the answer is 304 without a body.',
  schema: { type: 'string' },
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the resource as the client has read it. If the resource was changed meanwhile, the answer is 412, and nothing is changed.',
  schema: { type: 'string' },
};

/** `TimeEntry` → `Time entry`. */
export const humane = (typeName: string): string =>
  typeName.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The name of an operation's resource; for a list, of its items. */
export const resourceName = ({ shape }: Operation): string => getNamedType(shape.type).name;

/** The schema of one resource in an operation's response. */
export function resourceSchema({ shape }: Operation, components: Components): JsonSchema {
  const type = getNullableType(shape.type);
  if (isListType(type)) return answeredSchema(type.ofType, shape.fields, components);
  // Nullable in GraphQL, never null in REST: a resource that isn't there is answered 404.
  return presentSchema(type, shape.fields, components);
}

/**
 * Describes one row of the routes as an operation of OpenAPI.
 * @param tag the name of the resource that it belongs to
 * @param reading the operation that answers GET for the same resource
 */
export function describeOperation(
  [method, path, name, answer]: Route,
  operation: Operation,
  { tag, reading, components }: { tag: string; reading: Operation | undefined; components: Components },
): JsonSchema {
  const { field, ability, shape } = operation;
  const { description = '', ...deprecated } = annotations(field);
  const [, summary = '', details = ''] = /^(.*?)\.(?: (.*))?$/s.exec(String(description)) ?? [];
  const inputs = [...operation.parameters].map(([restName, { name: variable }]) => ({
    restName,
    variable,
    ...operation.places.get(variable),
  }));
  const plain = inputs.flatMap(({ restName, variable, input: arg, path: place = '' }) =>
    arg && isPlainVariable(variable) && !idsIn(path).includes(restName)
      ? [{ restName, arg, meaning: describeComparison(place) }]
      : [],
  );
  const filters = method === 'GET' ? plain : [];
  const input = operation.places.get('input')?.input;
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const byId = path.includes(':id');
  const hasTag = method === 'GET' && (answer === 'item' || answer === 'file' || answer === 'stream');
  const isConditional = operation.parameters.has('expected_version');

  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [details, ability && `Needs the ability \`${ability}\`.`].filter(Boolean).join(' ') || `${summary}.`,
    ...deprecated,
    ...(ability && { 'x-abilities': [ability] }),
    ...((filters.length > 0 || answer === 'page' || method === 'POST' || hasTag || isConditional) && {
      parameters: [
        ...filters.map(({ restName, arg, meaning }) => {
          const { description: declared, deprecated: isDeprecated, ...schema } = acceptedSchema(arg, components);
          return {
            name: restName,
            in: 'query',
            ...(hasKeys(getNamedType(arg.type)) && { style: 'deepObject', explode: true }),
            ...(isNonNullType(arg.type) && { required: true }),
            description: meaning ?? declared,
            ...(isDeprecated === true && { deprecated: true }),
            schema: withoutNull(hasKeys(getNamedType(arg.type)) ? scalarSchema(getNamedType(arg.type)) : schema),
          };
        }),
        ...(answer === 'page' ? pageParameters : []),
        ...(answer === 'changes' ? [wait] : []),
        ...(method === 'POST' ? [idempotencyKey] : []),
        ...(hasTag ? [ifNoneMatch] : []),
        ...(isConditional ? [ifMatch] : []),
      ],
    }),
    ...(input && { requestBody: requestBody(acceptedSchema(input, components, shape.fields)) }),
    ...(takesBody && !input && plain.length > 0 && { requestBody: optionalBody(name, plain, components) }),
    responses: {
      ...success(answer, operation, components, method === 'POST'),
      ...(hasTag && { 304: notModified }),
      ...(isConditional && reading && { 412: buildConflict(reading, components) }),
      ...refusals(
        [
          [400, 401, 403, 405, 408, 429, 431, 500, 503],
          byId ? [404] : [],
          takesBody ? [413, 415] : [],
          answer === 'changes' ? [410] : [],
          method !== 'GET' || answer === 'page' || answer === 'changes' || filters.length > 0 ? [422] : [],
        ]
          .flat()
          .toSorted((a, b) => a - b),
      ),
    },
  };
}

/** The meaning of a parameter that is compared with a column: `filter.updatedAt.gte`. Undefined for any other place. */
function describeComparison(place: string): string | undefined {
  const [, column = '', operator = ''] = /^filter\.(\w+)\.(\w+)$/.exec(place) ?? [];
  const meaning = {
    eq: 'is this',
    contains: 'has each of these pairs',
    gte: 'is this or later',
    lte: 'is this or earlier',
  }[operator];
  return meaning && `Only rows whose \`${toSnakeCase(column)}\` ${meaning}.`;
}

export const notModified: JsonSchema = {
  description: 'The client has the current representation.',
  headers: withHeaders(...ofEveryAnswer, ...rateLimitHeaders, 'ETag'),
};

const buildConflict = (reading: Operation, components: Components): JsonSchema =>
  conflict(
    component(components, `${resourceName(reading)}Conflict`, conflictSchema(resourceSchema(reading, components))),
  );

/** Query parameters can't be null; they can only be omitted. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, type, enum: choices } = schema;
  if (Array.isArray(anyOf)) return anyOf[0] as JsonSchema;
  if (Array.isArray(choices)) return { ...schema, type: 'string', enum: choices.filter((each) => each !== null) };
  const [only, ...others] = [type].flat().filter((each) => each !== 'null');
  return { ...schema, type: others.length > 0 ? [only, ...others] : only };
}

export const requestBody = ({ $ref, description }: JsonSchema): JsonSchema => ({
  required: true,
  description,
  content: { 'application/json': { schema: { $ref } } },
});

/** The body of a transition, whose fields are the operation's own arguments. */
function optionalBody(
  operation: string,
  fields: { restName: string; arg: Place['input'] }[],
  components: Components,
): JsonSchema {
  const properties = fields.map(({ restName, arg }) => [restName, acceptedSchema(arg, components)]);
  const schema = component(components, `${operation[0]?.toUpperCase()}${operation.slice(1)}Input`, {
    type: 'object',
    description: 'Every field has a default, so that the body may be left out.',
    properties: Object.fromEntries(properties) as JsonSchema,
    additionalProperties: false,
  });
  return { required: false, content: { 'application/json': { schema } } };
}

/** The schema of a response with one resource. */
export function singleSchema(operation: Operation, components: Components): JsonSchema & { required: string[] } {
  const { warnings } = operation;
  const beside = warnings && {
    warnings: {
      ...answeredSchema(warnings.type, warnings.fields, components),
      description: 'What is missing or probably wrong. Nothing was refused because of it.',
    },
  };
  return {
    type: 'object',
    required: ['data', ...Object.keys(beside ?? {})],
    properties: { data: resourceSchema(operation, components), ...beside },
  };
}

function success(answer: ResponseKind, operation: Operation, components: Components, isStored: boolean): JsonSchema {
  const announced = isAnnounced(operation) ? Object.keys(announcing) : [];
  const headers = (...more: string[]) => withHeaders(...ofEveryAnswer, ...rateLimitHeaders, ...more, ...announced);
  if (answer === 'deleted') return { 204: { description: 'Deleted.', headers: headers() } };
  const json = (schema: JsonSchema) => ({ 'application/json': { schema } });
  if (answer === 'changes')
    return {
      200: {
        description: 'The changes after the cursor, oldest first.',
        headers: headers(),
        content: json({ $ref: '#/components/schemas/ChangeFeedPage' }),
      },
    };
  if (answer === 'file')
    return {
      200: {
        description: 'The file.',
        headers: headers('ETag', 'Content-Disposition'),
        content: {
          [String(operation.field.extensions['mediaType'])]: { schema: { type: 'string', format: 'binary' } },
        },
      },
    };
  if (answer === 'stream')
    return {
      200: {
        description: 'The file.',
        headers: headers('ETag', 'Content-Disposition'),
        content: Object.fromEntries(
          contentTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
        ),
      },
    };
  const name = resourceName(operation);
  const resource = resourceSchema(operation, components);
  const stored = isStored ? ['Idempotent-Replayed'] : [];
  if (answer === 'page') {
    const page = component(components, `${name}Page`, {
      type: 'object',
      required: ['data', 'links', 'meta'],
      properties: {
        data: { type: 'array', items: resource },
        links: { $ref: '#/components/schemas/PageLinks' },
        meta: { $ref: '#/components/schemas/PageMeta' },
      },
    });
    return { 200: { description: 'A page of the list, newest first.', headers: headers(), content: json(page) } };
  }
  const one = singleSchema(operation, components);
  if (answer === 'created')
    return {
      201: {
        description: 'The new resource.',
        headers: headers('Location', 'ETag', ...stored),
        content: json(one),
      },
    };
  const description = `The ${humane(name).toLowerCase()}.`;
  return { 200: { description, headers: headers('ETag', ...stored), content: json(one) } };
}
