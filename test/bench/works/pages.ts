import { race } from '../race.ts';

export const secondPage = race({
  name: 'REST list, page 2',
  size: 100_000,
  questions: () => [{ ask: 'customers', page: 2 }],
  contenders: ['kontorRest', 'fastifyPg', 'fastifyPrisma'],
  goals: { fastifyPrisma: 1.5 },
});

export const lastPage = race({
  name: 'REST list, last page',
  size: 100_000,
  questions: ({ lastPage: page }) => [{ ask: 'customers', page }],
  contenders: ['kontorRest', 'fastifyPg', 'fastifyPrisma'],
  goals: { fastifyPrisma: 1.5 },
});

export const lastPageOfMillion = race({
  name: 'REST list, last page, 1,000,000 rows',
  size: 1_000_000,
  questions: ({ lastPage: page }) => [{ ask: 'customers', page }],
  contenders: ['kontorRest', 'fastifyPg'],
  goals: { fastifyPg: 20 },
});
