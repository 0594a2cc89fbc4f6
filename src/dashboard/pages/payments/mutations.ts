import { graphql } from '../../graphql.ts';

export const ReversePayment = graphql(`
  mutation ReversePayment($id: UUID!, $reason: String) {
    reversePayment(id: $id, reason: $reason) {
      id
    }
  }
`);
