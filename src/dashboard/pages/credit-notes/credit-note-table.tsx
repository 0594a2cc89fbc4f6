import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { LongText } from '../../components/long-text.tsx';
import { date, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { creditNoteSelection } from './bulk-actions.ts';
import { getReason } from './fields.ts';
import { t } from '../../i18n/t.ts';

const CreditNotesQuery = graphql(
  `
    query CreditNotes(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: CreditNoteFilter
      $orderBy: [CreditNoteOrder!]
    ) {
      rows: creditNotes(
        first: $first
        after: $after
        last: $last
        before: $before
        filter: $filter
        orderBy: $orderBy
      ) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          id
          number
          creditNoteDate
          reason
          isCancellation
          currency
          totalGross
          amountDue
          invoice {
            id
            number
          }
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

export type CreditNoteRow = ResultOf<typeof CreditNotesQuery>['rows']['nodes'][number];

export const CreditNoteTable = (props: ListTableProps<typeof CreditNotesQuery>): ReactNode => (
  <ListTable
    caption={t('Credit notes')}
    query={CreditNotesQuery}
    columns={columns}
    selection={creditNoteSelection}
    {...props}
  />
);

const columns: SortableColumn<CreditNoteRow, 'NUMBER' | 'CREDIT_NOTE_DATE' | 'TOTAL_GROSS'>[] = [
  {
    header: t('Number'),
    sort: 'NUMBER',
    lead: true,
    phone: 'detail',
    cell: ({ id, number }) => (
      <Anchor component={Link} to={`/credit-notes/${id}`} size="sm" fw={500} className="figure">
        {number}
      </Anchor>
    ),
  },
  {
    header: t('Customer'),
    phone: 'title',
    cell: (row) => (
      <div>
        <LongText>{row.customer.companyName}</LongText>
        <LongText secondary lines={1}>
          {getReason(row)}
        </LongText>
      </div>
    ),
  },
  {
    header: t('Invoice'),
    cell: ({ invoice }) => (
      <Anchor component={Link} to={`/invoices/${invoice.id}`} size="sm" className="figure">
        {invoice.number}
      </Anchor>
    ),
  },
  {
    header: t('Date'),
    sort: 'CREDIT_NOTE_DATE',
    phone: 'state',
    cell: ({ creditNoteDate }) => <span className="figure">{date(creditNoteDate)}</span>,
  },
  {
    header: t('Total'),
    sort: 'TOTAL_GROSS',
    align: 'right',
    phone: 'value',
    cell: ({ totalGross, currency }) => money(totalGross, currency),
  },
  {
    header: t('To refund'),
    align: 'right',
    phone: 'more',
    cell: ({ amountDue, currency }) => amountDue !== '0' && money(amountDue, currency),
    phoneCell: ({ amountDue, currency }) =>
      amountDue !== '0' && t('{amount} to refund', { amount: money(amountDue, currency) }),
  },
];
