import { listInputs } from '../../graphql/lists.ts';
import { creditNoteInputs } from '../credit-note/filter.ts';
import { invoiceInputs } from '../invoice/filter.ts';
import { receiptInputs } from '../receipt/filter.ts';
import { PaymentKind } from './kinds.ts';

/** The payments that count: neither reversed nor a reversal. */
export const counting = { reversedAt: null, reversalOfId: null };

export const paymentInputs = listInputs('Payment', {
  ability: 'invoices:read',
  enums: { kind: PaymentKind },
  relations: { invoice: invoiceInputs, receipt: receiptInputs, creditNote: creditNoteInputs },
  computed: {
    isReversed: {
      description: 'Reversed payments and their reversals; false: the payments that count.',
      toCondition: (isReversed) => (isReversed ? { NOT: counting } : counting),
    },
  },
});
