import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { PlusIcon, UsersIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { DataTable, type Column } from '../../list/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Choice, Filters, Search } from '../../list/list-filters.tsx';
import { LongText } from '../../components/long-text.tsx';
import { EmptyList } from '../../list/empty-list.tsx';
import { Page } from '../../layout/page.tsx';
import { country, label } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { oneOf, orderBy, useListState } from '../../list/list-state.ts';
import { PageInfoFields } from '../../list/page-info.ts';
import { CustomerForm } from './customer-form.tsx';
import { CustomerFields, customerTypes, type Customer } from './fields.ts';

const CustomersQuery = graphql(
  `
    query Customers(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $q: String
      $type: CustomerType
      $orderBy: CustomerOrder
    ) {
      customers(first: $first, after: $after, last: $last, before: $before, q: $q, type: $type, orderBy: $orderBy) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          ...CustomerFields
        }
      }
    }
  `,
  [PageInfoFields, CustomerFields],
);

const columns: Column<Customer>[] = [
  {
    header: 'Company',
    sort: 'COMPANY_NAME',
    lead: true,
    cell: ({ id, companyName }) => <LongText to={`/customers/${id}`}>{companyName}</LongText>,
  },
  { header: 'Kind', cell: ({ type }) => label(type) },
  { header: 'E-mail', cell: ({ email }) => <LongText>{email}</LongText> },
  { header: 'City', cell: ({ city }) => <LongText>{city}</LongText> },
  { header: 'Country', cell: ({ country: code }) => <LongText>{code && country(code)}</LongText> },
];

const names = ['q', 'type'] as const;

export default function Customers(): ReactNode {
  const list = useListState(names);
  const [, navigate] = useLocation();
  const [adding, dialog] = useDisclosure();
  const { q, type } = list.filters;
  const [{ data, fetching, stale, error }, refetch] = useQuery({
    query: CustomersQuery,
    variables: {
      ...list.variables,
      q: q ?? null,
      type: oneOf(type, customerTypes),
      orderBy: orderBy(list.sort, ['COMPANY_NAME']),
    },
  });
  const add = (
    <Button leftSection={<PlusIcon width={18} aria-hidden />} onClick={dialog.open}>
      Add a customer
    </Button>
  );
  return (
    <Page title="Customers" description="Customers you invoice, and suppliers who invoice you." actions={add}>
      <Filters
        list={list}
        search={<Search label="Search customers" value={q} onChange={(value) => list.filter({ q: value })} />}
      >
        <Choice
          label="Kind"
          all="All kinds"
          value={type}
          onChange={(value) => list.filter({ type: value })}
          options={customerTypes.map((value) => ({ value, label: label(value) }))}
        />
      </Filters>
      <DataTable
        caption="Customers"
        columns={columns}
        list={list}
        connection={data?.customers}
        fetching={fetching && !stale}
        error={error}
        refetch={refetch}
        empty={
          <EmptyList
            list={list}
            noMatch="No customers match"
            icon={UsersIcon}
            title="No customers yet"
            description="Add the first: an invoice needs somebody to pay it."
          >
            {add}
          </EmptyList>
        }
      />
      <Dialog title="Add a customer" opened={adding} onClose={dialog.close}>
        <CustomerForm onCancel={dialog.close} onDone={({ id }) => navigate(`/customers/${id}`)} />
      </Dialog>
    </Page>
  );
}
