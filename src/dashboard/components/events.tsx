import { Card, Text, Timeline, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { dateTime, label } from '../format.ts';
import { graphql } from '../graphql.ts';

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

/** What happened to something, newest first, as webhooks were told. */
export function Events({ of }: { of: string }): ReactNode {
  const [{ data }] = useQuery({ query: EventsQuery, variables: { resourceId: of } });
  const events = data?.events.nodes ?? [];
  if (events.length === 0) return null;
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb="md">
        History
      </Title>
      <Timeline bulletSize={14} lineWidth={2}>
        {events.map(({ id, type, createdAt }) => (
          <Timeline.Item key={id} title={label(type.slice(type.indexOf('.') + 1))}>
            <Text size="sm" c="dimmed">
              <time dateTime={createdAt}>{dateTime(createdAt)}</time>
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  );
}
