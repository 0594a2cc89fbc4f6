import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { date, today } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { findOneOf, getKeys, useListState } from '../../list/list-state.ts';
import { ReportDocuments } from './report-documents.tsx';
import { basisLabels, profitLabels } from './texts.ts';
import { t } from '../../i18n/t.ts';

const ProfitDocumentsQuery = graphql(`
  query ProfitDocuments($from: Date!, $to: Date!, $basis: ProfitBasis!, $kind: ProfitKind!, $currency: String!) {
    profitAndLossDocuments(from: $from, to: $to, basis: $basis, kind: $kind, currency: $currency, limit: 100) {
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

/** The documents behind a figure of the profit and loss. */
export default function ProfitAndLossDocuments(): ReactNode {
  const { filters } = useListState(['from', 'to', 'basis', 'row']);
  const basis = findOneOf(filters.basis, getKeys(basisLabels)) ?? 'ACCRUAL';
  const [first, last, side, currency = 'EUR'] = (filters.row ?? '').split(' ');
  const [from, to] = [first || `${today().slice(0, 4)}-01-01`, last ?? today()];
  const kind = findOneOf(side, getKeys(profitLabels)) ?? 'REVENUE';
  const variables = { from, to, basis, kind, currency };
  const [{ data, error }, refetch] = useQuery({ query: ProfitDocumentsQuery, variables });
  const whole = new URLSearchParams({ from: filters.from ?? from, to: filters.to ?? to, basis });
  return (
    <ReportDocuments
      title={t('Documents of the profit and loss')}
      description={t('{what}, {from} to {to}.', { what: profitLabels[kind], from: date(from), to: date(to) })}
      back={{ to: `/reports/profit-and-loss?${whole.toString()}`, label: t('Profit and loss') }}
      currency={currency}
      found={data?.profitAndLossDocuments}
      error={error}
      refetch={refetch}
      empty={t('No document counts here in the period.')}
    />
  );
}
