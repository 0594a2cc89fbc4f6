import { graphql, type FragmentOf } from '../../graphql.ts';

export const BulkOperationFields = graphql(`
  fragment BulkOperationFields on BulkOperation {
    id
    resource
    action
    status
    lines
    processedLines
    succeededLines
    failedLines
    error
    createdAt
    finishedAt
  }
`);

export type BulkOperation = FragmentOf<typeof BulkOperationFields>;
