import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { date, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { findOneOf, getKeys, useListState } from '../../list/list-state.ts';
import { lastMonth } from './period.ts';
import { ReportDocuments } from './report-documents.tsx';
import { basisLabels, categoryLabels, customerLabels, kindLabels, supplierLabels } from './texts.ts';
import { t } from '../../i18n/t.ts';

const VatDocumentsQuery = graphql(`
  query VatDocuments(
    $from: Date!
    $to: Date!
    $basis: VatBasis!
    $kind: VatKind!
    $vatCategory: String!
    $vatRate: Decimal!
    $currency: String!
    $supplierPlace: VatSupplierPlace
    $customerPlace: VatCustomerPlace
  ) {
    vatReportDocuments(
      from: $from
      to: $to
      basis: $basis
      kind: $kind
      vatCategory: $vatCategory
      vatRate: $vatRate
      currency: $currency
      supplierPlace: $supplierPlace
      customerPlace: $customerPlace
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

/** The documents of one row of the VAT report. */
export default function VatDocuments(): ReactNode {
  const { filters } = useListState(['from', 'to', 'basis', 'row']);
  const usual = lastMonth();
  const basis = findOneOf(filters.basis, getKeys(basisLabels)) ?? 'ACCRUAL';
  const [kind, vatCategory = 'S', vatRate = '0', currency = 'EUR', place] = (filters.row ?? '').split(' ');
  const period = { from: filters.from ?? usual.from, to: filters.to ?? usual.to, basis };
  const isSale = kind === 'OUTPUT';
  const placeLabels = isSale ? customerLabels : supplierLabels;
  const found = findOneOf(place, getKeys(placeLabels)) ?? null;
  const row = {
    kind: findOneOf(kind, getKeys(kindLabels)) ?? ('OUTPUT' as const),
    vatCategory,
    vatRate,
    currency,
    supplierPlace: isSale ? null : found,
    customerPlace: isSale ? found : null,
  };
  const [{ data, error }, refetch] = useQuery({ query: VatDocumentsQuery, variables: { ...period, ...row } });
  return (
    <ReportDocuments
      title={t('Documents of the VAT report')}
      description={t('{from} to {to}, {what}.', {
        from: date(period.from),
        to: date(period.to),
        what: [categoryLabels[vatCategory] ?? vatCategory, found && placeLabels[found]].filter(Boolean).join(', '),
      })}
      back={{ to: `/reports/vat?${new URLSearchParams(period).toString()}`, label: t('VAT') }}
      currency={currency}
      found={data?.vatReportDocuments}
      error={error}
      refetch={refetch}
      empty={t('No document has this VAT in the period.')}
      columns={[{ header: t('VAT amount'), align: 'right', cell: ({ vat }) => money(vat, currency) }]}
    />
  );
}
