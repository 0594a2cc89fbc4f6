import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { label } from '../../format/format.ts';
import { graphql, type ResultOf, type VariablesOf } from '../../graphql.ts';
import { addUp } from '../../list/figures.ts';
import { ListTabs } from '../../list/list-tabs.tsx';
import { matchStatuses } from './state.tsx';
import { t } from '../../i18n/t.ts';

const TransactionTabsQuery = graphql(`
  query TransactionTabs($filter: BankTransactionFilter) {
    groups: bankTransactionsAggregate(filter: $filter, groupBy: [MATCH_STATUS]) {
      matchStatus
      currency
      count
      sums {
        amount
        amountOpen
      }
    }
  }
`);

type Group = ResultOf<typeof TransactionTabsQuery>['groups'][number];

const getAmount = ({ sums }: Group): string => sums.amount;
const getOpen = ({ sums }: Group): string => sums.amountOpen;

/** The states of bank transactions. Of those to be matched the sum is what is open. */
export function TransactionTabs({
  filters: { filter },
}: {
  filters: VariablesOf<typeof TransactionTabsQuery>;
}): ReactNode {
  const [{ data }] = useQuery({ query: TransactionTabsQuery, variables: { filter } });
  return (
    <ListTabs
      label={t('Transactions by state')}
      filter="status"
      tabs={[
        { label: t('All'), figures: data && addUp(data.groups, getAmount) },
        ...matchStatuses.map((status) => ({
          value: status,
          label: label(status),
          figures:
            data &&
            addUp(
              data.groups.filter(({ matchStatus }) => matchStatus === status),
              status === 'UNMATCHED' || status === 'PARTIALLY_MATCHED' ? getOpen : getAmount,
            ),
        })),
      ]}
    />
  );
}
