import type { Work } from '../bench.ts';
import type { Question } from '../dialects.ts';
import { measure, perSecond, trafficTo } from '../race.ts';

/** The same list in a tenant of 1,000,000 and in one of 1,000. */
const growth = (what: string, question: Question): Work => ({
  name: `REST list 25 ${what} with total, 1,000,000 rows against 1,000`,
  large: true,
  async run(bench) {
    const kontor = await bench.contender('kontorRest');
    const entrants = [1_000_000, 1000].map((size) => ({
      name: `Kontor REST, tenant of ${size}`,
      traffic: trafficTo(kontor, [question], bench.tenant(size)),
    }));
    const [large = NaN, small = NaN] = (await measure(bench, this.name, entrants)).map((each) => each.perSecond);
    const [ours, theirs] = [perSecond(large), perSecond(small)];
    return [{ work: this.name, against: 'itself, time', ours, theirs, ratio: small / large, goal: 1.15, atMost: 1.15 }];
  },
});

export const growthOfCustomers = growth('customers', { ask: 'customers' });
export const growthOfInvoices = growth('invoices', { ask: 'invoices' });
