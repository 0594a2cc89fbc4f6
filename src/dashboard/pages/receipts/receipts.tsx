import { ReceiptPercentIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { date, labelled, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { Choice, pickerFilter } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { receiptSelection } from './bulk-actions.ts';
import { computeOpen } from './fields.ts';
import { ReceiptForm } from './receipt-form.tsx';
import { ReceiptTabs } from './receipt-tabs.tsx';
import { receiptStatuses, ReceiptState } from './state.tsx';
import { t } from '../../i18n/t.ts';

const ReceiptsQuery = graphql(
  `
    query Receipts(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: ReceiptFilter
      $orderBy: [ReceiptOrder!]
    ) {
      rows: receipts(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          id
          receiptNumber
          creditedReceiptId
          receiptDate
          status
          category
          description
          currency
          amountGross
          amountPayable
          amountPaid
          amountAdjusted
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

export type ReceiptRow = ResultOf<typeof ReceiptsQuery>['rows']['nodes'][number];

const columns: SortableColumn<ReceiptRow, 'RECEIPT_DATE' | 'AMOUNT_GROSS'>[] = [
  {
    header: t('Receipt'),
    lead: true,
    phone: 'title',
    cell: ({ id, receiptNumber, supplier, description }) => (
      <div>
        <LongText to={`/receipts/${id}`}>{supplier?.companyName ?? description ?? t('Without a supplier')}</LongText>
        <LongText secondary lines={1}>
          {[receiptNumber, supplier && description].filter(Boolean).join(' · ')}
        </LongText>
      </div>
    ),
  },
  { header: t('Category'), phone: 'more', cell: ({ category }) => <LongText>{category}</LongText> },
  { header: t('State'), phone: 'state', cell: (receipt) => <ReceiptState {...receipt} /> },
  {
    header: t('Date'),
    sort: 'RECEIPT_DATE',
    phone: 'detail',
    cell: ({ receiptDate }) => <span className="figure">{date(receiptDate)}</span>,
  },
  {
    header: t('Gross'),
    sort: 'AMOUNT_GROSS',
    align: 'right',
    phone: 'value',
    cell: ({ amountGross, currency }) => money(amountGross, currency),
  },
  {
    header: t('Open'),
    align: 'right',
    cell: (row) => row.status === 'BOOKED' && money(computeOpen(row), row.currency),
  },
];

const ReceiptTable = (props: ListTableProps<typeof ReceiptsQuery>): ReactNode => (
  <ListTable caption={t('Receipts')} query={ReceiptsQuery} columns={columns} selection={receiptSelection} {...props} />
);

export default function Receipts(): ReactNode {
  return (
    <ListPage
      title={t('Receipts')}
      description={t('Bills from your suppliers.')}
      table={ReceiptTable}
      search={t('Search receipts')}
      filters={{
        status: (filter) => (
          <Choice label={t('State')} all={t('All states')} options={labelled(receiptStatuses)} {...filter} />
        ),
        supplier: (filter) => (
          <CustomerPicker
            label={t('Supplier')}
            placeholder={t('All suppliers')}
            type="SUPPLIER"
            {...pickerFilter(filter)}
          />
        ),
      }}
      variables={({ q, status, supplier }) => ({
        filter: { q, status: { eq: findOneOf(status, receiptStatuses) }, supplierId: { eq: supplier } },
      })}
      tabs={{ filter: 'status', component: ReceiptTabs }}
      importable="RECEIPT"
      exportable="RECEIPTS"
      add={{ label: t('Add a receipt'), form: (props) => <ReceiptForm {...props} /> }}
      initialSort={{ field: 'RECEIPT_DATE', direction: 'DESC' }}
      empty={{
        icon: ReceiptPercentIcon,
        title: t('No receipts yet'),
        description: t('Add your suppliers’ bills. Bank statements then show when they were paid.'),
        noMatch: t('No receipts match'),
      }}
    />
  );
}
