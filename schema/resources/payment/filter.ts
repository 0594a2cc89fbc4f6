import { listInputs } from '../../graphql/lists.ts';
import { creditNoteInputs } from '../credit-note/filter.ts';
import { invoiceInputs } from '../invoice/filter.ts';

export const paymentInputs = listInputs('Payment', {
  ability: 'invoices:read',
  relations: { invoice: invoiceInputs, creditNote: creditNoteInputs },
});
