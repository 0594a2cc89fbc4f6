import { expect, it } from 'vitest';
import { onCluster } from '../citus/cluster.ts';
import { makeInvoice } from '../graphql/books.ts';
import { rowsRead, startCounted } from '../rows-read.ts';
import { camt, imported, many } from './statement.ts';

// PostgreSQL chooses an index by statistics, which it lacks for a tenant whose rows are new. Whatever they say, an import reads
// a few rows for each entry, and not all rows of the tenant for each.

const entries = 2000;
const paying = 60;
const tables = ['bank_transactions', 'payments', 'events', 'invoices', 'changes'];

it.skipIf(onCluster('the rows are read on other servers')).each([
  ['no statistics', 0],
  ['statistics of few rows', 5],
  ['statistics of another tenant’s rows', 1000],
])('an import reads a few rows for each entry, with %s', async (_what, others) => {
  const { service: own, reader } = await startCounted(tables);
  if (others > 0) {
    const initech = await own.integrator();
    await imported(own, initech, camt(many(others)));
    await makeInvoice(initech, { status: 'ISSUED' });
    await reader.query(`analyze ${tables.join()}`);
  }
  const globex = await own.integrator();
  const invoices = await Promise.all(Array.from({ length: paying }, () => makeInvoice(globex, { status: 'ISSUED' })));
  const numbers = await globex.db.invoice.findMany({ where: { id: { in: invoices } } });
  const file = camt([
    ...many(entries - paying),
    ...numbers.map(({ number }) => ({ amount: '119.00', reference: `Invoice ${number}` })),
  ]);
  expect(await imported(own, globex, file)).toMatchObject({ imported: entries, matched: paying });
  expect(await imported(own, globex, file)).toMatchObject({ imported: 0, skipped: entries });
  await own.close();
  const read = await rowsRead(reader, tables);
  expect(read).toBeLessThan(30 * entries);
});
