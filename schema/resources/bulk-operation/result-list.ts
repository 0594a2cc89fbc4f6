import { builder } from '../../graphql/builder.ts';
import { wholeNumber } from '../../graphql/input/validators.ts';
import { defaultPageSize, maxPageSize } from '../../graphql/paging/page-sizes.ts';
import { ProblemDetail } from '../../graphql/problem-detail.ts';
import { readResultPage, type BulkResult as Result } from './results.ts';
import { BulkOperation } from './type.ts';

const BulkResult = builder.objectRef<Result>('BulkResult').implement({
  description: 'What one line of a bulk operation was answered.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'The number of the line in the file, from 1. Empty lines count.' }),
    status: t.exposeInt('status', { description: 'The status that REST answers the single request with.' }),
    // Not `id`: two lines may change the same, and clients' caches identify an object by that.
    resourceId: t.expose('id', {
      type: 'UUID',
      nullable: true,
      description: 'The id of what was written; null if the line was refused.',
    }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'Why the line was refused; null if it was not.',
    }),
    details: t.field({
      type: [ProblemDetail],
      description: 'What is wrong with its fields: the first problems, by their names in the line.',
      resolve: ({ details }) => details ?? [],
    }),
  }),
});

const BulkResultConnection = builder.connectionObject({ type: BulkResult, name: 'BulkResultConnection' });

builder.prismaObjectField(BulkOperation, 'results', (t) =>
  t.field({
    type: BulkResultConnection,
    description: 'The results of the lines that are done, in their order. REST streams them.',
    args: {
      failed: t.arg.boolean({ description: 'Whether only lines that were refused are listed. Default: false.' }),
      first: t.arg.int({
        description: `The largest number of results. Default: ${defaultPageSize}.`,
        validate: wholeNumber(1, maxPageSize),
      }),
      after: t.arg.string({ description: 'Only those after this cursor.' }),
    },
    select: { id: true, processedLines: true, failedLines: true },
    resolve: (operation, args, context) => readResultPage(context, operation, args),
  }),
);
