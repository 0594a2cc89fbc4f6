import { minus } from '../../format/decimal.ts';
import { graphql, type FragmentOf } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { AttachmentFields } from './attachments.tsx';
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
      exchangeCurrency
      exchangeRate
      exchangeRateDate
      exchangeRateSource
      amountGross
      amountNet
      vatAmount
      vatRate
      amountPrepaid
      amountPayable
      amountPaid
      amountAdjusted
      serviceDate
      receivedOn
      creditedReceiptId
      lines {
        position
        description
        account
        vatCategory
        vatRate
        deductiblePercent
        amountNet
        vatAmount
        amountGross
      }
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
      attachments {
        ...AttachmentFields
      }
      payments(first: 100) {
        ...PaymentPageFields
      }
    }
  `,
  [AttachmentFields, PaymentPageFields],
);

export type Receipt = FragmentOf<typeof ReceiptFields>;

/** A receipt's name. It may have no number, because suppliers assign them. */
export const getName = ({
  receiptNumber,
  creditedReceiptId,
}: Pick<Receipt, 'receiptNumber' | 'creditedReceiptId'>): string =>
  (creditedReceiptId === null
    ? t('Receipt {number}', { number: receiptNumber ?? '' })
    : t('Credit {number}', { number: receiptNumber ?? '' })
  ).trim();

/** The open amount, negative for a supplier's credit. Sums of receipts add these amounts. */
export const computeOpen = ({
  amountPayable,
  amountPaid,
  amountAdjusted,
}: Pick<Receipt, 'amountPayable' | 'amountPaid' | 'amountAdjusted'>): string =>
  minus(amountPayable, amountPaid, amountAdjusted) ?? amountPayable;

/** The amount to be paid; of a supplier's credit, the amount to be paid back. */
export const computeDue = ({
  amountPayable,
  amountPaid,
  amountAdjusted,
  creditedReceiptId,
}: Pick<Receipt, 'amountPayable' | 'amountPaid' | 'amountAdjusted' | 'creditedReceiptId'>): string =>
  (creditedReceiptId === null ? minus(amountPayable, amountPaid, amountAdjusted) : minus(amountPaid, amountPayable)) ??
  amountPayable;
