import { race } from '../race.ts';

/** Of a hundred requests 60 get, 30 list (some of them filtered), 5 search, 5 create. */
export const mixed = race({
  name: 'REST mixed load',
  size: 1000,
  questions: ({ invoices, customers, busyCustomers }) =>
    invoices.map((id, at) => {
      const customerId = customers[at % customers.length] ?? '';
      const kind = (at * 37) % 100;
      if (kind < 40) return { ask: 'invoice', id };
      if (kind < 60) return { ask: 'customer', id: customerId };
      if (kind < 75) return { ask: 'invoices' };
      if (kind < 80) return { ask: 'customers' };
      if (kind < 85) return { ask: 'invoices', status: 'issued' };
      if (kind < 90) return { ask: 'invoices', customerId: busyCustomers[at % busyCustomers.length] };
      if (kind < 95) return { ask: 'customers', q: String(100 + at) };
      return { ask: 'createInvoice', customerId };
    }),
  contenders: ['kontorRest', 'fastifyPg', 'fastifyPrisma'],
});
