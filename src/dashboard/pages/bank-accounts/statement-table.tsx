import { EmptyState } from '@mantine/core';
import { DocumentTextIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { date, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import type { ListState } from '../../list/list-state.ts';
import { ListTable } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import type { BankAccount } from './fields.ts';
import { t } from '../../i18n/t.ts';

const BankStatementsQuery = graphql(
  `
    query BankStatements(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: BankStatementFilter
      $orderBy: [BankStatementOrder!]
    ) {
      rows: bankStatements(
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
          fromDate
          toDate
          openingBalance
          closingBalance
          continuity
          difference
        }
      }
    }
  `,
  [PageInfoFields],
);

type Statement = ResultOf<typeof BankStatementsQuery>['rows']['nodes'][number];

const columns = (currency: string): SortableColumn<Statement, 'TO_DATE'>[] => [
  {
    header: t('Statement'),
    sort: 'TO_DATE',
    lead: true,
    cell: ({ number, fromDate, toDate }) => (
      <>
        <span className="figure">{t('{from} to {to}', { from: date(fromDate), to: date(toDate) })}</span>
        {number && <LongText secondary>{t('No. {number}', { number })}</LongText>}
      </>
    ),
  },
  { header: t('Before it'), cell: (statement) => <Continuity {...statement} currency={currency} /> },
  { header: t('Opening'), align: 'right', cell: ({ openingBalance }) => money(openingBalance, currency) },
  { header: t('Closing'), align: 'right', cell: ({ closingBalance }) => money(closingBalance, currency) },
];

function Continuity({
  continuity,
  difference,
  currency,
}: Pick<Statement, 'continuity' | 'difference'> & { currency: string }): ReactNode {
  if (continuity === 'FIRST') return t('None');
  if (continuity === 'CONTINUES') return <StatusBadge color="teal">{t('Complete')}</StatusBadge>;
  if (continuity === 'OVERLAP') return <StatusBadge color="orange">{t('Overlap')}</StatusBadge>;
  return (
    <>
      <StatusBadge color="red">{t('Missing')}</StatusBadge>
      <LongText secondary>{money(difference, currency)}</LongText>
    </>
  );
}

interface Props {
  account: BankAccount;
  list: ListState<never>;
}

/** The statements of a bank account, and where one is missing. */
export const StatementTable = ({ account: { id, currency }, list }: Props): ReactNode => (
  <ListTable
    caption={t('Statements')}
    query={BankStatementsQuery}
    columns={columns(currency)}
    list={list}
    filters={{ filter: { bankAccountId: { eq: id } } }}
    empty={
      <EmptyState
        icon={<DocumentTextIcon width={40} aria-hidden />}
        title={t('No statements yet')}
        description={t('CAMT.053 and MT940 files state balances; CSV files don’t.')}
      />
    }
  />
);
