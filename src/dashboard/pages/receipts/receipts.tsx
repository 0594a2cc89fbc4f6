import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { PlusIcon, ReceiptPercentIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { DataTable, type Column } from '../../list/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Choice, Filters, Search } from '../../list/list-filters.tsx';
import { LongText } from '../../components/long-text.tsx';
import { EmptyList } from '../../list/empty-list.tsx';
import { Page } from '../../layout/page.tsx';
import { date, label, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { oneOf, orderBy, useListState } from '../../list/list-state.ts';
import { PageInfoFields } from '../../list/page-info.ts';
import { receiptStatuses } from './fields.ts';
import { ReceiptForm } from './receipt-form.tsx';
import { ReceiptState } from './state.tsx';

const ReceiptsQuery = graphql(
  `
    query Receipts(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $q: String
      $status: ReceiptStatus
      $supplierId: UUID
      $orderBy: ReceiptOrder
    ) {
      receipts(
        first: $first
        after: $after
        last: $last
        before: $before
        q: $q
        status: $status
        supplierId: $supplierId
        orderBy: $orderBy
      ) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          id
          receiptNumber
          receiptDate
          status
          category
          description
          currency
          amountGross
          supplier {
            id
            companyName
          }
        }
      }
    }
  `,
  [PageInfoFields],
);

type Row = ResultOf<typeof ReceiptsQuery>['receipts']['nodes'][number];

const columns: Column<Row>[] = [
  {
    header: 'Receipt',
    lead: true,
    cell: ({ id, receiptNumber, supplier, description }) => (
      <>
        <LongText to={`/receipts/${id}`}>{supplier?.companyName ?? description ?? 'Without a supplier'}</LongText>
        <LongText secondary>{[receiptNumber, supplier && description].filter(Boolean).join(' · ')}</LongText>
      </>
    ),
  },
  { header: 'Category', cell: ({ category }) => <LongText>{category}</LongText> },
  { header: 'State', cell: (receipt) => <ReceiptState {...receipt} /> },
  {
    header: 'Date',
    sort: 'RECEIPT_DATE',
    cell: ({ receiptDate }) => <span className="figure">{date(receiptDate)}</span>,
  },
  {
    header: 'Gross',
    sort: 'AMOUNT_GROSS',
    align: 'right',
    cell: ({ amountGross, currency }) => money(amountGross, currency),
  },
];

const names = ['q', 'status', 'supplier'] as const;

export default function Receipts(): ReactNode {
  const list = useListState(names);
  const [, navigate] = useLocation();
  const [adding, dialog] = useDisclosure();
  const { q, status, supplier } = list.filters;
  const [{ data, fetching, stale, error }, refetch] = useQuery({
    query: ReceiptsQuery,
    variables: {
      ...list.variables,
      q: q ?? null,
      status: oneOf(status, receiptStatuses),
      supplierId: supplier ?? null,
      orderBy: orderBy(list.sort, ['RECEIPT_DATE', 'AMOUNT_GROSS']),
    },
  });
  const add = (
    <Button leftSection={<PlusIcon width={18} aria-hidden />} onClick={dialog.open}>
      Add a receipt
    </Button>
  );
  return (
    <Page title="Receipts" description="Bills from your suppliers." actions={add}>
      <Filters
        list={list}
        search={<Search label="Search receipts" value={q} onChange={(value) => list.filter({ q: value })} />}
      >
        <Choice
          label="State"
          all="All states"
          value={status}
          onChange={(value) => list.filter({ status: value })}
          options={receiptStatuses.map((value) => ({ value, label: label(value) }))}
        />
        <CustomerPicker
          label="Supplier"
          placeholder="All suppliers"
          hideLabel
          type="SUPPLIER"
          value={supplier ?? null}
          onChange={(value) => list.filter({ supplier: value ?? undefined })}
          w={{ base: '100%', sm: 220 }}
        />
      </Filters>
      <DataTable
        caption="Receipts"
        columns={columns}
        list={list}
        connection={data?.receipts}
        fetching={fetching && !stale}
        error={error}
        refetch={refetch}
        empty={
          <EmptyList
            list={list}
            noMatch="No receipts match"
            icon={ReceiptPercentIcon}
            title="No receipts yet"
            description="Add your suppliers’ bills. Bank statements then show when they were paid."
          >
            {add}
          </EmptyList>
        }
      />
      <Dialog title="Add a receipt" opened={adding} onClose={dialog.close}>
        <ReceiptForm onCancel={dialog.close} onDone={(id) => navigate(`/receipts/${id}`)} />
      </Dialog>
    </Page>
  );
}
