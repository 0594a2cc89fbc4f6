import { Badge, Group } from '@mantine/core';
import { PaperAirplaneIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { DataTable, type SortableColumn } from '../../list/data-table.tsx';
import { LongText } from '../../components/long-text.tsx';
import type { EmptyListTexts } from '../../list/empty-list.tsx';
import { useListQuery, type ListTableProps } from '../../list/list-table.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Ago, Due } from '../../components/time.tsx';
import { graphql, type ResultOf } from '../../graphql.ts';
import { PageInfoFields } from '../../list/page-info.ts';
import { useDeliveryChanges } from './live.ts';
import { DeliveryState } from './state.tsx';
import { t } from '../../i18n/t.ts';

const DeliveriesQuery = graphql(
  `
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
      rows: deliveries(
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
          ...PageInfoFields
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
  `,
  [PageInfoFields],
);

type DeliveryRow = ResultOf<typeof DeliveriesQuery>['rows']['nodes'][number];

interface Props extends ListTableProps<typeof DeliveriesQuery> {
  /** Whether all deliveries go to one webhook, so that the webhook's column is left out. */
  oneWebhook?: boolean;
}

/** Deliveries, newest first. The table updates live. */
export function DeliveryTable({ oneWebhook = false, list, filters, empty }: Props): ReactNode {
  const rows = useListQuery({
    query: DeliveriesQuery,
    columns: oneWebhook ? columns.filter((column) => column !== webhookColumn) : columns,
    list,
    filters,
  });
  useDeliveryChanges(filters.webhookId ?? null, rows.refetch);
  return <DataTable caption={t('Deliveries')} empty={empty} {...rows} />;
}

/** The texts in place of an empty list of deliveries. */
export const noDeliveries: EmptyListTexts = {
  icon: PaperAirplaneIcon,
  title: t('No deliveries yet'),
  description: t('Ping the webhook, or change something in the books.'),
  noMatch: t('No deliveries match'),
};

const webhookColumn: SortableColumn<DeliveryRow, never> = {
  header: t('Webhook'),
  phone: 'detail',
  cell: ({ webhook }) => <LongText lines={1}>{webhook.url}</LongText>,
};

const columns: SortableColumn<DeliveryRow, never>[] = [
  {
    header: t('Event'),
    lead: true,
    phone: 'title',
    cell: ({ id, event, kind }) => (
      <Group gap="xs">
        <TextLink className="target" to={`/deliveries/${id}`} ff="monospace">
          {event.type}
        </TextLink>
        {kind === 'REDELIVERY' && (
          <Badge variant="default" size="sm" tt="none" fw={500}>
            {t('redelivered')}
          </Badge>
        )}
      </Group>
    ),
  },
  {
    header: t('State'),
    phone: 'state',
    cell: ({ state, attemptCount }) => <DeliveryState state={state} attempts={attemptCount} />,
  },
  webhookColumn,
  { header: t('Attempts'), align: 'right', cell: ({ attemptCount }) => attemptCount },
  {
    header: t('Next attempt'),
    wide: true,
    cell: ({ state, nextAttemptAt }) => state === 'WAITING' && <Due at={nextAttemptAt} />,
  },
  { header: t('Made'), phone: 'value', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];
