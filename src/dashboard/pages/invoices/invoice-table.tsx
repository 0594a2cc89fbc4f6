import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { LongText } from '../../components/long-text.tsx';
import { count, date, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { invoiceSelection } from './bulk-actions.tsx';
import { getDaysLate } from './days-late.ts';
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

export type InvoiceRow = ResultOf<typeof InvoicesQuery>['rows']['nodes'][number];

interface Props extends ListTableProps<typeof InvoicesQuery> {
  /** Whether all invoices belong to one customer, so that the customer's column is left out. */
  oneCustomer?: boolean;
}

export const InvoiceTable = ({ oneCustomer = false, ...rest }: Props): ReactNode => (
  <ListTable
    caption={t('Invoices')}
    query={InvoicesQuery}
    columns={oneCustomer ? columnsOfCustomer : columns}
    selection={oneCustomer ? undefined : invoiceSelection}
    {...rest}
  />
);

type Sortable = 'NUMBER' | 'INVOICE_DATE' | 'DUE_DATE' | 'TOTAL_GROSS' | 'AMOUNT_DUE';

const numberColumn: SortableColumn<InvoiceRow, Sortable> = {
  header: t('Number'),
  sort: 'NUMBER',
  lead: true,
  phone: 'detail',
  cell: ({ id, number }) => (
    <Anchor component={Link} to={`/invoices/${id}`} size="sm" fw={500} className="figure">
      {number ?? t('Draft')}
    </Anchor>
  ),
};

const customerColumn: SortableColumn<InvoiceRow, Sortable> = {
  header: t('Customer'),
  phone: 'title',
  cell: ({ customer, subject }) => (
    <div>
      <LongText>{customer.companyName}</LongText>
      <LongText secondary lines={1}>
        {subject}
      </LongText>
    </div>
  ),
};

const daysLateColumn: SortableColumn<InvoiceRow, Sortable> = {
  header: t('Days late'),
  align: 'right',
  wide: true,
  phone: 'more',
  cell: (row) => {
    const days = getDaysLate(row);
    return days > 0 && count(days);
  },
  phoneCell: (row) => {
    const days = getDaysLate(row);
    if (days > 0) return t('{count} days late', { count: days });
    if (row.amountToRefund !== '0') return toRefund(row);
    return row.status === 'ISSUED' ? t('Due {date}', { date: date(row.dueDate) }) : date(row.invoiceDate);
  },
};

const toRefund = ({ amountToRefund, currency }: InvoiceRow): string =>
  t('{amount} to refund', { amount: money(amountToRefund, currency) });

const otherColumns: SortableColumn<InvoiceRow, Sortable>[] = [
  { header: t('State'), phone: 'state', cell: (row) => <InvoiceState {...row} /> },
  {
    header: t('Date'),
    sort: 'INVOICE_DATE',
    wide: true,
    cell: ({ invoiceDate }) => <span className="figure">{date(invoiceDate)}</span>,
  },
  { header: t('Due'), sort: 'DUE_DATE', cell: ({ dueDate }) => <span className="figure">{date(dueDate)}</span> },
];

const amountColumns: SortableColumn<InvoiceRow, Sortable>[] = [
  {
    header: t('Total'),
    sort: 'TOTAL_GROSS',
    align: 'right',
    phone: 'value',
    cell: ({ totalGross, currency }) => money(totalGross, currency),
  },
  {
    header: t('Open'),
    sort: 'AMOUNT_DUE',
    align: 'right',
    cell: (row) => {
      if (row.status === 'ISSUED') return money(row.amountDue, row.currency);
      return row.amountToRefund !== '0' && toRefund(row);
    },
  },
];

const columns = [numberColumn, customerColumn, ...otherColumns, daysLateColumn, ...amountColumns];

const columnsOfCustomer: typeof columns = [
  { ...numberColumn, phone: 'title' },
  ...otherColumns,
  { ...daysLateColumn, phone: 'detail' },
  ...amountColumns,
];
