import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { LoadError } from '../../errors/error-boundary.tsx';
import { money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { LinkList } from './link-list.tsx';
import { allDuePeriods, duePeriods, getDueDays } from '../invoices/due.ts';

const ExpectedIncomeQuery = graphql(`
  query ExpectedIncome(
    $overdue: InvoiceFilter
    $thisWeek: InvoiceFilter
    $nextWeek: InvoiceFilter
    $thisMonth: InvoiceFilter
    $later: InvoiceFilter
  ) {
    OVERDUE: invoicesAggregate(filter: $overdue) {
      currency
      count
      sums {
        amountDue
      }
    }
    THIS_WEEK: invoicesAggregate(filter: $thisWeek) {
      currency
      count
      sums {
        amountDue
      }
    }
    NEXT_WEEK: invoicesAggregate(filter: $nextWeek) {
      currency
      count
      sums {
        amountDue
      }
    }
    THIS_MONTH: invoicesAggregate(filter: $thisMonth) {
      currency
      count
      sums {
        amountDue
      }
    }
    LATER: invoicesAggregate(filter: $later) {
      currency
      count
      sums {
        amountDue
      }
    }
  }
`);

type Groups = ResultOf<typeof ExpectedIncomeQuery>['LATER'];

/** When the amounts due of open invoices are to come. Each row opens its invoices. */
export function ExpectedIncome(): ReactNode {
  const days = getDueDays();
  const open = { status: { eq: 'ISSUED' } } as const;
  const [{ data, error }, refetch] = useQuery({
    query: ExpectedIncomeQuery,
    variables: {
      overdue: { isOverdue: { eq: true } },
      thisWeek: { ...open, dueDate: days.THIS_WEEK },
      nextWeek: { ...open, dueDate: days.NEXT_WEEK },
      thisMonth: { ...open, dueDate: days.THIS_MONTH },
      later: { ...open, dueDate: days.LATER },
    },
  });
  if (!data) return error ? <LoadError error={error} refetch={refetch} /> : null;
  const rows: [name: string, to: string, groups: Groups][] = [
    [t('Overdue'), '/invoices?status=OVERDUE', data.OVERDUE],
    ...allDuePeriods.map((due): [string, string, Groups] => [
      duePeriods[due],
      `/invoices?status=ISSUED&due=${due}`,
      data[due],
    ]),
  ];
  const shown = rows.filter(([, , groups]) => groups.length > 0);
  return (
    <LinkList
      id="expected-income"
      title={t('Expected income')}
      rows={shown.map(([text, to, groups]) => ({
        text,
        note: t('{count} invoices', { count: groups.reduce((sum, group) => sum + group.count, 0) }),
        amounts: groups.map(({ currency, sums }) => money(sums.amountDue, currency)),
        to,
      }))}
    />
  );
}
