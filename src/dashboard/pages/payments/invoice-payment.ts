import { minus } from '../../format/decimal.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { PageInfoFields } from '../../list/page-info.ts';

export const InvoicePaymentsQuery = graphql(
  `
    query InvoicePayments(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: PaymentFilter
      $orderBy: [PaymentOrder!]
    ) {
      rows: payments(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          id
          kind
          paidOn
          amount
          currency
          exchangeCurrency
          exchangeDifference
          bankTransactionId
          reversalOfId
          reversedAt
          invoice {
            id
            number
            customer {
              id
              companyName
            }
          }
          creditNote {
            id
            number
            customer {
              id
              companyName
            }
          }
          customer {
            id
            companyName
          }
        }
      }
    }
  `,
  [PageInfoFields],
);

export type InvoicePaymentRow = ResultOf<typeof InvoicePaymentsQuery>['rows']['nodes'][number];

/** Who paid, or was refunded. */
export const getPayer = ({ invoice, creditNote, customer }: InvoicePaymentRow) =>
  (invoice ?? creditNote)?.customer ?? customer;

/** The amount, negative for a refund: money that was sent back. */
export const signed = ({ kind, amount, creditNote }: InvoicePaymentRow): string =>
  creditNote || kind === 'CREDIT_REFUND' ? (minus('0', amount) ?? amount) : amount;
