import { graphql, type ResultOf } from '../../graphql.ts';
import { BankTransactionFields } from './fields.ts';
import { PaidInvoice, PaidReceipt, RefundedCreditNote } from './payable.tsx';

export const BankTransactionQuery = graphql(
  `
    query BankTransaction($id: UUID!) {
      bankTransaction(id: $id) {
        ...BankTransactionFields
        accountIban
        valueDate
        externalId
        matches {
          type
          id
          amount
          invoice {
            ...PaidInvoice
          }
          receipt {
            ...PaidReceipt
          }
          creditNote {
            ...RefundedCreditNote
          }
          customer {
            id
            companyName
          }
        }
        suggestions {
          type
          id
          amount
          score
          isExact
          reasons {
            code
            number
            partnerName
          }
          invoice {
            ...PaidInvoice
          }
          receipt {
            ...PaidReceipt
          }
          creditNote {
            ...RefundedCreditNote
          }
        }
      }
    }
  `,
  [BankTransactionFields, PaidInvoice, PaidReceipt, RefundedCreditNote],
);

/** A transaction with its matches and suggestions. */
export type TransactionDetails = NonNullable<ResultOf<typeof BankTransactionQuery>['bankTransaction']>;
