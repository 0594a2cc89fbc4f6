import { ArrowUpTrayIcon, BuildingLibraryIcon } from '@heroicons/react/24/outline';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { labelled } from '../../format/format.ts';
import { Choice, period } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import type { ListTableProps } from '../../list/list-table.tsx';
import { accountFilter } from '../bank-accounts/account-choice.tsx';
import { Inbox } from './inbox.tsx';
import { NothingToMatch } from './nothing-to-match.tsx';
import { ExactMatches } from './exact-matches.tsx';
import { matchStatuses } from './state.tsx';
import { BankTransactionsQuery, BankTransactionTable } from './transaction-table.tsx';
import { TransactionTabs } from './transaction-tabs.tsx';
import { t } from '../../i18n/t.ts';

const directions = [
  { value: 'CREDIT', label: t('Money in'), amount: { gt: '0' } },
  { value: 'DEBIT', label: t('Money out'), amount: { lt: '0' } },
];

/** The list. Unmatched transactions are an inbox where that has room. */
function Transactions({ list, filters, empty }: ListTableProps<typeof BankTransactionsQuery>): ReactNode {
  const hasRoom = useMediaQuery('(min-width: 62.5em)', false, { getInitialValueInEffect: false });
  if (filters.filter?.matchStatus?.eq !== 'UNMATCHED')
    return <BankTransactionTable list={list} filters={filters} empty={empty} />;
  const isAll = Object.keys(list.filters).length === 1;
  const props = { list, filters, empty: isAll ? <NothingToMatch /> : empty };
  return hasRoom ? (
    <Inbox {...props} />
  ) : (
    <>
      <ExactMatches />
      <BankTransactionTable {...props} />
    </>
  );
}

export default function BankTransactions(): ReactNode {
  return (
    <ListPage
      title={t('Bank transactions')}
      description={t('Money received and sent, from your bank statements.')}
      exportable="BANK_TRANSACTIONS"
      table={Transactions}
      tabs={{ filter: 'status', component: TransactionTabs }}
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
