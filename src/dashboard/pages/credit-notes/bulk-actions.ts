import { BanknotesIcon } from '@heroicons/react/24/outline';
import { randomId } from '../../forms/random-id.ts';
import { t } from '../../i18n/t.ts';
import { sayMoney, type SelectionOptions } from '../../list/selection/selection.ts';
import { buildExportAction } from '../exports/export-question.tsx';
import { buildPaidOnQuestion } from '../payments/paid-on-question.tsx';
import type { CreditNoteRow } from './credit-note-table.tsx';
import { getName } from './fields.ts';
import { RefundCreditNote } from './mutations.ts';

/** The actions on several credit notes. Credit notes are issued when they are made, and can't be deleted. */
export const creditNoteSelection: SelectionOptions<CreditNoteRow> = {
  getName: (row) => `${getName(row)}, ${row.customer.companyName}`,
  getPath: ({ id }) => `/credit-notes/${id}`,
  addUp: (rows) => sayMoney(rows.map(({ totalGross, currency }) => ({ amount: totalGross, currency }))),
  actions: [
    {
      label: t('Mark as refunded'),
      icon: BanknotesIcon,
      scope: 'invoices',
      isFor: ({ amountDue }) => amountDue !== '0',
      notFor: t('Nothing is to be refunded'),
      title: t('Mark the credit notes as refunded?'),
      Question: buildPaidOnQuestion<CreditNoteRow>(
        {
          summary: (count) => t('{count} credit notes will be marked as refunded.', { count }),
          consequence: t('A refund of the amount due is recorded for each. You can undo it on the credit note’s page.'),
          confirm: t('Mark as refunded'),
          sayDone: (count) => t('{count} credit notes are refunded.', { count }),
        },
        (client, { id, amountDue }, paidOn) =>
          client
            .mutation(RefundCreditNote, { id, amount: amountDue, paidOn }, { idempotencyKey: randomId() })
            .toPromise(),
      ),
    },
    buildExportAction('CREDIT_NOTES'),
  ],
};
