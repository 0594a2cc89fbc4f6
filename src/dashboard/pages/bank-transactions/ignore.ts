import { graphql } from '../../graphql.ts';

export const IgnoreBankTransaction = graphql(`
  mutation IgnoreBankTransaction($id: UUID!) {
    ignoreBankTransaction(id: $id) {
      id
    }
  }
`);

export const UnignoreBankTransaction = graphql(`
  mutation UnignoreBankTransaction($id: UUID!) {
    unignoreBankTransaction(id: $id) {
      id
    }
  }
`);
