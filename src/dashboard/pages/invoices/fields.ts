import { graphql, type FragmentOf } from '../../graphql.ts';
import { PaymentPageFields } from '../payments/fields.ts';
import { t } from '../../i18n/t.ts';

export const InvoiceFields = graphql(
  `
    fragment InvoiceFields on Invoice {
      id
      version
      externalId
      metadata
      number
      subject
      status
      isOverdue
      invoiceDate
      dueDate
      deliveryDate
      currency
      exchangeCurrency
      exchangeRate
      exchangeRateDate
      exchangeRateSource
      totalNet
      totalVat
      totalGross
      amountCredited
      amountPaid
      amountAdjusted
      amountRefunded
      amountDue
      amountToRefund
      issuedAt
      paidAt
      cancelledAt
      customer {
        id
        companyName
      }
      vatBreakdown {
        vatRate
        net
        vat
      }
      items {
        id
        title
        quantity
        unit
        unitPriceNet
        vatRate
        lineTotalNet
        vatCategory
        exemptionReason
        unitCode
        description
        discountPercent
        servicePeriodStart
        servicePeriodEnd
      }
      creditNotes(first: 100) {
        nodes {
          id
          number
          creditNoteDate
          reason
          isCancellation
          totalGross
        }
        pageInfo {
          hasNextPage
        }
      }
      payments(first: 100) {
        ...PaymentPageFields
      }
    }
  `,
  [PaymentPageFields],
);

export type Invoice = FragmentOf<typeof InvoiceFields>;

/** An invoice's name. Drafts have no number yet. */
export const getName = ({ number }: { number: string | null }): string =>
  number ? t('Invoice {number}', { number }) : t('Draft');
