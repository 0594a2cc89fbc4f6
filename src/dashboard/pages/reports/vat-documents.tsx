import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { LongText } from '../../components/long-text.tsx';
import { date, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { findOneOf, getKeys, useListState } from '../../list/list-state.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { lastMonth } from './period.ts';
import { basisLabels, categoryLabels } from './texts.ts';

const VatDocumentsQuery = graphql(`
  query VatDocuments(
    $from: Date!
    $to: Date!
    $basis: VatBasis!
    $kind: VatKind!
    $vatCategory: String!
    $vatRate: Decimal!
    $currency: String!
  ) {
    vatReportDocuments(
      from: $from
      to: $to
      basis: $basis
      kind: $kind
      vatCategory: $vatCategory
      vatRate: $vatRate
      currency: $currency
      limit: 100
    ) {
      count
      items {
        type
        id
        number
        date
        net
        vat
      }
    }
  }
`);

type Row = ResultOf<typeof VatDocumentsQuery>['vatReportDocuments']['items'][number] & { currency: string };

const places = {
  INVOICE: ['Invoice', '/invoices'],
  CREDIT_NOTE: ['Credit note', '/credit-notes'],
  RECEIPT: ['Receipt', '/receipts'],
} as const;

const columns: Column<Row>[] = [
  {
    header: 'Document',
    lead: true,
    cell: ({ type, id, number }) => (
      <LongText to={`${places[type][1]}/${id}`}>{`${places[type][0]} ${number ?? 'without a number'}`}</LongText>
    ),
  },
  { header: 'Date', cell: (row) => date(row.date) },
  { header: 'Net', align: 'right', cell: ({ net, currency }) => money(net, currency) },
  { header: 'VAT amount', align: 'right', cell: ({ vat, currency }) => money(vat, currency) },
];

/** The documents of one row of the VAT report. */
export default function VatDocuments(): ReactNode {
  const { filters } = useListState(['from', 'to', 'basis', 'row']);
  const usual = lastMonth();
  const basis = findOneOf(filters.basis, getKeys(basisLabels)) ?? 'ACCRUAL';
  const [kind, vatCategory = 'S', vatRate = '0', currency = 'EUR'] = (filters.row ?? '').split(' ');
  const period = { from: filters.from ?? usual.from, to: filters.to ?? usual.to, basis };
  const row = { kind: kind === 'INPUT' ? ('INPUT' as const) : ('OUTPUT' as const), vatCategory, vatRate, currency };
  const [{ data, error }, refetch] = useQuery({ query: VatDocumentsQuery, variables: { ...period, ...row } });
  const found = data?.vatReportDocuments;
  const more = found && found.count > found.items.length ? ` The first ${found.items.length} of ${found.count}.` : '';
  return (
    <Page
      title="Documents of the VAT report"
      description={`${date(period.from)} to ${date(period.to)}, ${categoryLabels[vatCategory] ?? vatCategory}.${more}`}
      back={{ to: `/reports/vat?${new URLSearchParams(period).toString()}`, label: 'VAT' }}
    >
      <SimpleTable
        caption="Documents"
        columns={columns}
        rows={found?.items.map((item) => ({ ...item, currency }))}
        error={error}
        refetch={refetch}
        empty="No document has this VAT in the period."
      />
    </Page>
  );
}
