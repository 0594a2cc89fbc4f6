import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf, type VariablesOf } from '../../graphql.ts';
import { addUp } from '../../list/figures.ts';
import { ListTabs } from '../../list/list-tabs.tsx';
import { t } from '../../i18n/t.ts';

const InvoiceTabsQuery = graphql(`
  query InvoiceTabs($filter: InvoiceFilter, $overdue: InvoiceFilter) {
    invoices: invoicesAggregate(filter: $filter, groupBy: [STATUS]) {
      status
      currency
      count
      sums {
        totalGross
        amountDue
      }
    }
    overdue: invoicesAggregate(filter: $overdue) {
      currency
      count
      sums {
        amountDue
      }
    }
  }
`);

type Group = ResultOf<typeof InvoiceTabsQuery>['invoices'][number];

const getTotal = ({ sums }: Group): string => sums.totalGross;
const getDue = ({ sums }: { sums: Pick<Group['sums'], 'amountDue'> }): string => sums.amountDue;

/** The states of invoices. Of open ones the sum is what is due. */
export function InvoiceTabs({ filters: { filter } }: { filters: VariablesOf<typeof InvoiceTabsQuery> }): ReactNode {
  const [{ data }] = useQuery({
    query: InvoiceTabsQuery,
    variables: { filter, overdue: { ...filter, isOverdue: { eq: true } } },
  });
  const having = (status: Group['status']): Group[] => data?.invoices.filter((group) => group.status === status) ?? [];
  return (
    <ListTabs
      label={t('Invoices by state')}
      filter="status"
      tabs={[
        { label: t('All'), figures: data && addUp(data.invoices, getTotal) },
        { value: 'DRAFT', label: t('Drafts'), figures: data && addUp(having('DRAFT'), getTotal) },
        { value: 'ISSUED', label: t('Open'), figures: data && addUp(having('ISSUED'), getDue) },
        { value: 'OVERDUE', label: t('Overdue'), figures: data && addUp(data.overdue, getDue) },
        { value: 'PAID', label: t('Paid'), figures: data && addUp(having('PAID'), getTotal) },
      ]}
    />
  );
}
