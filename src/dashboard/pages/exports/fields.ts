import { graphql, type FragmentOf } from '../../graphql.ts';

export const ExportFields = graphql(`
  fragment ExportFields on Export {
    id
    type
    format
    resource
    ids
    from
    to
    at
    side
    chart
    consultantNumber
    clientNumber
    status
    rows
    processedRows
    error
    fileName
    length
    expiresAt
    createdAt
  }
`);

export type Export = FragmentOf<typeof ExportFields>;
