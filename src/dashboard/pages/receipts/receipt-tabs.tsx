import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf, type VariablesOf } from '../../graphql.ts';
import { addUp } from '../../list/figures.ts';
import { ListTabs } from '../../list/list-tabs.tsx';
import { computeOpen } from './fields.ts';
import { t } from '../../i18n/t.ts';

const ReceiptTabsQuery = graphql(`
  query ReceiptTabs($filter: ReceiptFilter) {
    receipts: receiptsAggregate(filter: $filter, groupBy: [STATUS]) {
      status
      currency
      count
      sums {
        amountGross
        amountPayable
        amountPaid
        amountAdjusted
      }
    }
  }
`);

type Group = ResultOf<typeof ReceiptTabsQuery>['receipts'][number];

const getGross = ({ sums }: Group): string => sums.amountGross;

/** The states of receipts. Of those to pay the sum is what is open. */
export function ReceiptTabs({ filters: { filter } }: { filters: VariablesOf<typeof ReceiptTabsQuery> }): ReactNode {
  const [{ data }] = useQuery({ query: ReceiptTabsQuery, variables: { filter } });
  const having = (status: Group['status']): Group[] => data?.receipts.filter((group) => group.status === status) ?? [];
  return (
    <ListTabs
      label={t('Receipts by state')}
      filter="status"
      tabs={[
        { label: t('All'), figures: data && addUp(data.receipts, getGross) },
        { value: 'DRAFT', label: t('Drafts'), figures: data && addUp(having('DRAFT'), getGross) },
        {
          value: 'BOOKED',
          label: t('To pay'),
          figures: data && addUp(having('BOOKED'), ({ sums }) => computeOpen(sums)),
        },
        { value: 'PAID', label: t('Paid'), figures: data && addUp(having('PAID'), getGross) },
      ]}
    />
  );
}
