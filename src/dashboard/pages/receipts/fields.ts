import { minus } from '../../format/decimal.ts';
import { graphql, type FragmentOf } from '../../graphql.ts';

export const ReceiptFields = graphql(`
  fragment ReceiptFields on Receipt {
    id
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
    paidAt
    projectId
    supplier {
      id
      companyName
    }
    payments {
      id
      amount
      paidOn
      createdAt
      bankTransaction {
        id
        counterpartyName
      }
    }
  }
`);

export type Receipt = FragmentOf<typeof ReceiptFields>;

/** What a receipt is called: its number is the supplier's, and may be missing. */
export const nameOf = ({ receiptNumber }: Pick<Receipt, 'receiptNumber'>): string =>
  receiptNumber ? `Receipt ${receiptNumber}` : 'Receipt';

export const dueOf = ({ amountGross, amountPaid }: Pick<Receipt, 'amountGross' | 'amountPaid'>): string =>
  minus(amountGross, amountPaid) ?? amountGross;
