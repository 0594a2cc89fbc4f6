import { graphql } from '../graphql.ts';

/** Fields of a connection's page that a DataTable needs beside its rows and its totalCount. */
export const PageInfoFields = graphql(`
  fragment PageInfoFields on PageInfo {
    startCursor
    endCursor
    hasNextPage
    hasPreviousPage
  }
`);
