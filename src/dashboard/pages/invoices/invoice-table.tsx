import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { LongText } from '../../components/long-text.tsx';
import { date, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { InvoiceState } from './state.tsx';
import { t } from '../../i18n/t.ts';

const InvoicesQuery = graphql(
  `
    query Invoices(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: InvoiceFilter
      $orderBy: [InvoiceOrder!]
    ) {
      rows: invoices(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
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
          amountPaid
          amountToRefund
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

type InvoiceRow = ResultOf<typeof InvoicesQuery>['rows']['nodes'][number];

interface Props extends ListTableProps<typeof InvoicesQuery> {
  /** Whether all invoices belong to one customer, so that the customer's column is left out. */
  oneCustomer?: boolean;
}

export const InvoiceTable = ({ oneCustomer = false, ...rest }: Props): ReactNode => (
  <ListTable
    caption={t('Invoices')}
    query={InvoicesQuery}
    columns={oneCustomer ? columns.filter((column) => column !== customerColumn) : columns}
    {...rest}
  />
);

const customerColumn: SortableColumn<InvoiceRow, never> = {
  header: t('Customer'),
  cell: ({ customer, subject }) => (
    <div>
      <LongText>{customer.companyName}</LongText>
      <LongText secondary lines={1}>
        {subject}
      </LongText>
    </div>
  ),
};

const columns: SortableColumn<InvoiceRow, 'NUMBER' | 'INVOICE_DATE' | 'DUE_DATE' | 'TOTAL_GROSS'>[] = [
  {
    header: t('Number'),
    sort: 'NUMBER',
    lead: true,
    cell: ({ id, number }) => (
      <Anchor component={Link} to={`/invoices/${id}`} size="sm" fw={500} className="figure">
        {number ?? t('Draft')}
      </Anchor>
    ),
  },
  customerColumn,
  { header: t('State'), cell: (row) => <InvoiceState {...row} /> },
  {
    header: t('Date'),
    sort: 'INVOICE_DATE',
    cell: ({ invoiceDate }) => <span className="figure">{date(invoiceDate)}</span>,
  },
  { header: t('Due'), sort: 'DUE_DATE', cell: ({ dueDate }) => <span className="figure">{date(dueDate)}</span> },
  {
    header: t('Total'),
    sort: 'TOTAL_GROSS',
    align: 'right',
    cell: (row) => (
      <div>
        {money(row.totalGross, row.currency)}
        {row.status === 'ISSUED' && row.amountDue !== row.totalGross && (
          <Text size="xs" c="dimmed">
            {t('{amount} open', { amount: money(row.amountDue, row.currency) })}
          </Text>
        )}
        {row.amountToRefund !== '0' && (
          <Text size="xs" c="dimmed">
            {t('{amount} to refund', { amount: money(row.amountToRefund, row.currency) })}
          </Text>
        )}
      </div>
    ),
  },
];
