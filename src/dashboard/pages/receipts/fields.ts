import { minus } from '../../format/decimal.ts';
import { graphql, type FragmentOf } from '../../graphql.ts';
import { PaymentPageFields } from '../payments/fields.ts';

export const ReceiptFields = graphql(
  `
    fragment ReceiptFields on Receipt {
      id
      version
      externalId
      metadata
      receiptNumber
      receiptDate
      dueDate
      status
      category
      description
      currency
      amountGross
      amountNet
      vatAmount
      vatRate
      amountPaid
      amountAdjusted
      paidAt
      projectId
      reversalOfId
      reason
      reversal {
        id
        receiptDate
      }
      supplier {
        id
        companyName
      }
      payments(first: 100) {
        ...PaymentPageFields
      }
    }
  `,
  [PaymentPageFields],
);

export type Receipt = FragmentOf<typeof ReceiptFields>;

/** A receipt's name. It may have no number, because suppliers assign them. */
export const getName = ({ receiptNumber }: Pick<Receipt, 'receiptNumber'>): string =>
  receiptNumber ? `Receipt ${receiptNumber}` : 'Receipt';

export const computeDue = ({
  amountGross,
  amountPaid,
  amountAdjusted,
}: Pick<Receipt, 'amountGross' | 'amountPaid' | 'amountAdjusted'>): string =>
  minus(amountGross, amountPaid, amountAdjusted) ?? amountGross;
