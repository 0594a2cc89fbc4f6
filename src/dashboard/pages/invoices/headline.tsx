import { Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { date, dayOf, money } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { getDaysLate } from './days-late.ts';
import type { Invoice } from './fields.ts';

/** Where an invoice stands: what is due, and since when or until when. */
export function Headline({ invoice }: { invoice: Invoice }): ReactNode {
  const { name, amount, when } = describe(invoice);
  return (
    <Card withBorder radius="md" className="numbers">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz="min(28px, 7vw)" fw={600} lh={1.3}>
        {money(amount, invoice.currency)}
      </Text>
      <Text c={invoice.isOverdue ? 'red' : undefined}>{when}</Text>
    </Card>
  );
}

function describe(invoice: Invoice): { name: string; amount: string; when: string } {
  const { status, isOverdue, dueDate, totalGross, amountPaid, amountDue, paidAt } = invoice;
  const due = date(dueDate);
  switch (status) {
    case 'DRAFT':
      return { name: t('Total'), amount: totalGross, when: t('Due on {date}', { date: due }) };
    case 'PAID':
      // Its total may be credited, or written off, in part or wholly.
      return { name: t('Paid'), amount: amountPaid, when: paidAt ? t('Paid on {date}', { date: dayOf(paidAt) }) : '' };
    case 'CANCELLED':
      return { name: t('Amount due'), amount: '0', when: t('Cancelled: nothing is due.') };
    default: {
      const when = isOverdue
        ? t('{count} days overdue: was due on {date}', { count: getDaysLate(invoice), date: due })
        : t('Due on {date}', { date: due });
      return { name: t('Amount due'), amount: amountDue, when };
    }
  }
}
