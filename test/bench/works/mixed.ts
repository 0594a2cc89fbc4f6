import type { Work } from '../bench.ts';
import type { Question } from '../dialects.ts';
import { race, findSample, trafficTo, worstRow, type Sample } from '../race.ts';

/** Of a hundred requests 60 get, 30 list (some of them filtered), 5 search, 5 create. */
const questions = ({ invoices, customers, busyCustomers }: Sample): Question[] =>
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
  });

const size = 1000;

export const mixed = race({
  name: 'REST mixed load',
  size,
  questions,
  contenders: ['kontorRest', 'fastifyPg', 'fastifyPrisma'],
  goals: { fastifyPrisma: 1.5 },
});

export const worstOfMinute: Work = {
  name: 'REST mixed load, worst answer of a minute',
  long: true,
  async run(bench) {
    const tenant = bench.tenant(size);
    const kontor = await bench.contender('kontorRest');
    const traffic = trafficTo(kontor, questions(await findSample(bench, tenant)), tenant);
    bench.say(this.name);
    await bench.warmUp(this.name, traffic);
    const { latency } = await bench.load(this.name, traffic, { seconds: 60 });
    return [worstRow(this.name, latency.worst)];
  },
};
