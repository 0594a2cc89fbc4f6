import { graphql } from '../../graphql.ts';

// Those that the receipt's page and the list both send.

export const BookReceipt = graphql(`
  mutation BookReceipt($id: UUID!) {
    bookReceipt(id: $id) {
      id
    }
  }
`);

export const DeleteReceipt = graphql(`
  mutation DeleteReceipt($id: UUID!) {
    deleteReceipt(id: $id) {
      id
    }
  }
`);
