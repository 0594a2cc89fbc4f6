import { availableParallelism } from 'node:os';
import type { Work } from '../bench.ts';
import { compareRates, measure, trafficTo } from '../race.ts';

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
    const traffic = trafficTo(
      first,
      rows.map(({ id }) => ({ ask: 'invoice', id })),
      tenant,
    );
    const [two, one] = await measure(bench, this.name, [
      { name: 'two', traffic: { ...traffic, to: [first, second] } },
      { name: 'one', traffic },
    ]);
    // Two servers, the database and the load need a core each before anything can be said.
    const goal = availableParallelism() >= 4 ? 1.6 : undefined;
    return [compareRates('one', two!, one!, goal)];
  },
};
