import { Button } from '@mantine/core';
import { DocumentTextIcon, PlusIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { Choice, Day, Filters, Search } from '../../list/list-filters.tsx';
import { EmptyList } from '../../list/empty-list.tsx';
import { Page } from '../../layout/page.tsx';
import { label } from '../../format/format.ts';
import { oneOf, useListState } from '../../list/list-state.ts';
import { invoiceStatuses } from './fields.ts';
import { InvoiceTable } from './invoice-table.tsx';

const names = ['q', 'status', 'customer', 'from', 'to'] as const;

const states = [
  ...invoiceStatuses.map((status) => ({ value: status, label: label(status) })),
  { value: 'OVERDUE', label: 'Overdue' },
];

export default function Invoices(): ReactNode {
  const list = useListState(names);
  const { q, status, customer, from, to } = list.filters;
  const add = (
    <Button component={Link} to="/invoices/new" leftSection={<PlusIcon width={18} aria-hidden />}>
      Write an invoice
    </Button>
  );
  return (
    <Page title="Invoices" actions={add}>
      <Filters
        list={list}
        search={<Search label="Search invoices" value={q} onChange={(value) => list.filter({ q: value })} />}
      >
        <Choice
          label="State"
          all="All states"
          value={status}
          onChange={(value) => list.filter({ status: value })}
          options={states}
        />
        <CustomerPicker
          label="Customer"
          placeholder="All customers"
          hideLabel
          value={customer ?? null}
          onChange={(value) => list.filter({ customer: value ?? undefined })}
          w={{ base: '100%', sm: 220 }}
        />
        <Day label="From" value={from} onChange={(value) => list.filter({ from: value })} />
        <Day label="To" value={to} onChange={(value) => list.filter({ to: value })} />
      </Filters>
      <InvoiceTable
        list={list}
        filters={{
          q: q ?? null,
          status: oneOf(status, invoiceStatuses),
          overdue: status === 'OVERDUE' ? true : null,
          customerId: customer ?? null,
          from: from ?? null,
          to: to ?? null,
        }}
        empty={
          <EmptyList
            list={list}
            noMatch="No invoices match"
            icon={DocumentTextIcon}
            title="No invoices yet"
            description="Write the first, as a draft: it gets its number when you issue it."
          >
            {add}
          </EmptyList>
        }
      />
    </Page>
  );
}
