import { cacheExchange } from '@urql/exchange-graphcache';
import { initGraphQLTada } from 'gql.tada';
import { createClient as createSseClient } from 'graphql-sse';
import { StrictMode, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Client, fetchExchange, Provider, subscriptionExchange, useMutation, useQuery, useSubscription } from 'urql';
import type { introspection } from '../../../src/dashboard/introspection.d.ts';
import { headers } from '../page.ts';

// As the guides of urql, Graphcache, and gql.tada, and graphql-sse's recipe for urql have it.

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { UUID: string } }>();

const events = createSseClient({ url: '/graphql', headers });
const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  fetchOptions: { headers },
  exchanges: [
    cacheExchange({}),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({ unsubscribe: events.subscribe({ query: query ?? '', variables }, sink) }),
      }),
    }),
  ],
});

const Customers = graphql(`
  query Customers($after: String) {
    customers(first: 2, after: $after) {
      nodes {
        id
        companyName
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const Update = graphql(`
  mutation Update($id: UUID!, $input: UpdateCustomerInput!) {
    updateCustomer(id: $id, input: $input) {
      id
      companyName
    }
  }
`);
const Changes = graphql(`
  subscription Changes {
    changes(resource: [CUSTOMER]) {
      deleted
      resourceId
      data {
        ... on Customer {
          id
          companyName
        }
      }
    }
  }
`);

function Page({ after, isFirst = false }: { after: string | null; isFirst?: boolean }): ReactNode {
  const [{ data }] = useQuery({ query: Customers, variables: { after } });
  const [, update] = useMutation(Update);
  const [isOpen, setOpen] = useState(false);
  if (!data) return null;
  const { nodes, pageInfo } = data.customers;
  return (
    <>
      {nodes.map(({ id, companyName }) => (
        <li key={id}>{companyName}</li>
      ))}
      {isFirst && (
        <button onClick={() => update({ id: nodes[0]!.id, input: { companyName: 'Changed here' } })}>Change</button>
      )}
      {isOpen && <Page after={pageInfo.endCursor} />}
      {!isOpen && pageInfo.hasNextPage && <button onClick={() => setOpen(true)}>More</button>}
    </>
  );
}

function App(): ReactNode {
  useSubscription({ query: Changes });
  return (
    <ul>
      <Page after={null} isFirst />
    </ul>
  );
}

createRoot(document.body).render(
  <StrictMode>
    <Provider value={client}>
      <App />
    </Provider>
  </StrictMode>,
);
