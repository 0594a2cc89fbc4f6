import { createClient } from 'graphql-sse';
import { StrictMode, Suspense, useMemo, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import {
  graphql,
  RelayEnvironmentProvider,
  useFragment,
  useLazyLoadQuery,
  useMutation,
  usePaginationFragment,
  useSubscription,
} from 'react-relay';
import {
  Environment,
  Network,
  Observable,
  RecordSource,
  Store,
  type FetchFunction,
  type SubscribeFunction,
} from 'relay-runtime';
import type { app_customer$key } from './generated/app_customer.graphql.ts';
import type { app_customers$key } from './generated/app_customers.graphql.ts';
import type { appChangesSubscription } from './generated/appChangesSubscription.graphql.ts';
import type { appCustomersPage } from './generated/appCustomersPage.graphql.ts';
import type { appQuery } from './generated/appQuery.graphql.ts';
import type { appUpdateMutation } from './generated/appUpdateMutation.graphql.ts';
import { headers } from '../page.ts';

// As Relay's guides "Network layer", "GraphQL subscriptions", and "Persisted queries" have it: documents are sent by hash.

const fetchFunction: FetchFunction = async ({ id }, variables) => {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ doc_id: id, variables }),
  });
  return response.json();
};

const events = createClient({ url: '/graphql', headers });
const subscribeFunction: SubscribeFunction = ({ id, name }, variables) =>
  Observable.create((sink) =>
    events.subscribe(
      {
        operationName: name,
        query: '',
        variables,
        extensions: { persistedQuery: { version: 1, sha256Hash: id } },
      },
      sink as never,
    ),
  );

const environment = new Environment({
  network: Network.create(fetchFunction, subscribeFunction),
  store: new Store(new RecordSource()),
});

function Customer({ customer }: { customer: app_customer$key }): ReactNode {
  const { companyName } = useFragment(
    graphql`
      fragment app_customer on Customer {
        companyName
      }
    `,
    customer,
  );
  return <li>{companyName}</li>;
}

function Customers({ query }: { query: app_customers$key }): ReactNode {
  const { data, loadNext, hasNext } = usePaginationFragment<appCustomersPage, app_customers$key>(
    graphql`
      fragment app_customers on Query
      @argumentDefinitions(first: { type: "Int", defaultValue: 2 }, after: { type: "String" })
      @refetchable(queryName: "appCustomersPage") {
        customers(first: $first, after: $after) @connection(key: "app_customers") {
          edges {
            node {
              id
              ...app_customer
            }
          }
        }
      }
    `,
    query,
  );
  const [update] = useMutation<appUpdateMutation>(graphql`
    mutation appUpdateMutation($id: UUID!, $input: UpdateCustomerInput!) {
      updateCustomer(id: $id, input: $input) {
        ...app_customer
      }
    }
  `);
  useSubscription<appChangesSubscription>(
    useMemo(
      () => ({
        subscription: graphql`
          subscription appChangesSubscription {
            changes(resource: [CUSTOMER]) {
              deleted
              resourceId
              data {
                ...app_customer @alias
              }
            }
          }
        `,
        variables: {},
      }),
      [],
    ),
  );
  const nodes = data.customers.edges.map(({ node }) => node);
  return (
    <>
      <ul>
        {nodes.map((node) => (
          <Customer key={node.id} customer={node} />
        ))}
      </ul>
      {hasNext && <button onClick={() => loadNext(2)}>More</button>}
      <button onClick={() => update({ variables: { id: nodes[0]!.id, input: { companyName: 'Changed here' } } })}>
        Change
      </button>
    </>
  );
}

function App(): ReactNode {
  const query = useLazyLoadQuery<appQuery>(
    graphql`
      query appQuery {
        ...app_customers
      }
    `,
    {},
  );
  return <Customers query={query} />;
}

createRoot(document.body).render(
  <StrictMode>
    <RelayEnvironmentProvider environment={environment}>
      <Suspense fallback="Loading">
        <App />
      </Suspense>
    </RelayEnvironmentProvider>
  </StrictMode>,
);
