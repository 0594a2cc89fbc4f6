import { ReceiptPercentIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Dialog } from '../../components/dialog.tsx';
import { LongText } from '../../components/long-text.tsx';
import { notifyError } from '../../components/toast.ts';
import { count, date, labelled, money } from '../../format/format.ts';
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
import { DropReceipts } from './file/drop-receipts.tsx';
import { wideDialog } from './file/file-and-form.tsx';
import { useFileLimits } from './file/limits.ts';
import { ManyDrafts, maxFiles } from './file/many-drafts-dialog.tsx';
import { NewReceipt } from './new-receipt.tsx';
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

/** The receipts that are being added: one, with a file or without one, or a draft for each of several files. */
type Adding = { file: File | undefined } | { files: File[] };

export default function Receipts(): ReactNode {
  const [adding, setAdding] = useState<Adding>();
  const [, navigate] = useLocation();
  const limits = useFileLimits();
  const take = (files: File[]): void => {
    const problems = files.flatMap((file) => limits.check(file) ?? []);
    const [only, ...others] = files;
    if (problems.length > 0) return notifyError(problems.join(' '));
    if (files.length > maxFiles) return notifyError(t('At most {max} files at once.', { max: count(maxFiles) }));
    if (others.length > 0) setAdding({ files });
    else if (only) setAdding({ file: only });
  };
  const close = (): void => setAdding(undefined);
  const file = adding && 'file' in adding ? adding.file : undefined;
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
      add={{ label: t('Add a receipt'), onClick: () => setAdding({ file: undefined }) }}
      initialSort={{ field: 'RECEIPT_DATE', direction: 'DESC' }}
      empty={{
        icon: ReceiptPercentIcon,
        title: t('No receipts yet'),
        description: t('Add your suppliers’ bills. Bank statements then show when they were paid.'),
        noMatch: t('No receipts match'),
      }}
    >
      <DropReceipts isCovered={adding !== undefined} onFiles={take} />
      <Dialog
        title={t('Add a receipt')}
        opened={adding !== undefined && 'file' in adding}
        onClose={close}
        size={file ? wideDialog : 'lg'}
      >
        <NewReceipt
          file={file}
          onFile={(chosen) => setAdding({ file: chosen })}
          onCancel={close}
          onDone={(id) => navigate(`/receipts/${id}`)}
        />
      </Dialog>
      <Dialog title={t('Add drafts')} opened={adding !== undefined && 'files' in adding} onClose={close} persistent>
        {adding && 'files' in adding && (
          <ManyDrafts
            files={adding.files}
            onDone={() => {
              close();
              navigate('/receipts?status=DRAFT');
            }}
          />
        )}
      </Dialog>
    </ListPage>
  );
}
