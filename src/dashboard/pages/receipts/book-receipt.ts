import { graphql } from '../../graphql.ts';

export const BookReceipt = graphql(`
  mutation BookReceipt($id: UUID!) {
    bookReceipt(id: $id) {
      id
    }
  }
`);
