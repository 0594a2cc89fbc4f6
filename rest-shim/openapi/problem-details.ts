import { maxProblems } from '../../schema/errors/errors.ts';
import { problemCodes, type ProblemDetail } from '../../schema/errors/problem-codes.ts';
import type { JsonSchema } from './schemas.ts';

// The part of a response 422 about the request's fields.

/** The properties of the answer, beside those of all errors. */
export const problemProperties: Record<string, JsonSchema> = {
  errors: {
    type: 'object',
    description:
      'All errors by field, with the names of the request and indexes into arrays: `items.0.quantity`. Errors of the body as a whole are under `body`.',
    minProperties: 1,
    additionalProperties: { type: 'array', minItems: 1, items: { type: 'string' } },
  },
  details: {
    type: 'array',
    description: 'Each message of `errors`, in that order, for programs.',
    minItems: 1,
    maxItems: maxProblems,
    items: { $ref: '#/components/schemas/ProblemDetail' },
  },
};

export const problemSchemas: Record<string, JsonSchema> = {
  ProblemCode: {
    description: 'What is wrong, for programs. More codes may come. The page /docs/error-codes explains each.',
    anyOf: [{ enum: Object.keys(problemCodes) }, { type: 'string' }],
  },
  ProblemDetail: {
    description: 'What is wrong with one field.',
    type: 'object',
    required: ['field', 'code', 'message', 'params'],
    properties: {
      field: { type: 'string', description: "The field's name, with indexes into lists: `items.0.quantity`." },
      code: { $ref: '#/components/schemas/ProblemCode' },
      message: { type: 'string', description: 'The same, for people.' },
      params: {
        type: 'object',
        description: 'Values of the message. Which there are depends on the code.',
        additionalProperties: true,
      },
    },
  },
};

const exampleDetails = [
  { field: 'items.0.quantity', code: 'zero', message: 'Must not be zero.', params: {} },
  { field: 'invoice_date', code: 'required', message: 'Required.', params: {} },
] satisfies ProblemDetail[];
export const problemsExample = {
  errors: Object.fromEntries(exampleDetails.map(({ field, message: text }) => [field, [text]])),
  details: exampleDetails,
};
