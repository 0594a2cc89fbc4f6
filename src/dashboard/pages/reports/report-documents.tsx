import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { LongText } from '../../components/long-text.tsx';
import { count, date, money } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { t } from '../../i18n/t.ts';

export interface ReportDocument {
  type: keyof typeof places;
  id: string;
  number: string | null;
  date: string;
  net: string;
}

type Naming = (number: string) => string;

const places = {
  INVOICE: [(number) => t('Invoice {number}', { number }), '/invoices'],
  CREDIT_NOTE: [(number) => t('Credit note {number}', { number }), '/credit-notes'],
  RECEIPT: [(number) => t('Receipt {number}', { number }), '/receipts'],
  INVOICE_ADJUSTMENT: [(number) => t('Adjustments of invoice {number}', { number }), '/invoices'],
  RECEIPT_ADJUSTMENT: [(number) => t('Adjustments of receipt {number}', { number }), '/receipts'],
} as const satisfies Record<string, [Naming, string]>;

interface Props<Row> {
  title: string;
  description: string;
  back: { to: string; label: string };
  currency: string;
  found: { count: number; items: readonly Row[] } | undefined;
  error: CombinedError | undefined;
  refetch: () => void;
  empty: string;
  /** Further columns. */
  columns?: Column<Row>[];
}

/** The documents behind a figure of a report. */
export function ReportDocuments<Row extends ReportDocument>(props: Props<Row>): ReactNode {
  const { title, description, back, currency, found, error, refetch, empty, columns = [] } = props;
  const more =
    found &&
    found.count > found.items.length &&
    t('The first {shown} of {total}.', { shown: count(found.items.length), total: count(found.count) });
  const allColumns: Column<Row>[] = [
    {
      header: t('Document'),
      lead: true,
      cell: ({ type, id, number }) => (
        <LongText to={`${places[type][1]}/${id}`}>{places[type][0](number ?? t('without a number'))}</LongText>
      ),
    },
    { header: t('Date'), cell: (row) => date(row.date) },
    { header: t('Net'), align: 'right', cell: ({ net }) => money(net, currency) },
    ...columns,
  ];
  return (
    <Page title={title} description={[description, more].filter(Boolean).join(' ')} back={back}>
      <SimpleTable
        caption={t('Documents')}
        columns={allColumns}
        rows={found?.items}
        error={error}
        refetch={refetch}
        empty={empty}
      />
    </Page>
  );
}
