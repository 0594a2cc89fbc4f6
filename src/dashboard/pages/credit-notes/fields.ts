import { graphql, type FragmentOf } from '../../graphql.ts';
import { PaymentPageFields } from '../payments/fields.ts';
import { t } from '../../i18n/t.ts';

export const CreditNoteFields = graphql(
  `
    fragment CreditNoteFields on CreditNote {
      id
      externalId
      metadata
      number
      creditNoteDate
      reason
      isCancellation
      currency
      exchangeCurrency
      totalNet
      totalVat
      totalGross
      amountRefunded
      amountDue
      createdAt
      invoice {
        id
        number
      }
      customer {
        id
        companyName
      }
      vatBreakdown {
        vatRate
        net
        vat
      }
      refunds(first: 100) {
        ...PaymentPageFields
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
        description
        discountPercent
        servicePeriodStart
        servicePeriodEnd
      }
    }
  `,
  [PaymentPageFields],
);

export type CreditNote = FragmentOf<typeof CreditNoteFields>;

export const getName = ({ number }: { number: string }): string => t('Credit note {number}', { number });

/** Why a credit note was made. */
export const getReason = ({
  reason,
  isCancellation,
}: {
  reason: string | null;
  isCancellation: boolean;
}): string | null => reason ?? (isCancellation ? t('The invoice was cancelled') : null);
