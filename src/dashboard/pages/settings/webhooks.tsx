import { Badge, EmptyState } from '@mantine/core';
import { BoltIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { DataTable } from '../../components/data-table.tsx';
import { Page } from '../../components/page.tsx';
import { graphql } from '../../graphql.ts';
import { useListState } from '../../list-state.ts';

const WebhooksQuery = graphql(`
  query Webhooks {
    webhooks {
      id
      url
      description
      active
    }
  }
`);

export default function Webhooks(): ReactNode {
  const list = useListState();
  const [{ data, fetching, error }] = useQuery({ query: WebhooksQuery });
  const nodes = data?.webhooks;
  return (
    <Page title="Webhooks" description="Kontor tells these addresses what happens to the books.">
      <DataTable
        caption="Webhooks"
        list={list}
        connection={
          nodes && {
            nodes,
            totalCount: nodes.length,
            pageInfo: { startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: false },
          }
        }
        fetching={fetching}
        error={error}
        columns={[
          { header: 'Address', cell: ({ url }) => url },
          { header: 'State', cell: ({ active }) => <Badge variant="light">{active ? 'Active' : 'Off'}</Badge> },
        ]}
        empty={<EmptyState icon={<BoltIcon width={40} aria-hidden />} title="No webhooks yet" />}
      />
    </Page>
  );
}
