import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { date, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { bankTransactionSelection } from './bulk-actions.ts';
import { BankTransactionFields, getName, type BankTransaction } from './fields.ts';
import { MatchState } from './state.tsx';
import { t } from '../../i18n/t.ts';

export const BankTransactionsQuery = graphql(
  `
    query BankTransactions(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: BankTransactionFilter
      $orderBy: [BankTransactionOrder!]
    ) {
      rows: bankTransactions(
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
          ...BankTransactionFields
        }
      }
    }
  `,
  [PageInfoFields, BankTransactionFields],
);

const isPartlyOpen = ({ matchStatus }: BankTransaction): boolean => matchStatus === 'PARTIALLY_MATCHED';

export const columns: SortableColumn<BankTransaction, 'BOOKING_DATE' | 'AMOUNT'>[] = [
  {
    header: t('Booked'),
    sort: 'BOOKING_DATE',
    phone: 'detail',
    cell: ({ bookingDate }) => <span className="figure">{date(bookingDate)}</span>,
  },
  {
    header: t('Counterparty'),
    lead: true,
    phone: 'title',
    cell: (transaction) => (
      <div>
        <LongText to={`/bank-transactions/${transaction.id}`}>{getName(transaction)}</LongText>
        <LongText secondary lines={1}>
          {transaction.reference}
        </LongText>
      </div>
    ),
  },
  { header: t('State'), phone: 'state', cell: (transaction) => <MatchState {...transaction} /> },
  {
    header: t('Amount'),
    sort: 'AMOUNT',
    align: 'right',
    phone: 'value',
    cell: ({ amount, currency }) => money(amount, currency),
  },
  {
    header: t('Open'),
    align: 'right',
    phone: 'more',
    cell: (row) => isPartlyOpen(row) && money(row.amountOpen, row.currency),
    phoneCell: (row) => isPartlyOpen(row) && t('{amount} open', { amount: money(row.amountOpen, row.currency) }),
  },
];

export const BankTransactionTable = (props: ListTableProps<typeof BankTransactionsQuery>): ReactNode => (
  <ListTable
    caption={t('Bank transactions')}
    query={BankTransactionsQuery}
    columns={columns}
    selection={bankTransactionSelection}
    {...props}
  />
);
