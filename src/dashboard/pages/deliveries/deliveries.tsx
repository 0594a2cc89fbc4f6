import { Badge, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ArrowPathIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Choice, period } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { getStartOfDay } from '../../format/day-and-time.ts';
import { graphql } from '../../graphql.ts';
import { useStream } from '../../api/event-stream.ts';
import { getKeys, findOneOf, useListState } from '../../list/list-state.ts';
import { RedeliverMissedDialog } from '../settings/webhooks/redeliver-missed.tsx';
import { DeliveryTable, noDeliveries } from './delivery-table.tsx';
import { states } from './state.tsx';
import { t } from '../../i18n/t.ts';

const FiltersQuery = graphql(`
  query DeliveryFilters {
    webhooks {
      nodes {
        id
        url
        active
      }
    }
    eventTypes {
      name
    }
  }
`);

export default function Deliveries(): ReactNode {
  const { webhook } = useListState(['webhook']).filters;
  const [{ data }] = useQuery({ query: FiltersQuery });
  const { connected } = useStream();
  const [missed, dialog] = useDisclosure();
  const webhooks = data?.webhooks.nodes ?? [];
  const chosen = webhooks.find(({ id }) => id === webhook);
  const events = [...(data?.eventTypes ?? []).map(({ name }) => name), 'webhook.ping'];
  return (
    <ListPage
      title={t('Deliveries')}
      badge={
        <Badge variant="light" color={connected ? 'teal' : 'gray'} tt="none" fw={500}>
          {connected ? t('Live') : t('Connecting')}
        </Badge>
      }
      description={t('Every request to a webhook, and its answer. Kept for 90 days.')}
      guide={{ href: '/docs/webhooks#when-you-fail', label: t('When a delivery fails') }}
      actions={
        chosen?.active && (
          <Button variant="default" leftSection={<ArrowPathIcon width={18} aria-hidden />} onClick={dialog.open}>
            {t('Redeliver missed events…')}
          </Button>
        )
      }
      table={DeliveryTable}
      filters={{
        webhook: (filter) => (
          <Choice
            label={t('Webhook')}
            all={t('All webhooks')}
            options={webhooks.map(({ id, url }) => ({ value: id, label: url }))}
            {...filter}
          />
        ),
        event: (filter) => (
          <Choice
            label={t('Event')}
            all={t('All events')}
            options={events.map((name) => ({ value: name, label: name }))}
            searchable
            {...filter}
          />
        ),
        state: (filter) => (
          <Choice
            label={t('State')}
            all={t('All states')}
            options={Object.entries(states).map(([value, { label }]) => ({ value, label }))}
            {...filter}
          />
        ),
        ...period,
      }}
      variables={({ webhook: webhookId, event, state, from, to }) => ({
        webhookId,
        event,
        state: findOneOf(state, getKeys(states)),
        since: from && getStartOfDay(from, 0),
        until: to && getStartOfDay(to, 1),
      })}
      empty={noDeliveries}
    >
      {chosen && <RedeliverMissedDialog webhook={chosen} opened={missed} onClose={dialog.close} />}
    </ListPage>
  );
}
