import { Badge, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ArrowPathIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Choice, Day, Filters } from '../../list/list-filters.tsx';
import { Page } from '../../layout/page.tsx';
import { graphql } from '../../graphql.ts';
import { useStream } from '../../api/event-stream.ts';
import { useListState } from '../../list/list-state.ts';
import { RedeliverMissedDialog } from '../settings/webhooks/redeliver-missed.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { states, type State } from './state.tsx';

const FiltersQuery = graphql(`
  query DeliveryFilters {
    webhooks {
      id
      url
      active
    }
    eventTypes {
      name
    }
  }
`);

const names = ['webhook', 'event', 'state', 'from', 'to'] as const;

const isState = (value: string | undefined): value is State => value !== undefined && value in states;

export default function Deliveries(): ReactNode {
  const list = useListState(names);
  const { webhook, event, state, from, to } = list.filters;
  const [{ data }] = useQuery({ query: FiltersQuery });
  const { connected } = useStream();
  const [missed, dialog] = useDisclosure();
  const chosen = data?.webhooks.find(({ id }) => id === webhook);
  return (
    <Page
      title="Deliveries"
      badge={
        <Badge variant="light" color={connected ? 'teal' : 'gray'} tt="none" fw={500}>
          {connected ? 'Live' : 'Connecting'}
        </Badge>
      }
      description="Every request to a webhook, and its answer. Kept for 90 days."
      guide={{ href: '/docs/webhooks#when-you-fail', label: 'When a delivery fails' }}
      actions={
        chosen?.active && (
          <Button variant="default" leftSection={<ArrowPathIcon width={18} aria-hidden />} onClick={dialog.open}>
            Redeliver missed events…
          </Button>
        )
      }
    >
      <Filters list={list}>
        <Choice
          label="Webhook"
          all="All webhooks"
          value={webhook}
          onChange={(value) => list.filter({ webhook: value })}
          options={(data?.webhooks ?? []).map(({ id, url }) => ({ value: id, label: url }))}
        />
        <Choice
          label="Event"
          all="All events"
          value={event}
          onChange={(value) => list.filter({ event: value })}
          options={[...(data?.eventTypes ?? []).map(({ name }) => name), 'webhook.ping'].map((name) => ({
            value: name,
            label: name,
          }))}
          searchable
        />
        <Choice
          label="State"
          all="All states"
          value={state}
          onChange={(value) => list.filter({ state: value })}
          options={Object.entries(states).map(([value, { label }]) => ({ value, label }))}
        />
        <Day label="From" value={from} onChange={(value) => list.filter({ from: value })} />
        <Day label="To" value={to} onChange={(value) => list.filter({ to: value })} />
      </Filters>
      <DeliveryTable
        list={list}
        filters={{
          webhookId: webhook ?? null,
          event: event ?? null,
          state: isState(state) ? state : null,
          since: from ? startOf(from, 0) : null,
          until: to ? startOf(to, 1) : null,
        }}
      />
      {chosen && <RedeliverMissedDialog webhook={chosen} opened={missed} onClose={dialog.close} />}
    </Page>
  );
}

/** When a day begins where the reader is, some days later. */
function startOf(day: string, later: number): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}
