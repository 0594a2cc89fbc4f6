import { ReceiptRefundIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { period, pickerFilter } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { CreditNoteTable } from './credit-note-table.tsx';
import { t } from '../../i18n/t.ts';

export default function CreditNotes(): ReactNode {
  return (
    <ListPage
      title={t('Credit notes')}
      description={t('Each takes back all or part of an invoice.')}
      exportable="CREDIT_NOTES"
      table={CreditNoteTable}
      search={t('Search credit notes')}
      filters={{
        customer: (filter) => (
          <CustomerPicker label={t('Customer')} placeholder={t('All customers')} {...pickerFilter(filter)} />
        ),
        ...period,
      }}
      variables={({ q, customer, from, to }) => ({
        filter: { q, customerId: { eq: customer }, creditNoteDate: { gte: from, lte: to } },
      })}
      initialSort={{ field: 'CREDIT_NOTE_DATE', direction: 'DESC' }}
      empty={{
        icon: ReceiptRefundIcon,
        title: t('No credit notes yet'),
        description: t('Open an issued invoice to create one.'),
        noMatch: t('No credit notes match'),
      }}
    />
  );
}
