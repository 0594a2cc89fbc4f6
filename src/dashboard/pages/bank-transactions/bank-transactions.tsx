import { Button, Text } from '@mantine/core';
import { ArrowUpTrayIcon, BuildingLibraryIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { DataTable, type Column } from '../../list/data-table.tsx';
import { Choice, Day, Filters, Search } from '../../list/list-filters.tsx';
import { LongText } from '../../components/long-text.tsx';
import { EmptyList } from '../../list/empty-list.tsx';
import { Page } from '../../layout/page.tsx';
import { date, label, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { oneOf, orderBy, useListState } from '../../list/list-state.ts';
import { PageInfoFields } from '../../list/page-info.ts';
import { BankTransactionFields, directions, matchStatuses, nameOf, type BankTransaction } from './fields.ts';
import { MatchState } from './state.tsx';

const BankTransactionsQuery = graphql(
  `
    query BankTransactions(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $q: String
      $matchStatus: MatchStatus
      $direction: BankTransactionDirection
      $from: Date
      $to: Date
      $orderBy: BankTransactionOrder
    ) {
      bankTransactions(
        first: $first
        after: $after
        last: $last
        before: $before
        q: $q
        matchStatus: $matchStatus
        direction: $direction
        from: $from
        to: $to
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

const columns: Column<BankTransaction>[] = [
  {
    header: 'Booked',
    sort: 'BOOKING_DATE',
    cell: ({ bookingDate }) => <span className="figure">{date(bookingDate)}</span>,
  },
  {
    header: 'Counterparty',
    lead: true,
    cell: (transaction) => (
      <>
        <LongText to={`/bank-transactions/${transaction.id}`}>{nameOf(transaction)}</LongText>
        <LongText secondary lines={1}>
          {transaction.reference}
        </LongText>
      </>
    ),
  },
  { header: 'State', cell: (transaction) => <MatchState {...transaction} /> },
  {
    header: 'Amount',
    sort: 'AMOUNT',
    align: 'right',
    cell: ({ amount, amountOpen, currency, matchStatus }) => (
      <div>
        {money(amount, currency)}
        {matchStatus === 'PARTIALLY_MATCHED' && (
          <Text size="xs" c="dimmed">
            {money(amountOpen, currency)} open
          </Text>
        )}
      </div>
    ),
  },
];

const names = ['q', 'status', 'direction', 'from', 'to'] as const;

export default function BankTransactions(): ReactNode {
  const list = useListState(names, { field: 'BOOKING_DATE', direction: 'DESC' });
  const { q, status, direction, from, to } = list.filters;
  const [{ data, fetching, stale, error }, refetch] = useQuery({
    query: BankTransactionsQuery,
    variables: {
      ...list.variables,
      q: q ?? null,
      matchStatus: oneOf(status, matchStatuses),
      direction: oneOf(direction, ['CREDIT', 'DEBIT']),
      from: from ?? null,
      to: to ?? null,
      orderBy: orderBy(list.sort, ['BOOKING_DATE', 'AMOUNT']),
    },
  });
  const upload = (
    <Button component={Link} to="/bank-transactions/upload" leftSection={<ArrowUpTrayIcon width={18} aria-hidden />}>
      Upload a statement
    </Button>
  );
  return (
    <Page title="Bank transactions" description="Money received and sent, from your bank statements." actions={upload}>
      <Filters
        list={list}
        search={<Search label="Search transactions" value={q} onChange={(value) => list.filter({ q: value })} />}
      >
        <Choice
          label="State"
          all="All states"
          value={status}
          onChange={(value) => list.filter({ status: value })}
          options={matchStatuses.map((value) => ({ value, label: label(value) }))}
        />
        <Choice
          label="Direction"
          all="In and out"
          value={direction}
          onChange={(value) => list.filter({ direction: value })}
          options={Object.entries(directions).map(([value, name]) => ({ value, label: name }))}
        />
        <Day label="From" value={from} onChange={(value) => list.filter({ from: value })} />
        <Day label="To" value={to} onChange={(value) => list.filter({ to: value })} />
      </Filters>
      <DataTable
        caption="Bank transactions"
        columns={columns}
        list={list}
        connection={data?.bankTransactions}
        fetching={fetching && !stale}
        error={error}
        refetch={refetch}
        empty={
          <EmptyList
            list={list}
            noMatch="No transactions match"
            icon={BuildingLibraryIcon}
            title="No bank transactions yet"
            description="Upload a bank statement: payments are matched with invoices automatically."
          >
            {upload}
          </EmptyList>
        }
      />
    </Page>
  );
}
