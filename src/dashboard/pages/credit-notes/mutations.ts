import { graphql } from '../../graphql.ts';

/** The credit note's page and the list both send it. */
export const RefundCreditNote = graphql(`
  mutation RefundCreditNote($id: UUID!, $amount: Decimal, $paidOn: Date, $exchangeRate: Decimal) {
    refundCreditNote(id: $id, amount: $amount, paidOn: $paidOn, exchangeRate: $exchangeRate) {
      id
    }
  }
`);
