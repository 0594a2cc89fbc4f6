import { availableParallelism } from 'node:os';
import type { Work } from '../bench.ts';
import { measure, orderOf, perSecond } from '../race.ts';

/** Limits are counted in PostgreSQL by one process as by two: in memory they would not be exact. */
export const twoProcesses: Work = {
  name: 'REST get by id, two processes',
  async run(bench) {
    const tenant = bench.tenant(100_000);
    const { rows } = await bench.database.pool.query<{ id: string }>(
      'select id from invoices where tenant_id = $1 order by md5(id::text) limit 500',
      [tenant.id],
    );
    const [first, second] = [await bench.contender('kontorLimits'), await bench.contender('kontorSecond')];
    const order = orderOf(
      first,
      rows.map(({ id }) => ({ ask: 'invoice', id })),
      tenant,
    );
    const [two = NaN, one = NaN] = await measure(bench, this.name, [
      { name: 'two', order: { ...order, urls: [first.url, second.url] } },
      { name: 'one', order },
    ]);
    // Two servers, the database and the load need a core each before anything can be said.
    const goal = availableParallelism() >= 4 ? { goal: 1.6 } : {};
    return [
      { work: this.name, against: 'one', ours: perSecond(two), theirs: perSecond(one), ratio: two / one, ...goal },
    ];
  },
};
