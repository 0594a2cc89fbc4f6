import { DocumentTextIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { labelled } from '../../format/format.ts';
import { Choice, period, pickerFilter } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { allDuePeriods, duePeriods, getDueDays } from './due.ts';
import { InvoiceTable } from './invoice-table.tsx';
import { InvoiceTabs } from './invoice-tabs.tsx';
import { invoiceStatuses } from './state.tsx';
import { t } from '../../i18n/t.ts';

function findDueDays(due: string | undefined) {
  const found = findOneOf(due, allDuePeriods);
  return found && getDueDays()[found];
}

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
            options={[...labelled([...invoiceStatuses, 'OVERDUE']), { value: 'TO_REFUND', label: t('Refund due') }]}
            {...filter}
          />
        ),
        customer: (filter) => (
          <CustomerPicker label={t('Customer')} placeholder={t('All customers')} {...pickerFilter(filter)} />
        ),
        due: (filter) => (
          <Choice
            label={t('Due')}
            all={t('Due at any time')}
            options={allDuePeriods.map((value) => ({ value, label: duePeriods[value] }))}
            {...filter}
          />
        ),
        ...period,
      }}
      variables={({ q, status, customer, due, from, to }) => ({
        filter: {
          q,
          status: { eq: findOneOf(status, invoiceStatuses) },
          isOverdue: { eq: status === 'OVERDUE' ? true : undefined },
          amountToRefund: { gt: status === 'TO_REFUND' ? '0' : undefined },
          dueDate: findDueDays(due),
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
