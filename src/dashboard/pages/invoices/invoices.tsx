import { DocumentTextIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { labelled } from '../../format/format.ts';
import { Choice, period, pickerFilter } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { InvoiceTable } from './invoice-table.tsx';
import { InvoiceTabs } from './invoice-tabs.tsx';
import { invoiceStatuses } from './state.tsx';
import { t } from '../../i18n/t.ts';

export default function Invoices(): ReactNode {
  return (
    <ListPage
      title={t('Invoices')}
      table={InvoiceTable}
      search={t('Search invoices')}
      filters={{
        status: (filter) => (
          <Choice
            label={t('State')}
            all={t('All states')}
            options={labelled([...invoiceStatuses, 'OVERDUE'])}
            {...filter}
          />
        ),
        customer: (filter) => (
          <CustomerPicker label={t('Customer')} placeholder={t('All customers')} {...pickerFilter(filter)} />
        ),
        ...period,
      }}
      variables={({ q, status, customer, from, to }) => ({
        filter: {
          q,
          status: { eq: findOneOf(status, invoiceStatuses) },
          isOverdue: { eq: status === 'OVERDUE' ? true : undefined },
          customerId: { eq: customer },
          invoiceDate: { gte: from, lte: to },
        },
      })}
      tabs={{ filter: 'status', component: InvoiceTabs }}
      importable="INVOICE"
      exportable="INVOICES"
      add={{ label: t('New invoice'), to: '/invoices/new' }}
      initialSort={{ field: 'INVOICE_DATE', direction: 'DESC' }}
      empty={{
        icon: DocumentTextIcon,
        title: t('No invoices yet'),
        description: t('Start with a draft. It gets its number when you issue it.'),
        noMatch: t('No invoices match'),
      }}
    />
  );
}
