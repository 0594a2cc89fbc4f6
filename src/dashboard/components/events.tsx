import { Anchor, Card, Text, Timeline, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { date, dateTime, label, money } from '../format/format.ts';
import { graphql } from '../graphql.ts';
import type { Payment } from '../pages/payments/payments.tsx';

const EventsQuery = graphql(`
  query Events($resourceId: UUID!) {
    events(first: 50, resourceId: $resourceId) {
      nodes {
        id
        type
        createdAt
      }
    }
  }
`);

interface Props {
  of: string;
  /** Of an invoice or a receipt: a payment that leaves something due is no event, and belongs to the history all the same. */
  payments?: readonly Payment[];
  currency?: string;
}

interface Entry {
  id: string;
  title: ReactNode;
  createdAt: string;
}

const none: readonly Payment[] = [];

/** What happened to something, newest first: as webhooks were told, and its payments. */
export function Events({ of, payments = none, currency = '' }: Props): ReactNode {
  const [{ data }] = useQuery({ query: EventsQuery, variables: { resourceId: of } });
  const events = (data?.events.nodes ?? []).map(({ id, type, createdAt }) => ({
    id,
    title: label(type.slice(type.indexOf('.') + 1)),
    createdAt,
  }));
  const paid = payments.map((payment) => ({
    id: payment.id,
    title: <PaymentTitle payment={payment} currency={currency} />,
    createdAt: payment.createdAt,
  }));
  // Ids are UUIDv7, in the order of time. Times of creation come from two clocks: the database's and the process's.
  const entries: Entry[] = [...events, ...paid].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  if (entries.length === 0) return null;
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb="md">
        History
      </Title>
      <Timeline bulletSize={14} lineWidth={2}>
        {entries.map(({ id, title, createdAt }) => (
          <Timeline.Item key={id} title={title}>
            <Text size="sm" c="dimmed">
              <time dateTime={createdAt}>{dateTime(createdAt)}</time>
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  );
}

function PaymentTitle({ payment, currency }: { payment: Payment; currency: string }): ReactNode {
  const { amount, paidOn, bankTransaction } = payment;
  return (
    <span className="long">
      Payment of {money(amount, currency)} on {date(paidOn)}
      {bankTransaction && (
        <>
          {', by '}
          <Anchor component={Link} to={`/bank-transactions/${bankTransaction.id}`} inherit>
            {bankTransaction.counterpartyName ?? 'bank transaction'}
          </Anchor>
        </>
      )}
    </span>
  );
}
