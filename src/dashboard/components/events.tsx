import { Anchor, Card, Text, Timeline, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { date, dateTime, label, money } from '../format/format.ts';
import { graphql } from '../graphql.ts';
import type { Payment } from '../pages/payments/fields.ts';
import { AuditEntryFields, describeActor } from '../pages/audit-log/fields.ts';
import { paymentTexts, type PaymentKind } from '../pages/payments/texts.ts';
import { t } from '../i18n/t.ts';
import { Trans } from '../i18n/trans.ts';

const EventsQuery = graphql(
  `
    query Events($resourceId: UUID!) {
      events(first: 50, resourceId: $resourceId) {
        nodes {
          id
          type
          createdAt
          requestId
        }
      }
      auditLog(resourceId: $resourceId, first: 100) {
        nodes {
          ...AuditEntryFields
          requestId
        }
      }
    }
  `,
  [AuditEntryFields],
);

interface Props {
  resourceId: string;
  /** The payments of an invoice or a receipt, or the refunds of a credit note, in place of the events that record them. */
  payments?: readonly Payment[];
  /** Default: payments. */
  kind?: PaymentKind;
  currency?: string;
}

interface Entry {
  id: string;
  title: ReactNode;
  createdAt: string;
  /** Who did it, if it is known. */
  actor?: string | undefined;
}

const noPayments: readonly Payment[] = [];

/** Only a reversed receipt is still there after this event, which REST's clients know. */
const readTitle = (type: string): string =>
  type === 'receipt.deleted' ? t('Reversed') : label(type.slice(type.indexOf('.') + 1));

/** The history of a resource, newest first: its events and its payments. */
export function Events({ resourceId, payments = noPayments, kind = 'payment', currency = '' }: Props): ReactNode {
  const [{ data }] = useQuery({ query: EventsQuery, variables: { resourceId } });
  // A request is of one actor.
  const actors = new Map(
    (data?.auditLog.nodes ?? []).flatMap((entry) => (entry.requestId ? [[entry.requestId, describeActor(entry)]] : [])),
  );
  const events = (data?.events.nodes ?? [])
    .filter(({ type }) => !type.endsWith(`.${kind}_recorded`))
    .map(({ id, type, createdAt, requestId }) => ({
      id,
      title: readTitle(type),
      createdAt,
      actor: requestId === null ? undefined : actors.get(requestId),
    }));
  // An event tells of a reversal.
  const made = payments.filter(({ reversalOfId }) => reversalOfId === null);
  const paid = made.map((payment) => ({
    id: payment.id,
    title: <PaymentTitle payment={payment} kind={kind} currency={currency} />,
    createdAt: payment.createdAt,
  }));
  // Sorted by id: UUIDv7 is in order of time. The creation times come from two clocks, the database's and the process's.
  const entries: Entry[] = [...events, ...paid].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  if (entries.length === 0) return null;
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb="md">
        {t('History')}
      </Title>
      <Timeline bulletSize={14} lineWidth={2}>
        {entries.map(({ id, title, createdAt, actor }) => (
          <Timeline.Item key={id} title={title}>
            <Text className="long" size="sm" c="dimmed">
              <time dateTime={createdAt}>{dateTime(createdAt)}</time>
              {actor !== undefined && ` · ${actor}`}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  );
}

interface TitleProps {
  payment: Payment;
  kind: PaymentKind;
  currency: string;
}

function PaymentTitle({ payment, kind, currency }: TitleProps): ReactNode {
  const { amount, paidOn, bankTransaction } = payment;
  const values = { name: paymentTexts[kind].name, amount: money(amount, currency), day: date(paidOn) };
  return (
    <span className="long">
      {bankTransaction ? (
        <Trans
          i18nKey="{name} of {amount} on {day}, by <a>{payer}</a>"
          values={{ ...values, payer: bankTransaction.counterpartyName ?? t('bank transaction') }}
          components={{ a: <Anchor component={Link} to={`/bank-transactions/${bankTransaction.id}`} inherit /> }}
        />
      ) : (
        t('{name} of {amount} on {day}', values)
      )}
    </span>
  );
}
