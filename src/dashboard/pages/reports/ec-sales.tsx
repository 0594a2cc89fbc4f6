import { Badge, EmptyState } from '@mantine/core';
import { GlobeEuropeAfricaIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { TextLink } from '../../components/text-link.tsx';
import { money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { Filters, period } from '../../list/list-filters.tsx';
import { useListState } from '../../list/list-state.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { lastMonth } from './period.ts';
import { ReportTable } from './report-table.tsx';
import { ecSalesLabels } from './texts.ts';
import { t } from '../../i18n/t.ts';

const EcSalesQuery = graphql(`
  query EcSales($from: Date!, $to: Date!) {
    ecSales(from: $from, to: $to) {
      rows {
        kind
        country
        vatNumber
        currency
        net
        documents
      }
    }
  }
`);

type Row = ResultOf<typeof EcSalesQuery>['ecSales']['rows'][number] & { id: string };

const columns = (query: string): Column<Row>[] => [
  {
    header: t('VAT number'),
    lead: true,
    cell: ({ vatNumber }) =>
      vatNumber ?? (
        <Badge color="red" variant="light">
          {t('Missing')}
        </Badge>
      ),
  },
  { header: t('Country'), cell: ({ country }) => country ?? t('Unknown') },
  { header: t('Supply'), cell: ({ kind }) => ecSalesLabels[kind] },
  { header: t('Net'), align: 'right', cell: ({ net, currency }) => money(net, currency) },
  {
    header: t('Documents'),
    align: 'right',
    cell: ({ id, documents }) => (
      <TextLink className="target" to={`/reports/ec-sales/documents?${query}&row=${encodeURIComponent(id)}`}>
        {String(documents)}
      </TextLink>
    ),
  },
];

const nothing = (
  <EmptyState
    icon={<GlobeEuropeAfricaIcon width={40} aria-hidden />}
    title={t('No sales to other member states')}
    description={t('Goods and services for buyers in other member states of the EU are shown here.')}
  />
);

export default function EcSales(): ReactNode {
  const list = useListState(['from', 'to']);
  const usual = lastMonth();
  const variables = { from: list.filters.from ?? usual.from, to: list.filters.to ?? usual.to };
  const [{ data, error }, refetch] = useQuery({ query: EcSalesQuery, variables });
  const rows = data?.ecSales.rows.map((row) => ({
    ...row,
    id: [row.kind, row.currency, row.country ?? '', row.vatNumber ?? ''].join(' '),
  }));
  return (
    <Page
      title={t('EC sales')}
      description={t(
        'What you supplied to buyers in other member states of the EU, by VAT number. Check it with your adviser.',
      )}
    >
      <div>
        <Filters list={list}>
          {period.from({ value: variables.from, onChange: (value) => list.filter('from', value) })}
          {period.to({ value: variables.to, onChange: (value) => list.filter('to', value) })}
        </Filters>
        <ReportTable
          caption={t('Sales by VAT number')}
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
