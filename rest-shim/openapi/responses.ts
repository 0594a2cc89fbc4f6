import { maxBodyBytes } from '../request-body.ts';
import { problemSchemas, problemsExample, problemProperties } from './problem-details.ts';
import type { JsonSchema } from './schemas.ts';

// The parts that all addresses share: headers, errors, the list envelope.

export const headers: Record<string, JsonSchema> = {
  'Kontor-Version': {
    description: "Kontor's own version, which is not that of this API.",
    required: true,
    schema: { type: 'string' },
    example: '1.0.0',
  },
  'X-Request-Id': {
    description: 'The id of this request in the log. A stored answer has the id of the first request.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'X-RateLimit-Limit': {
    description:
      'Requests admitted in any 60 seconds. The headers of the rate limit are absent if the operator has set none.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that would be admitted right now.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  'X-RateLimit-Reset': {
    description: 'When the number of remaining requests next grows, in epoch seconds.',
    schema: { type: 'integer' },
    example: 1_769_851_860,
  },
  'RateLimit-Policy': {
    description: 'The limit as the IETF writes it: `q` requests in `w` seconds.',
    schema: { type: 'string' },
    example: '"requests";q=60;w=60',
  },
  RateLimit: {
    description: 'What is left of it: `r` requests, of which more remain in `t` seconds.',
    schema: { type: 'string' },
    example: '"requests";r=59;t=60',
  },
  'Retry-After': {
    description: 'Whole seconds after which a request is certainly admitted.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'WWW-Authenticate': { description: 'Always `Bearer`.', required: true, schema: { const: 'Bearer' } },
  Location: {
    description: 'The absolute URL of the new resource.',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
  ETag: {
    description: 'The tag of this representation: for `If-None-Match`, and for the `If-Match` of a change.',
    required: true,
    schema: { type: 'string', pattern: '^"(\\d+-)?[\\w-]{16}"$' },
    example: '"7-Jh3kQm2xVb0TnZ9w"',
  },
  'Content-Disposition': {
    description: 'The name to save the file by.',
    required: true,
    schema: { type: 'string' },
    example: 'attachment; filename="2026-0017.pdf"',
  },
  Allow: {
    description: 'The methods that the address accepts.',
    required: true,
    schema: { type: 'string' },
    example: 'GET, HEAD, POST, OPTIONS',
  },
  'Idempotent-Replayed': {
    description: 'Only on a stored answer: a request with the same Idempotency-Key was sent before.',
    schema: { const: 'true' },
  },
};

/** The headers of answers that announce a deprecation. */
export const announcing: Record<string, JsonSchema> = {
  Deprecation: {
    description: 'When something that this request uses became deprecated: `@` and epoch seconds (RFC 9745).',
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'When it may be removed (RFC 8594).', schema: { type: 'string' } },
};

/** References to headers, under their names. */
export const withHeaders = (...names: string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const ofEveryAnswer = ['Kontor-Version', 'X-Request-Id'];

export const rateLimitHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

const message: JsonSchema = { type: 'string', description: 'The error, for people.' };
const requestId: JsonSchema = { type: 'string', format: 'uuid', description: 'The value of X-Request-Id.' };

export const errorSchemas: Record<string, JsonSchema> = {
  ...problemSchemas,
  Error: {
    type: 'object',
    required: ['message', 'request_id'],
    properties: { message, request_id: requestId },
  },
  ValidationError: {
    type: 'object',
    required: ['message', 'errors', 'details', 'request_id'],
    properties: {
      message: { ...message, description: 'The first error, and the number of further errors.' },
      ...problemProperties,
      request_id: requestId,
    },
  },
};

/** 412: an error with the resource as it is now. */
export const conflict = (schema: JsonSchema): JsonSchema => ({
  description:
    'The resource was changed meanwhile. `data` is what it is now, and `ETag` its tag; a token that may not read it gets neither. Nothing was changed.',
  headers: withHeaders(...ofEveryAnswer, ...rateLimitHeaders, 'ETag'),
  content: { 'application/json': { schema } },
});

export const conflictSchema = (data: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['message', 'request_id'],
  properties: { message, request_id: requestId, data },
});

interface ErrorAnswer {
  name: string;
  description: string;
  example: string;
  headers?: string[];
}

const limited = rateLimitHeaders;
/** The headers of refusals that are stored for an Idempotency-Key. */
const stored = [...limited, 'Idempotent-Replayed'];

/** All errors, by status. */
const errors: Record<number, ErrorAnswer> = {
  400: {
    name: 'BadRequest',
    description: 'The request is no valid HTTP, or its body broke off.',
    example: 'The body broke off.',
  },
  401: {
    name: 'Unauthorized',
    description: 'The token is missing, unknown, expired or revoked.',
    example: 'The API token is missing or not valid.',
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    description: 'The token has no tenant, or lacks the ability.',
    example: 'This token lacks the ability customers:write.',
    headers: limited,
  },
  404: {
    name: 'NotFound',
    description: "The address or resource doesn't exist, or belongs to another tenant.",
    example: 'Not found.',
    headers: stored,
  },
  405: {
    name: 'MethodNotAllowed',
    description: "The address doesn't accept this method. `Allow` names those that it accepts.",
    example: 'This address takes GET, HEAD, POST, OPTIONS.',
    headers: [...limited, 'Allow'],
  },
  408: {
    name: 'RequestTimeout',
    description: 'The request took too long to arrive.',
    example: 'The request took too long to arrive.',
  },
  410: {
    name: 'Gone',
    description: 'The cursor is too old. Read the feed from its beginning.',
    example: 'The cursor is older than 90 days. Read the feed from its beginning.',
    headers: limited,
  },
  413: {
    name: 'ContentTooLarge',
    description: `The body is longer than ${maxBodyBytes} bytes.`,
    example: `The body must not be longer than ${maxBodyBytes} bytes.`,
    headers: stored,
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not `application/json` in UTF-8, or it is compressed.',
    example: 'The body must be application/json, in UTF-8.',
    headers: stored,
  },
  422: {
    name: 'Invalid',
    description:
      "The request is not valid, or the state of the resource doesn't allow it. `errors` has all errors, and `details` the same for programs.",
    example: 'items.0.quantity: Must not be zero. (and 1 more)',
    headers: stored,
  },
  429: {
    name: 'TooManyRequests',
    description:
      'The rate limit is reached, or the tenant has too many requests in progress. Refused requests do not count towards the limit.',
    example: 'More than 60 requests within a minute. Try again in 12 seconds.',
    headers: [...limited, 'Retry-After'],
  },
  431: {
    name: 'HeaderFieldsTooLarge',
    description: 'The address or the headers are too long.',
    example: 'The address or the headers are too long.',
  },
  500: {
    name: 'ServerError',
    description: 'An error of the service. It is logged under the `request_id`.',
    example: 'Internal error. It is logged under the request_id.',
    headers: limited,
  },
  503: {
    name: 'ServiceUnavailable',
    description:
      "The service can't answer at the moment. Whether a write was executed is unknown: send it again with the same `Idempotency-Key`.",
    example: "The service can't answer at the moment. Try again in 5 seconds.",
    headers: [...limited, 'Retry-After'],
  },
};

const anId = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';

export const errorResponses: Record<string, JsonSchema> = Object.fromEntries(
  Object.entries(errors).map(([status, { name, description, example, headers: more = [] }]) => {
    const isInvalid = status === '422';
    const schema = { $ref: `#/components/schemas/${isInvalid ? 'ValidationError' : 'Error'}` };
    const body = { message: example, ...(isInvalid && problemsExample), request_id: anId };
    const response: JsonSchema = {
      description,
      headers: withHeaders(...ofEveryAnswer, ...more),
      content: { 'application/json': { schema, example: body } },
    };
    return [name, response];
  }),
);

/** References to the errors of these statuses, by status. */
export const refusals = (statuses: number[]): JsonSchema =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${errors[status]?.name}` }]));

const link = (description: string, type: unknown = 'string'): JsonSchema => ({ type, format: 'uri', description });
const position = (description: string): JsonSchema => ({ type: ['integer', 'null'], description });

/** The parts of the list envelope that are the same for every resource (CONTRACT.md#envelope). */
export const envelopeSchemas: Record<string, JsonSchema> = {
  PageLinks: {
    type: 'object',
    description: 'Absolute URLs with every query parameter of the request.',
    required: ['first', 'last', 'prev', 'next'],
    properties: {
      first: link('The first page.'),
      last: link('The last page; the first page if the list is empty.'),
      prev: link('The previous page, by its `cursor`; null on the first page.', ['string', 'null']),
      next: link('The next page, by its `cursor`, so that no row is missed or repeated; null on the last page.', [
        'string',
        'null',
      ]),
    },
  },
  PageMeta: {
    type: 'object',
    required: ['current_page', 'per_page', 'total', 'last_page', 'from', 'to'],
    properties: {
      current_page: {
        type: 'integer',
        minimum: 1,
        description: 'The requested page, even if it is beyond the last one.',
      },
      per_page: { type: 'integer', minimum: 1, maximum: 100, description: 'The number of rows on a full page.' },
      total: { type: 'integer', minimum: 0, description: 'The number of rows on all pages.' },
      last_page: { type: 'integer', minimum: 1, description: 'At least 1.' },
      from: position('The position of the first row in the list, from 1; null on an empty page.'),
      to: position('The position of the last row in the list; null on an empty page.'),
    },
  },
};
