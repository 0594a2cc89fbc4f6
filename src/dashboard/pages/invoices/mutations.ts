import { graphql } from '../../graphql.ts';

// Those that the invoice's page and the list both send.

export const IssueInvoice = graphql(`
  mutation IssueInvoice($id: UUID!) {
    issueInvoice(id: $id) {
      id
      number
    }
  }
`);

export const DeleteInvoice = graphql(`
  mutation DeleteInvoice($id: UUID!) {
    deleteInvoice(id: $id) {
      id
    }
  }
`);

export const PayInvoice = graphql(`
  mutation PayInvoice(
    $id: UUID!
    $amount: Decimal
    $paidOn: Date
    $exchangeRate: Decimal
    $adjustments: [AdjustmentInput!]
  ) {
    payInvoice(id: $id, amount: $amount, paidOn: $paidOn, exchangeRate: $exchangeRate, adjustments: $adjustments) {
      id
      status
    }
  }
`);
