import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { date, money } from '../../format.ts';
import { graphql, type ResultOf, type VariablesOf } from '../../graphql.ts';
import { orderBy, type ListState } from '../../list-state.ts';
import { PageInfoFields } from '../../page-info.ts';
import { InvoiceState } from './state.tsx';

const InvoicesQuery = graphql(
  `
    query Invoices(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $q: String
      $status: InvoiceStatus
      $overdue: Boolean
      $customerId: UUID
      $from: Date
      $to: Date
      $orderBy: InvoiceOrder
    ) {
      invoices(
        first: $first
        after: $after
        last: $last
        before: $before
        q: $q
        status: $status
        overdue: $overdue
        customerId: $customerId
        from: $from
        to: $to
        orderBy: $orderBy
      ) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          id
          number
          subject
          status
          isOverdue
          invoiceDate
          dueDate
          currency
          totalGross
          amountDue
          customer {
            id
            companyName
          }
        }
      }
    }
  `,
  [PageInfoFields],
);

type Row = ResultOf<typeof InvoicesQuery>['invoices']['nodes'][number];

interface Props {
  list: ListState<never>;
  filters: Omit<VariablesOf<typeof InvoicesQuery>, 'first' | 'after' | 'last' | 'before' | 'orderBy'>;
  /** Whether all are one customer's, who needn't be named on each row. */
  oneCustomer?: boolean;
  empty: ReactNode;
}

export function InvoiceTable({ list, filters, oneCustomer = false, empty }: Props): ReactNode {
  const [{ data, fetching, stale, error }, again] = useQuery({
    query: InvoicesQuery,
    variables: {
      ...list.variables,
      ...filters,
      orderBy: orderBy(list.sort, ['NUMBER', 'INVOICE_DATE', 'DUE_DATE', 'TOTAL_GROSS']),
    },
  });
  return (
    <DataTable
      caption="Invoices"
      columns={oneCustomer ? columns.filter(({ header }) => header !== 'Customer') : columns}
      list={list}
      connection={data?.invoices}
      fetching={fetching && !stale}
      error={error}
      again={again}
      empty={empty}
    />
  );
}

const columns: Column<Row>[] = [
  {
    header: 'Number',
    sort: 'NUMBER',
    width: 130,
    cell: ({ id, number }) => (
      <Anchor component={Link} to={`/invoices/${id}`} size="sm" fw={500} className="numbers">
        {number ?? 'Draft'}
      </Anchor>
    ),
  },
  {
    header: 'Customer',
    cell: ({ customer, subject }) => (
      <>
        <Text size="sm" lineClamp={1}>
          {customer.companyName}
        </Text>
        {subject && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {subject}
          </Text>
        )}
      </>
    ),
  },
  { header: 'State', width: 150, cell: (row) => <InvoiceState {...row} /> },
  { header: 'Date', sort: 'INVOICE_DATE', width: 130, from: 'md', cell: ({ invoiceDate }) => date(invoiceDate) },
  { header: 'Due', sort: 'DUE_DATE', width: 130, from: 'lg', cell: ({ dueDate }) => date(dueDate) },
  {
    header: 'Total',
    sort: 'TOTAL_GROSS',
    align: 'right',
    width: 140,
    cell: ({ totalGross, currency }) => money(totalGross, currency),
  },
  {
    header: 'Open',
    align: 'right',
    width: 130,
    from: 'lg',
    cell: ({ amountDue, currency, status }) => (status === 'ISSUED' ? money(amountDue, currency) : ''),
  },
];
