import { EmptyState, Stack, Title } from '@mantine/core';
import { ChartBarIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { TextLink } from '../../components/text-link.tsx';
import { money, month, today } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { Choice, Filters, period } from '../../list/list-filters.tsx';
import { findOneOf, getKeys, useListState } from '../../list/list-state.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { ReportTable } from './report-table.tsx';
import { basisLabels, profitLabels } from './texts.ts';
import { t } from '../../i18n/t.ts';

const ProfitAndLossQuery = graphql(`
  query ProfitAndLoss($from: Date!, $to: Date!, $basis: ProfitBasis!) {
    profitAndLoss(from: $from, to: $to, basis: $basis) {
      months {
        month
        from
        to
        currency
        revenue
        expenses
        exchangeGains
        exchangeLosses
        result
      }
      totals {
        currency
        revenue
        expenses
        exchangeGains
        exchangeLosses
        result
      }
    }
  }
`);

type Report = ResultOf<typeof ProfitAndLossQuery>['profitAndLoss'];
type Row = Omit<Report['months'][number], 'month'> & { id: string; name: string };

/** The parts of a row. */
const parts = {
  REVENUE: 'revenue',
  EXPENSES: 'expenses',
  EXCHANGE_GAINS: 'exchangeGains',
  EXCHANGE_LOSSES: 'exchangeLosses',
} as const;

/** A figure that links to its documents. */
const figure = (kind: keyof typeof profitLabels, query: string): Column<Row> => ({
  header: profitLabels[kind],
  align: 'right',
  cell: ({ from, to, currency, ...row }) => (
    <TextLink
      className="target"
      to={`/reports/profit-and-loss/documents?${query}&row=${encodeURIComponent([from, to, kind, currency].join(' '))}`}
    >
      {money(row[parts[kind]], currency)}
    </TextLink>
  ),
});

/** Most books have no exchange differences, which then need no columns. */
const exchangeFigures = (query: string, rows: readonly Omit<Row, 'id' | 'name'>[] = []): Column<Row>[] =>
  rows.some(({ exchangeGains, exchangeLosses }) => exchangeGains !== '0' || exchangeLosses !== '0')
    ? [figure('EXCHANGE_GAINS', query), figure('EXCHANGE_LOSSES', query)]
    : [];

/** Equally wide, so that the totals stand above the months. */
const columns = (header: string, query: string, exchange: Column<Row>[]): Column<Row>[] => {
  const shown: Column<Row>[] = [
    { header, lead: true, cell: ({ name }) => name },
    figure('REVENUE', query),
    figure('EXPENSES', query),
    ...exchange,
    { header: t('Result'), align: 'right', cell: ({ result, currency }) => money(result, currency) },
  ];
  return shown.map((column) => ({ ...column, width: `${100 / shown.length}%` }));
};

const nothing = (
  <EmptyState
    icon={<ChartBarIcon width={40} aria-hidden />}
    title={t('No revenue and no expenses in this period')}
    description={t('Issued invoices, credit notes, and booked receipts of the period are shown here.')}
  />
);

export default function ProfitAndLoss(): ReactNode {
  const list = useListState(['from', 'to', 'basis']);
  const basis = findOneOf(list.filters.basis, getKeys(basisLabels)) ?? 'ACCRUAL';
  const day = today();
  const from = list.filters.from ?? `${day.slice(0, 4)}-01-01`;
  const variables = { from, to: list.filters.to ?? day, basis };
  const [{ data, error }, refetch] = useQuery({ query: ProfitAndLossQuery, variables });
  const report = data?.profitAndLoss;
  const query = new URLSearchParams(variables).toString();
  const exchange = exchangeFigures(query, report?.months);
  const totals = report?.totals.map((row) => ({ ...row, ...variables, id: row.currency, name: row.currency }));
  const months = report?.months.map((row) => ({
    ...row,
    id: `${row.month} ${row.currency}`,
    name: report.totals.length > 1 ? `${month(row.month)}, ${row.currency}` : month(row.month),
  }));
  return (
    <Page
      title={t('Profit and loss')}
      description={t('Net revenue and expenses: by the dates of documents, or by the days of payments.')}
    >
      <Stack gap="lg">
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
            caption={t('Totals by currency')}
            columns={columns(t('Currency'), query, exchange)}
            rows={totals}
            error={error}
            refetch={refetch}
            empty={nothing}
          />
        </div>
        {!error && months && months.length > 0 && (
          <section>
            <Title order={2} size="h4" mb="sm">
              {t('Months')}
            </Title>
            <ReportTable
              caption={t('Months')}
              columns={columns(t('Month'), query, exchange)}
              rows={months}
              error={error}
              refetch={refetch}
              empty={nothing}
            />
          </section>
        )}
      </Stack>
    </Page>
  );
}
