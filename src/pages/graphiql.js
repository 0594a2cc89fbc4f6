/* global YogaGraphiQL */
// In the browser: GraphiQL. Who is signed in to the dashboard asks with that session; others add their token's header.
const workers = __WORKERS__;
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => workers[label] };
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  endpoint: '/graphql',
  title: 'Kontor',
  headers: '{\n  "X-Requested-With": "kontor"\n}',
  shouldPersistHeaders: false,
});
