import type { ProblemDetail as Detail } from '../errors/problem-codes.ts';
import { builder } from './builder.ts';

builder.scalarType('ProblemParams', {
  description: "Values of a problem's message, as an object. Which there are depends on the code.",
  serialize: (params) => params,
});

export const ProblemDetail = builder.objectRef<Detail>('ProblemDetail').implement({
  description: 'What is wrong with one field, for programs.',
  fields: (t) => ({
    field: t.exposeString('field', { description: "The field's name, with indexes into lists: `items.0.quantity`." }),
    code: t.exposeString('code', { description: 'What is wrong. The page /docs/error-codes explains each code.' }),
    message: t.exposeString('message', { description: 'The same, for people.' }),
    params: t.expose('params', {
      type: 'ProblemParams',
      description: 'Values of the message. Which there are depends on the code.',
    }),
  }),
});
