import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { ApolloProvider, useMutation, useQuery, useSubscription } from '@apollo/client/react';
import { OperationTypeNode, print } from 'graphql';
import { createClient, type Client, type ClientOptions } from 'graphql-sse';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { graphql } from './generated/gql.ts';
import { headers } from '../page.ts';

// As the guides of Apollo Client, of the client preset, and graphql-sse's recipe for Apollo have it.

class SseLink extends ApolloLink {
  readonly #client: Client;

  constructor(options: ClientOptions) {
    super();
    this.#client = createClient(options);
  }

  override request({ query, variables, operationName }: ApolloLink.Operation): Observable<ApolloLink.Result> {
    return new Observable((sink) =>
      this.#client.subscribe({ query: print(query), variables, operationName: operationName ?? '' }, sink as never),
    );
  }
}

const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new SseLink({ url: '/graphql', headers }),
    new HttpLink({ uri: '/graphql', headers }),
  ),
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

function App(): ReactNode {
  const { data, fetchMore } = useQuery(Customers, { variables: {} });
  const [update] = useMutation(Update);
  useSubscription(Changes);
  if (!data) return 'Loading';
  const { nodes, pageInfo } = data.customers;
  const more = () =>
    fetchMore({
      variables: { after: pageInfo.endCursor },
      updateQuery: (before, { fetchMoreResult: { customers } }) => ({
        customers: { ...customers, nodes: [...before.customers.nodes, ...customers.nodes] },
      }),
    });
  return (
    <>
      <ul>
        {nodes.map(({ id, companyName }) => (
          <li key={id}>{companyName}</li>
        ))}
      </ul>
      {pageInfo.hasNextPage && <button onClick={more}>More</button>}
      <button onClick={() => update({ variables: { id: nodes[0]!.id, input: { companyName: 'Changed here' } } })}>
        Change
      </button>
    </>
  );
}

createRoot(document.body).render(
  <StrictMode>
    <ApolloProvider client={client}>
      <App />
    </ApolloProvider>
  </StrictMode>,
);
