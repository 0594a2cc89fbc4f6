import { race } from '../race.ts';

export const graphqlGet = race({
  name: 'GraphQL get',
  size: 100_000,
  questions: ({ invoices }) => invoices.map((id) => ({ ask: 'invoice', id })),
  contenders: ['kontorGraphql', 'postgraphile'],
  goals: { postgraphile: 1.3 },
});

export const graphqlList = race({
  name: 'GraphQL list',
  size: 100_000,
  questions: () => [{ ask: 'invoices' }],
  contenders: ['kontorGraphql', 'postgraphile'],
  goals: { postgraphile: 1.3 },
});

export const graphqlNested = race({
  name: 'GraphQL nested three levels',
  size: 100_000,
  questions: () => [{ ask: 'nested' }],
  contenders: ['kontorGraphql', 'postgraphile'],
  goals: { postgraphile: 1.1 },
});
