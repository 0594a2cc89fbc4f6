import { graphql, type FragmentOf } from '../../graphql.ts';

/** The first page of the payments of an invoice or receipt, or of the refunds of a credit note. */
export const PaymentPageFields = graphql(`
  fragment PaymentPageFields on PaymentConnection {
    nodes {
      id
      kind
      recordedWithId
      amount
      exchangeCurrency
      exchangeDifference
      paidOn
      createdAt
      reversalOfId
      reversedAt
      reason
      bankTransaction {
        id
        counterpartyName
      }
    }
    pageInfo {
      hasNextPage
    }
  }
`);

export type PaymentPage = FragmentOf<typeof PaymentPageFields>;

export type Payment = PaymentPage['nodes'][number];
