import { EmptyState } from '@mantine/core';
import { CalculatorIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { TextLink } from '../../components/text-link.tsx';
import { money, percent } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { Choice, Filters, period } from '../../list/list-filters.tsx';
import { findOneOf, getKeys, useListState } from '../../list/list-state.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { lastMonth } from './period.ts';
import { ReportTable } from './report-table.tsx';
import { basisLabels, categoryLabels, customerLabels, kindLabels, supplierLabels } from './texts.ts';
import { t } from '../../i18n/t.ts';

const VatReportQuery = graphql(`
  query VatReport($from: Date!, $to: Date!, $basis: VatBasis!) {
    vatReport(from: $from, to: $to, basis: $basis) {
      rows {
        kind
        vatCategory
        vatRate
        currency
        supplierPlace
        customerPlace
        net
        vat
        documents
        netBox
        vatBox
      }
    }
  }
`);

type Row = ResultOf<typeof VatReportQuery>['vatReport']['rows'][number] & { id: string };

const describePlace = ({ supplierPlace, customerPlace }: Row): string | undefined =>
  (supplierPlace && supplierLabels[supplierPlace]) ?? (customerPlace && customerLabels[customerPlace]) ?? undefined;

const columns = (query: string): Column<Row>[] => [
  {
    header: t('VAT'),
    lead: true,
    cell: (row) =>
      [
        kindLabels[row.kind],
        categoryLabels[row.vatCategory] ?? row.vatCategory,
        row.vatRate !== '0' && percent(row.vatRate),
        describePlace(row),
      ]
        .filter(Boolean)
        .join(', '),
  },
  { header: t('Net'), align: 'right', cell: ({ net, currency }) => money(net, currency) },
  { header: t('Box'), cell: ({ netBox }) => netBox ?? '–' },
  { header: t('VAT amount'), align: 'right', cell: ({ vat, currency }) => money(vat, currency) },
  { header: t('Box for VAT'), cell: ({ vatBox }) => vatBox ?? '–' },
  {
    header: t('Documents'),
    align: 'right',
    cell: ({ id, documents }) => (
      <TextLink className="target" to={`/reports/vat/documents?${query}&row=${encodeURIComponent(id)}`}>
        {String(documents)}
      </TextLink>
    ),
  },
];

const nothing = (
  <EmptyState
    icon={<CalculatorIcon width={40} aria-hidden />}
    title={t('No VAT in this period')}
    description={t('Issued invoices, credit notes, and booked receipts of the period are shown here.')}
  />
);

export default function VatReport(): ReactNode {
  const list = useListState(['from', 'to', 'basis']);
  const usual = lastMonth();
  const basis = findOneOf(list.filters.basis, getKeys(basisLabels)) ?? 'ACCRUAL';
  const variables = { from: list.filters.from ?? usual.from, to: list.filters.to ?? usual.to, basis };
  const [{ data, error }, refetch] = useQuery({ query: VatReportQuery, variables });
  const rows = data?.vatReport.rows.map((row) => ({
    ...row,
    id: [row.kind, row.vatCategory, row.vatRate, row.currency, row.supplierPlace ?? row.customerPlace]
      .filter(Boolean)
      .join(' '),
  }));
  return (
    <Page
      title={t('VAT')}
      description={t(
        'What you declare: by the dates of documents, or by the days of payments. Check it with your adviser.',
      )}
    >
      <div>
        <Filters list={list}>
          {period.from({ value: variables.from, onChange: (value) => list.filter('from', value) })}
          {period.to({ value: variables.to, onChange: (value) => list.filter('to', value) })}
          <Choice
            label={t('Basis')}
            all={basisLabels.ACCRUAL}
            value={list.filters.basis}
            onChange={(value) => list.filter('basis', value)}
            options={getKeys(basisLabels).map((value) => ({ value, label: basisLabels[value] }))}
          />
        </Filters>
        <ReportTable
          caption={t('VAT by kind and rate')}
          columns={columns(new URLSearchParams(variables).toString())}
          rows={rows}
          error={error}
          refetch={refetch}
          empty={nothing}
        />
      </div>
    </Page>
  );
}
