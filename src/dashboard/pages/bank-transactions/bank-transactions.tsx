import { ArrowUpTrayIcon, BuildingLibraryIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { date, labelled, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { Choice, period } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { accountFilter } from '../bank-accounts/account-choice.tsx';
import { BankTransactionFields, getName, type BankTransaction } from './fields.ts';
import { matchStatuses, MatchState } from './state.tsx';
import { t } from '../../i18n/t.ts';

const BankTransactionsQuery = graphql(
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

const columns: SortableColumn<BankTransaction, 'BOOKING_DATE' | 'AMOUNT'>[] = [
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

const BankTransactionTable = (props: ListTableProps<typeof BankTransactionsQuery>): ReactNode => (
  <ListTable caption={t('Bank transactions')} query={BankTransactionsQuery} columns={columns} {...props} />
);

const directions = [
  { value: 'CREDIT', label: t('Money in'), amount: { gt: '0' } },
  { value: 'DEBIT', label: t('Money out'), amount: { lt: '0' } },
];

export default function BankTransactions(): ReactNode {
  return (
    <ListPage
      title={t('Bank transactions')}
      description={t('Money received and sent, from your bank statements.')}
      exportable="BANK_TRANSACTIONS"
      table={BankTransactionTable}
      search={t('Search transactions')}
      filters={{
        status: (filter) => (
          <Choice label={t('State')} all={t('All states')} options={labelled(matchStatuses)} {...filter} />
        ),
        direction: (filter) => (
          <Choice
            label={t('Direction')}
            all={t('In and out')}
            options={directions.map(({ value, label }) => ({ value, label }))}
            {...filter}
          />
        ),
        account: accountFilter,
        ...period,
      }}
      variables={({ q, status, direction, account, from, to }) => ({
        filter: {
          q,
          matchStatus: { eq: findOneOf(status, matchStatuses) },
          amount: directions.find(({ value }) => value === direction)?.amount,
          accountIban: { eq: account },
          bookingDate: { gte: from, lte: to },
        },
      })}
      initialSort={{ field: 'BOOKING_DATE', direction: 'DESC' }}
      add={{ label: t('Upload a statement'), icon: ArrowUpTrayIcon, to: '/bank-transactions/upload' }}
      empty={{
        icon: BuildingLibraryIcon,
        title: t('No bank transactions yet'),
        description: t('Upload a bank statement: payments are matched with invoices automatically.'),
        noMatch: t('No transactions match'),
      }}
    />
  );
}
