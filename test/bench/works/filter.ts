import { race } from '../race.ts';

const contenders = ['kontorRest', 'fastifyPg', 'fastifyPrisma'] as const;

export const filterByStatus = race({
  name: 'REST list by status',
  size: 100_000,
  questions: () => ['draft', 'issued', 'paid', 'cancelled'].map((status) => ({ ask: 'invoices', status })),
  contenders: [...contenders],
  goals: { fastifyPrisma: 1.5 },
});

export const filterByCustomer = race({
  name: 'REST list by customer',
  size: 100_000,
  questions: ({ busyCustomers }) => busyCustomers.map((customerId) => ({ ask: 'invoices', customerId })),
  contenders: [...contenders],
  goals: { fastifyPg: 0.8, fastifyPrisma: 1.5 },
});

/** Of each word there are a few dozen. */
export const search = race({
  name: 'REST search q',
  size: 100_000,
  questions: () => Array.from({ length: 100 }, (_, at) => ({ ask: 'customers', q: String(1234 + at * 71) })),
  contenders: [...contenders],
  goals: { fastifyPg: 1, fastifyPrisma: 1.5 },
});
