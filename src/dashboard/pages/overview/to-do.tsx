import {
  ArrowsRightLeftIcon,
  BoltIcon,
  CheckIcon,
  ClockIcon,
  LockClosedIcon,
  PencilSquareIcon,
  ReceiptPercentIcon,
  ReceiptRefundIcon,
} from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { LoadError } from '../../errors/error-boundary.tsx';
import { lastDay, money, month as monthName, today } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { LinkList, type LinkRow } from './link-list.tsx';

const ToDoQuery = graphql(`
  query ToDo {
    overview {
      overdue {
        currency
        amount
        count
      }
      unmatchedTransactions
    }
    drafts: invoicesAggregate(filter: { status: { eq: DRAFT } }) {
      currency
      count
      sums {
        totalGross
      }
    }
    refunds: invoicesAggregate(filter: { amountToRefund: { gt: "0" } }) {
      currency
      count
      sums {
        amountToRefund
      }
    }
    receipts(first: 1, filter: { status: { eq: BOOKED } }) {
      totalCount
    }
    webhooks(first: 1, filter: { consecutiveFailures: { gt: 0 } }) {
      totalCount
    }
    periodLocks {
      items {
        series
        lockedUntil
      }
    }
  }
`);

/** Whether there is one. By itself, because it takes longer: nothing else waits for it. */
const ExactToDoQuery = graphql(`
  query ExactToDo {
    exactMatches(first: 1) {
      transaction {
        id
      }
    }
  }
`);

type Data = ResultOf<typeof ToDoQuery>;

/** The tasks, the most urgent first. Nothing is shown where there are none. */
export function ToDo(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: ToDoQuery });
  const [exact] = useQuery({ query: ExactToDoQuery, pause: !data?.overview.unmatchedTransactions });
  if (!data) return error ? <LoadError error={error} refetch={refetch} /> : null;
  return <LinkList id="to-do" title={t('To do')} rows={findTasks(data, exact.data?.exactMatches.length === 1)} />;
}

const sumUp = (counts: readonly { count: number }[]): number => counts.reduce((sum, { count }) => sum + count, 0);

function findTasks(
  { overview, drafts, refunds, receipts, webhooks, periodLocks }: Data,
  hasExactMatch: boolean,
): LinkRow[] {
  const { overdue, unmatchedTransactions } = overview;
  const unlocked = findUnlockedMonth(periodLocks.items, today());
  const tasks: (LinkRow | false)[] = [
    webhooks.totalCount > 0 && {
      icon: BoltIcon,
      text: t('{count} failing webhooks', { count: webhooks.totalCount }),
      to: '/settings/webhooks',
      isUrgent: true,
    },
    overdue.length > 0 && {
      icon: ClockIcon,
      text: t('{count} overdue invoices', { count: sumUp(overdue) }),
      amounts: overdue.map(({ amount, currency }) => money(amount, currency)),
      to: '/invoices?status=OVERDUE',
      isUrgent: true,
    },
    refunds.length > 0 && {
      icon: ReceiptRefundIcon,
      text: t('{count} refunds to pay', { count: sumUp(refunds) }),
      amounts: refunds.map(({ sums, currency }) => money(sums.amountToRefund, currency)),
      to: '/invoices?status=TO_REFUND',
      isUrgent: true,
    },
    unmatchedTransactions > 0 &&
      hasExactMatch && {
        icon: CheckIcon,
        text: t('Exact bank matches to confirm'),
        to: '/bank-transactions?status=UNMATCHED&exact=all',
      },
    unmatchedTransactions > 0 && {
      icon: ArrowsRightLeftIcon,
      text: t('{count} bank transactions to match', { count: unmatchedTransactions }),
      to: '/bank-transactions?status=UNMATCHED',
    },
    receipts.totalCount > 0 && {
      icon: ReceiptPercentIcon,
      text: t('{count} receipts to pay', { count: receipts.totalCount }),
      to: '/receipts?status=BOOKED',
    },
    drafts.length > 0 && {
      icon: PencilSquareIcon,
      text: t('{count} drafts of invoices', { count: sumUp(drafts) }),
      amounts: drafts.map(({ sums, currency }) => money(sums.totalGross, currency)),
      to: '/invoices?status=DRAFT',
    },
    unlocked !== undefined && {
      icon: LockClosedIcon,
      text: t('{month} can be locked', { month: monthName(unlocked) }),
      to: '/settings/period-locks',
    },
  ];
  return tasks.filter((task) => task !== false);
}

/** Tenants that lock months are reminded of the last one, which is usually complete by its successor's tenth day. */
function findUnlockedMonth(locks: Data['periodLocks']['items'], day: string): string | undefined {
  if (locks.length === 0 || Number(day.slice(8)) < 10) return undefined;
  const last = getMonthBefore(day.slice(0, 7));
  return locks.some(({ lockedUntil }) => lockedUntil >= lastDay(last)) ? undefined : last;
}

function getMonthBefore(value: string): string {
  const day = new Date(`${value}-01`);
  day.setUTCMonth(day.getUTCMonth() - 1);
  return day.toISOString().slice(0, 7);
}
