import { race } from '../race.ts';

const contenders = ['kontorGraphql', 'fastifyPg'] as const;

export const receivables = race({
  name: 'GraphQL filtered page',
  size: 100_000,
  questions: () => [{ ask: 'receivables', country: 'DE' }],
  contenders: [...contenders],
  goals: { fastifyPg: 0.8 },
});

export const totals = race({
  name: 'GraphQL aggregate',
  size: 100_000,
  questions: () => [{ ask: 'totals' }],
  contenders: [...contenders],
});
