import { graphql } from '../../graphql.ts';

/** The customer's page and the list both send it. */
export const DeleteCustomer = graphql(`
  mutation DeleteCustomer($id: UUID!) {
    deleteCustomer(id: $id) {
      id
    }
  }
`);
