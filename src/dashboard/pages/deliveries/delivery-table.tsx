import { Badge, Group } from '@mantine/core';
import { PaperAirplaneIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { DataTable, type Column } from '../../list/data-table.tsx';
import { LongText } from '../../components/long-text.tsx';
import { EmptyList } from '../../list/empty-list.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Ago, Due } from '../../components/time.tsx';
import { graphql, type ResultOf, type VariablesOf } from '../../graphql.ts';
import type { ListState } from '../../list/list-state.ts';
import { useDeliveryChanges } from './live.ts';
import { DeliveryState } from './state.tsx';

export const DeliveriesQuery = graphql(`
  query Deliveries(
    $first: Int
    $after: String
    $last: Int
    $before: String
    $webhookId: UUID
    $event: String
    $eventId: UUID
    $state: DeliveryState
    $since: DateTime
    $until: DateTime
  ) {
    deliveries(
      first: $first
      after: $after
      last: $last
      before: $before
      webhookId: $webhookId
      event: $event
      eventId: $eventId
      state: $state
      since: $since
      until: $until
    ) {
      totalCount
      pageInfo {
        startCursor
        endCursor
        hasNextPage
        hasPreviousPage
      }
      nodes {
        id
        kind
        state
        attemptCount
        nextAttemptAt
        createdAt
        event {
          id
          type
        }
        webhook {
          id
          url
        }
      }
    }
  }
`);

type Row = ResultOf<typeof DeliveriesQuery>['deliveries']['nodes'][number];

interface Props {
  list: ListState<never>;
  filters: Omit<VariablesOf<typeof DeliveriesQuery>, 'first' | 'after' | 'last' | 'before'>;
  /** Whether all go to the same webhook, which needn't be said on each row. */
  oneWebhook?: boolean;
}

/** Deliveries, newest first, kept current while they are looked at. */
export function DeliveryTable({ list, filters, oneWebhook = false }: Props): ReactNode {
  const [{ data, fetching, stale, error }, refetch] = useQuery({
    query: DeliveriesQuery,
    variables: { ...list.variables, ...filters },
  });
  useDeliveryChanges(filters.webhookId ?? null, refetch);
  return (
    <DataTable
      caption="Deliveries"
      list={list}
      connection={data?.deliveries}
      fetching={fetching && !stale}
      error={error}
      refetch={refetch}
      columns={oneWebhook ? columns.filter(({ header }) => header !== 'Webhook') : columns}
      empty={
        <EmptyList
          list={list}
          noMatch="No deliveries match"
          icon={PaperAirplaneIcon}
          title="No deliveries yet"
          description="Ping the webhook, or change something in the books."
        />
      }
    />
  );
}

const columns: Column<Row>[] = [
  {
    header: 'Event',
    lead: true,
    cell: ({ id, event, kind }) => (
      <Group gap="xs">
        <TextLink className="target" to={`/deliveries/${id}`} ff="monospace">
          {event.type}
        </TextLink>
        {kind === 'REDELIVERY' && (
          <Badge variant="default" size="sm" tt="none" fw={500}>
            redelivered
          </Badge>
        )}
      </Group>
    ),
  },
  {
    header: 'State',
    cell: ({ state, attemptCount }) => <DeliveryState state={state} attempts={attemptCount} />,
  },
  { header: 'Webhook', cell: ({ webhook }) => <LongText lines={1}>{webhook.url}</LongText> },
  { header: 'Attempts', align: 'right', cell: ({ attemptCount }) => attemptCount },
  {
    header: 'Next attempt',
    cell: ({ state, nextAttemptAt }) => state === 'WAITING' && <Due at={nextAttemptAt} />,
  },
  { header: 'Made', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];
