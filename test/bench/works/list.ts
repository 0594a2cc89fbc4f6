import { race } from '../race.ts';

export const listCustomers = race({
  name: 'REST list 25 customers with total',
  size: 100_000,
  questions: () => [{ ask: 'customers' }],
  contenders: ['kontorRest', 'fastifyPg', 'fastifyPrisma'],
  goals: { fastifyPg: 8, fastifyPrisma: 1.5 },
});

export const listInvoices = race({
  name: 'REST list 25 invoices with total',
  size: 100_000,
  questions: () => [{ ask: 'invoices' }],
  contenders: ['kontorRest', 'fastifyPg', 'fastifyPrisma'],
  goals: { fastifyPg: 4, fastifyPrisma: 1.5 },
});

/** Ours counts all the same, as it always does; the others don't. */
export const listWithoutTotal = race({
  name: 'REST list 25 invoices without total',
  size: 100_000,
  questions: () => [{ ask: 'someInvoices' }],
  contenders: ['kontorRest', 'fastifyPg', 'fastifyPrisma', 'sofa'],
  goals: { fastifyPg: 0.6, fastifyPrisma: 1.5, sofa: 1.3 },
});
