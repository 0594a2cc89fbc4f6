import { TrashIcon } from '@heroicons/react/24/outline';
import { t } from '../../i18n/t.ts';
import { buildQuestion } from '../../list/selection/question.tsx';
import type { SelectionOptions } from '../../list/selection/selection.ts';
import { buildExportAction } from '../exports/export-question.tsx';
import type { Customer } from './fields.ts';
import { DeleteCustomer } from './mutations.ts';

/** The actions on several customers and suppliers. */
export const customerSelection: SelectionOptions<Customer> = {
  getName: ({ companyName }) => companyName,
  getPath: ({ id }) => `/customers/${id}`,
  actions: [
    buildExportAction('CUSTOMERS'),
    {
      label: t('Delete'),
      icon: TrashIcon,
      scope: 'customers',
      isRed: true,
      isFor: () => true,
      notFor: '',
      title: t('Delete the customers and suppliers?'),
      Question: buildQuestion<Customer>(
        {
          summary: (count) => t('{count} customers and suppliers will be deleted.', { count }),
          consequence: t('They are deleted permanently. Those with invoices, receipts, or projects are left.'),
          confirm: t('Delete'),
          isRed: true,
          sayDone: (count) => t('{count} customers and suppliers are deleted.', { count }),
        },
        (client, { id }) => client.mutation(DeleteCustomer, { id }).toPromise(),
      ),
    },
  ],
};
