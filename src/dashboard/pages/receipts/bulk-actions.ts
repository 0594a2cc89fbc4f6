import { CheckIcon, TrashIcon } from '@heroicons/react/24/outline';
import { t } from '../../i18n/t.ts';
import { buildQuestion } from '../../list/selection/question.tsx';
import { sayMoney, type SelectionOptions } from '../../list/selection/selection.ts';
import { buildExportAction } from '../exports/export-question.tsx';
import { getName } from './fields.ts';
import { BookReceipt, DeleteReceipt } from './mutations.ts';
import type { ReceiptRow } from './receipts.tsx';

const ofDrafts = {
  scope: 'receipts',
  isFor: ({ status }: ReceiptRow) => status === 'DRAFT',
  notFor: t('Not a draft'),
};

/** The actions on several receipts. */
export const receiptSelection: SelectionOptions<ReceiptRow> = {
  getName: (row) => [getName(row), row.supplier?.companyName].filter(Boolean).join(', '),
  getPath: ({ id }) => `/receipts/${id}`,
  addUp: (rows) => sayMoney(rows.map(({ amountGross, currency }) => ({ amount: amountGross, currency }))),
  actions: [
    {
      ...ofDrafts,
      label: t('Book'),
      icon: CheckIcon,
      title: t('Book the receipts?'),
      Question: buildQuestion<ReceiptRow>(
        {
          summary: (count) => t('{count} receipts will be booked.', { count }),
          consequence: t('They can no longer be edited. You can still record payments or reverse them.'),
          confirm: t('Book'),
          sayDone: (count) => t('{count} receipts are booked.', { count }),
        },
        (client, { id }) => client.mutation(BookReceipt, { id }).toPromise(),
      ),
    },
    buildExportAction('RECEIPTS'),
    {
      ...ofDrafts,
      label: t('Delete'),
      icon: TrashIcon,
      isRed: true,
      title: t('Delete the drafts?'),
      Question: buildQuestion<ReceiptRow>(
        {
          summary: (count) => t('{count} drafts will be deleted.', { count }),
          consequence: t('They are deleted permanently.'),
          confirm: t('Delete'),
          isRed: true,
          sayDone: (count) => t('{count} drafts are deleted.', { count }),
        },
        (client, { id }) => client.mutation(DeleteReceipt, { id }).toPromise(),
      ),
    },
  ],
};
