import { BanknotesIcon, CheckIcon, TrashIcon } from '@heroicons/react/24/outline';
import { randomId } from '../../forms/random-id.ts';
import { date } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { buildQuestion } from '../../list/selection/question.tsx';
import { sayMoney, type SelectionOptions } from '../../list/selection/selection.ts';
import { buildExportAction } from '../exports/export-question.tsx';
import { buildPaidOnQuestion } from '../payments/paid-on-question.tsx';
import { getName } from './fields.ts';
import type { InvoiceRow } from './invoice-table.tsx';
import { IssueQuestion } from './issue-question.tsx';
import { DeleteInvoice, PayInvoice } from './mutations.ts';

const ofDrafts = {
  scope: 'invoices',
  isFor: ({ status }: InvoiceRow) => status === 'DRAFT',
  notFor: t('Not a draft'),
};

/** The actions on several invoices. */
export const invoiceSelection: SelectionOptions<InvoiceRow> = {
  getName: (row) =>
    `${getName(row)}${row.number === null ? ` ${date(row.invoiceDate)}` : ''}, ${row.customer.companyName}`,
  getPath: ({ id }) => `/invoices/${id}`,
  addUp: (rows) => sayMoney(rows.map(({ totalGross, currency }) => ({ amount: totalGross, currency }))),
  actions: [
    {
      ...ofDrafts,
      label: t('Issue'),
      icon: CheckIcon,
      title: t('Issue the invoices?'),
      Question: IssueQuestion,
    },
    {
      label: t('Mark as paid'),
      icon: BanknotesIcon,
      scope: 'invoices',
      isFor: ({ status }) => status === 'ISSUED',
      notFor: t('Nothing is to be paid'),
      title: t('Mark the invoices as paid?'),
      Question: buildPaidOnQuestion<InvoiceRow>(
        {
          summary: (count) => t('{count} invoices will be marked as paid.', { count }),
          consequence: t('A payment of the amount due is recorded for each. You can undo it on the invoice’s page.'),
          confirm: t('Mark as paid'),
          sayDone: (count) => t('{count} invoices are paid.', { count }),
        },
        (client, { id, amountDue }, paidOn) =>
          client.mutation(PayInvoice, { id, amount: amountDue, paidOn }, { idempotencyKey: randomId() }).toPromise(),
      ),
    },
    buildExportAction('INVOICES'),
    {
      ...ofDrafts,
      label: t('Delete'),
      icon: TrashIcon,
      isRed: true,
      title: t('Delete the drafts?'),
      Question: buildQuestion<InvoiceRow>(
        {
          summary: (count) => t('{count} drafts will be deleted.', { count }),
          consequence: t('They are deleted permanently. Time entries on them can be billed again.'),
          confirm: t('Delete'),
          isRed: true,
          sayDone: (count) => t('{count} drafts are deleted.', { count }),
        },
        (client, { id }) => client.mutation(DeleteInvoice, { id }).toPromise(),
      ),
    },
  ],
};
