import { DocumentTextIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { labelled } from '../../format/format.ts';
import { Choice, period, pickerFilter } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { InvoiceTable } from './invoice-table.tsx';
import { invoiceStatuses } from './state.tsx';

export default function Invoices(): ReactNode {
  return (
    <ListPage
      title="Invoices"
      table={InvoiceTable}
      search="Search invoices"
      filters={{
        status: (filter) => (
          <Choice label="State" all="All states" options={labelled([...invoiceStatuses, 'OVERDUE'])} {...filter} />
        ),
        customer: (filter) => <CustomerPicker label="Customer" placeholder="All customers" {...pickerFilter(filter)} />,
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
      importable="INVOICE"
      exportable="INVOICES"
      add={{ label: 'New invoice', to: '/invoices/new' }}
      initialSort={{ field: 'INVOICE_DATE', direction: 'DESC' }}
      empty={{
        icon: DocumentTextIcon,
        title: 'No invoices yet',
        description: 'Start with a draft. It gets its number when you issue it.',
        noMatch: 'No invoices match',
      }}
    />
  );
}
