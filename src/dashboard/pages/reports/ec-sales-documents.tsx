import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { date } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { findOneOf, getKeys, useListState } from '../../list/list-state.ts';
import { lastMonth } from './period.ts';
import { ReportDocuments } from './report-documents.tsx';
import { ecSalesLabels } from './texts.ts';
import { t } from '../../i18n/t.ts';

const EcSalesDocumentsQuery = graphql(`
  query EcSalesDocuments(
    $from: Date!
    $to: Date!
    $kind: EcSalesKind!
    $country: String
    $vatNumber: String
    $currency: String!
  ) {
    ecSalesDocuments(
      from: $from
      to: $to
      kind: $kind
      country: $country
      vatNumber: $vatNumber
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
      }
    }
  }
`);

/** The documents of one row of the EC sales list. */
export default function EcSalesDocuments(): ReactNode {
  const { filters } = useListState(['from', 'to', 'row']);
  const usual = lastMonth();
  const period = { from: filters.from ?? usual.from, to: filters.to ?? usual.to };
  const [supply, currency = 'EUR', country, vatNumber] = (filters.row ?? '').split(' ');
  const kind = findOneOf(supply, getKeys(ecSalesLabels)) ?? 'GOODS';
  const row = { kind, currency, country: country || null, vatNumber: vatNumber || null };
  const [{ data, error }, refetch] = useQuery({ query: EcSalesDocumentsQuery, variables: { ...period, ...row } });
  return (
    <ReportDocuments
      title={t('Documents of the EC sales list')}
      description={t('{supply} to {buyer}, {from} to {to}.', {
        supply: ecSalesLabels[kind],
        buyer: vatNumber || t('buyers without a VAT number'),
        from: date(period.from),
        to: date(period.to),
      })}
      back={{ to: `/reports/ec-sales?${new URLSearchParams(period).toString()}`, label: t('EC sales') }}
      currency={currency}
      found={data?.ecSalesDocuments}
      error={error}
      refetch={refetch}
      empty={t('No document belongs here in the period.')}
    />
  );
}
