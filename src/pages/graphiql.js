/* global YogaGraphiQL */
// In the browser: GraphiQL. Who is signed in to the dashboard asks with that session; others add their token's header.
const workers = __WORKERS__;
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => workers[label] };
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  endpoint: '/graphql',
  title: 'Kontor',
  defaultQuery: `# Signed in to the dashboard? Then this runs with your session. Else add a token under Headers:
# "Authorization": "Bearer kontor_…"

query Outstanding {
  invoices(status: ISSUED, first: 10) {
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
}
`,
  headers: '{\n  "X-Requested-With": "kontor"\n}',
  shouldPersistHeaders: false,
});
