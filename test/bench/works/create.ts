import { deepStrictEqual } from 'node:assert/strict';
import type { Work } from '../bench.ts';
import { fetchContent, race } from '../race.ts';

const contenders = ['kontorRest', 'fastifyPg', 'fastifyPrisma'] as const;

const creating = race({
  name: 'REST create invoice, 3 items, with its event',
  size: 0,
  questions: ({ customers }) => customers.map((customerId) => ({ ask: 'createInvoice', customerId })),
  contenders: [...contenders],
  goals: { fastifyPg: 0.95, fastifyPrisma: 1.5 },
});

export const create: Work = {
  ...creating,
  async run(bench) {
    const { pool } = bench.database;
    const tenant = bench.tenant(0);
    const customers = await pool.query<{ id: string }>('select id from customers where tenant_id = $1', [tenant.id]);
    const question = { ask: 'createInvoice', customerId: customers.rows[0]!.id } as const;
    for (const name of contenders) {
      const before = await written();
      await fetchContent(await bench.contender(name), question, tenant);
      const after = await written();
      const rowsWritten = after.map((count, at) => count - before[at]!);
      deepStrictEqual(rowsWritten, [1, 3, 1, 1], `${name} writes other invoices, items, events or jobs`);
    }
    return creating.run(bench);

    async function written(): Promise<number[]> {
      const ours = ['invoices', 'invoice_items', 'events'].map((table) => `${table} where tenant_id = '${tenant.id}'`);
      const counts = [...ours, 'graphile_worker._private_jobs'].map((rows) => `(select count(*) from ${rows})`);
      const [row] = (await pool.query<{ counts: number[] }>(`select array[${counts.join()}]::int[] as counts`)).rows;
      return row?.counts ?? [];
    }
  },
};
