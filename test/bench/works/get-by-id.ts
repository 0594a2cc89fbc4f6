import { race } from '../race.ts';

export const getById = race({
  name: 'REST get by id',
  size: 100_000,
  questions: ({ invoices }) => invoices.map((id) => ({ ask: 'invoice', id })),
  contenders: ['kontorRest', 'fastifyPrisma', 'fastifyPg', 'sofa', 'kontorLimits'],
  goals: { fastifyPrisma: 1.5, fastifyPg: 0.6, sofa: 1.8 },
});
