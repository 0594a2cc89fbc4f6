import { UsersIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { country, label, labelled } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { Choice } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { customerSelection } from './bulk-actions.ts';
import { CustomerForm } from './customer-form.tsx';
import { CustomerFields, customerTypes, type Customer } from './fields.ts';
import { t } from '../../i18n/t.ts';

const CustomersQuery = graphql(
  `
    query Customers(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: CustomerFilter
      $orderBy: [CustomerOrder!]
    ) {
      rows: customers(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
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

const columns: SortableColumn<Customer, 'COMPANY_NAME'>[] = [
  {
    header: t('Company'),
    sort: 'COMPANY_NAME',
    lead: true,
    phone: 'title',
    cell: ({ id, companyName }) => <LongText to={`/customers/${id}`}>{companyName}</LongText>,
  },
  { header: t('Kind'), phone: 'state', cell: ({ type }) => label(type) },
  { header: t('E-mail'), wide: true, phone: 'detail', cell: ({ email }) => <LongText>{email}</LongText> },
  { header: t('City'), cell: ({ city }) => <LongText>{city}</LongText> },
  { header: t('Country'), cell: ({ country: code }) => <LongText>{code && country(code)}</LongText> },
];

const CustomerTable = (props: ListTableProps<typeof CustomersQuery>): ReactNode => (
  <ListTable
    caption={t('Customers')}
    query={CustomersQuery}
    columns={columns}
    selection={customerSelection}
    {...props}
  />
);

export default function Customers(): ReactNode {
  return (
    <ListPage
      title={t('Customers')}
      description={t('Customers you invoice, and suppliers who invoice you.')}
      table={CustomerTable}
      search={t('Search customers')}
      filters={{
        type: (filter) => (
          <Choice label={t('Kind')} all={t('All kinds')} options={labelled(customerTypes)} {...filter} />
        ),
      }}
      variables={({ q, type }) => ({ filter: { q, type: { eq: findOneOf(type, customerTypes) } } })}
      importable="CUSTOMER"
      exportable="CUSTOMERS"
      add={{
        label: t('Add a customer'),
        form: ({ onDone, onCancel }) => <CustomerForm onDone={({ id }) => onDone(id)} onCancel={onCancel} />,
      }}
      empty={{
        icon: UsersIcon,
        title: t('No customers yet'),
        description: t('Add a customer to write your first invoice.'),
        noMatch: t('No customers match'),
      }}
    />
  );
}
