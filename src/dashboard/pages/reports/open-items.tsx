import { EmptyState, Stack, Title } from '@mantine/core';
import { ScaleIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { LongText } from '../../components/long-text.tsx';
import { count, date, money, today } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { Choice, Day, Filters } from '../../list/list-filters.tsx';
import { findOneOf, getKeys, useListState } from '../../list/list-state.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { ExportLink } from '../exports/export-link.tsx';
import { sideLabels } from './texts.ts';
import { t } from '../../i18n/t.ts';

const OpenItemsQuery = graphql(`
  query OpenItems($at: Date!, $side: OpenItemSide!) {
    openItems(at: $at, side: $side, limit: 100) {
      count
      totals {
        currency
        open
        credit
        notDue
        days1To30
        days31To60
        days61To90
        daysOver90
      }
      items {
        id
        number
        dueDate
        partnerId
        name
        currency
        gross
        open
        daysLate
      }
    }
  }
`);

type Report = ResultOf<typeof OpenItemsQuery>['openItems'];
type Total = Report['totals'][number] & { id: string };
type Item = Report['items'][number];

const amount = (header: string, name: Exclude<keyof Total, 'id' | 'currency'>): Column<Total> => ({
  header,
  align: 'right',
  cell: (total) => money(total[name], total.currency),
});

const totalColumns: Column<Total>[] = [
  { header: t('Currency'), lead: true, cell: ({ currency }) => currency },
  amount(t('Not due'), 'notDue'),
  amount(t('1 to 30 days late'), 'days1To30'),
  amount(t('31 to 60'), 'days31To60'),
  amount(t('61 to 90'), 'days61To90'),
  amount(t('Over 90'), 'daysOver90'),
  amount(t('To refund'), 'credit'),
  amount(t('Open'), 'open'),
];

const itemColumns = (side: keyof typeof sideLabels): Column<Item>[] => [
  {
    header: side === 'RECEIVABLE' ? t('Invoice') : t('Receipt'),
    lead: true,
    phone: 'detail',
    cell: ({ id, number }) => (
      <LongText to={side === 'RECEIVABLE' ? `/invoices/${id}` : `/receipts/${id}`}>
        {number ?? t('Without a number')}
      </LongText>
    ),
  },
  {
    header: side === 'RECEIVABLE' ? t('Customer') : t('Supplier'),
    phone: 'title',
    cell: ({ name }) => <LongText>{name ?? t('Without a supplier')}</LongText>,
  },
  {
    header: t('Due'),
    cell: ({ dueDate }) => <span className="figure">{dueDate ? date(dueDate) : '–'}</span>,
  },
  {
    header: t('Days late'),
    align: 'right',
    phone: 'more',
    cell: ({ daysLate }) => (daysLate > 0 ? count(daysLate) : '–'),
    phoneCell: ({ daysLate, dueDate }) => {
      if (daysLate > 0) return t('{count} days late', { count: daysLate });
      return dueDate && t('Due {date}', { date: date(dueDate) });
    },
  },
  { header: t('Total'), align: 'right', cell: ({ gross, currency }) => money(gross, currency) },
  { header: t('Open'), align: 'right', phone: 'value', cell: ({ open, currency }) => money(open, currency) },
];

const nothing = (
  <EmptyState
    icon={<ScaleIcon width={40} aria-hidden />}
    title={t('Nothing is open')}
    description={t('What is not paid at the end of the day is shown here.')}
  />
);

export default function OpenItems(): ReactNode {
  const list = useListState(['at', 'side']);
  const at = list.filters.at ?? today();
  const side = findOneOf(list.filters.side, getKeys(sideLabels)) ?? 'RECEIVABLE';
  const [{ data, error }, refetch] = useQuery({ query: OpenItemsQuery, variables: { at, side } });
  const report = data?.openItems;
  return (
    <Page
      title={t('Open items')}
      description={t('What was not paid at the end of a day, by its age.')}
      actions={<ExportLink asked={{ type: 'OPEN_ITEMS', at, side }} title={t('Open items')} />}
    >
      <Stack gap="lg">
        <div>
          <Filters list={list}>
            <Day label={t('At')} value={at} onChange={(value) => list.filter('at', value)} />
            <Choice
              label={t('Who owes')}
              all={sideLabels.RECEIVABLE}
              value={list.filters.side}
              onChange={(value) => list.filter('side', value)}
              options={getKeys(sideLabels).map((value) => ({ value, label: sideLabels[value] }))}
            />
          </Filters>
          <SimpleTable
            caption={t('Sums by age')}
            columns={totalColumns}
            rows={report?.totals.map((total) => ({ ...total, id: total.currency }))}
            error={error}
            refetch={refetch}
            empty={nothing}
          />
        </div>
        {report && report.count > 0 && (
          <section>
            <Title order={2} size="h4" mb="sm">
              {report.count > report.items.length
                ? t('Documents, the first {shown} of {total}', {
                    shown: count(report.items.length),
                    total: count(report.count),
                  })
                : t('Documents')}
            </Title>
            <SimpleTable caption={t('Documents')} columns={itemColumns(side)} rows={report.items} />
          </section>
        )}
      </Stack>
    </Page>
  );
}
