import { graphql } from '../graphql.ts';

/** What a DataTable must know of a connection's page, beside its rows and its totalCount. */
export const PageInfoFields = graphql(`
  fragment PageInfoFields on PageInfo {
    startCursor
    endCursor
    hasNextPage
    hasPreviousPage
  }
`);
