/* global YogaGraphiQL */
// In the browser: GraphiQL. Who is signed in to the dashboard asks with that session; others add their token's header.
const workers = __WORKERS__;
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => workers[label] };
const root = document.querySelector('#root');
const hint =
  root.dataset.sessionDocuments === 'trusted'
    ? `# This installation accepts only trusted documents from sessions, also from yours.
# To send others, add a token under Headers:`
    : `# Signed in to the dashboard? Then this runs with your session. Else add a token under Headers:`;
YogaGraphiQL.renderYogaGraphiQL(root, {
  endpoint: '/graphql',
  title: 'Kontor',
  defaultQuery: `${hint}
# "Authorization": "Bearer kontor_…"

query Outstanding {
  invoices(
    filter: { status: { eq: ISSUED } }
    orderBy: { field: DUE_DATE, direction: ASC }
    first: 10
  ) {
    totalCount
    nodes {
      number
      dueDate
      amountDue
      currency
      customer {
        companyName
      }
    }
  }
  invoicesAggregate(
    filter: { status: { eq: ISSUED } }
    groupBy: [CUSTOMER]
    orderBy: { field: AMOUNT_DUE, direction: DESC }
    first: 10
  ) {
    customer {
      companyName
    }
    currency
    count
    sums {
      totalGross
      amountDue
    }
  }
}
`,
  headers: '{\n  "X-Requested-With": "kontor"\n}',
  shouldPersistHeaders: false,
});
