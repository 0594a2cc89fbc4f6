import { expect, it } from 'vitest';
import { onCluster } from '../citus/cluster.ts';
import { makeCreditNote, makeCustomer } from '../graphql/books.ts';
import { withoutTriggers } from '../harness.ts';
import { rowsRead, startCounted } from '../rows-read.ts';

// Whatever PostgreSQL has counted, the search of exact matches does not go through all documents for each clue of each transaction, nor
// for each credit note.

const open = 3000;
const paid = 300;
const tables = ['invoices', 'customers', 'bank_transactions', 'payments', 'credit_notes'];

it.skipIf(onCluster('the rows are read on other servers')).each([
  ['no statistics', 'none'],
  ['statistics of few rows', 'few'],
  ['statistics of all rows', 'all'],
])('exact matches are found with %s', async (_title, counted) => {
  const { service: own, reader } = await startCounted(tables);
  if (counted === 'few') {
    const initech = await own.integrator();
    await makeCreditNote(initech);
    await reader.query(`analyze ${tables.join()}`);
  }
  const globex = await own.integrator();
  const customerId = await makeCustomer(globex, { companyName: 'Initech' });
  await withoutTriggers(own, async (client) => {
    await client.query(
      `with made as (
         insert into invoices (tenant_id, id, customer_id, status, number, invoice_date, due_date, currency, total_net, total_vat,
           total_gross, amount_paid, issued_at, paid_at, updated_at)
         select $1, gen_random_uuid(), $2, case when n > $3 then 'paid' else 'issued' end::invoice_status, '2026-' || 10000 + n, '2026-01-01',
           '2026-12-01', 'EUR', 1000 + n, 0, 1000 + n, case when n > $3 then 1000 + n else 0 end, now(),
           case when n > $3 then now() end, now()
         from generate_series(1, $3::int + $4::int) as n returning id, number, status, total_gross
       )
       insert into credit_notes (tenant_id, id, invoice_id, customer_id, number, credit_note_date, currency, total_net, total_vat,
         total_gross, vat_breakdown, updated_at)
       select $1, gen_random_uuid(), id, $2, 'CN-' || number, '2026-02-01', 'EUR', 1, 0, 1, '[]', now() from made where status = 'paid'`,
      [globex.tenantId, customerId, open, paid],
    );
    await client.query(
      `insert into bank_transactions (tenant_id, id, identity, account_iban, booking_date, amount, amount_open, currency,
         reference, updated_at)
       select $1, gen_random_uuid(), n, 'DE02120300000000202051', '2026-03-01', 1000 + n, 1000 + n, 'EUR', 'Invoice 2026-' || 10000 + n, now()
       from generate_series(1, 60) as n`,
      [globex.tenantId],
    );
  });
  if (counted === 'all') await reader.query(`analyze ${tables.join()}`);
  const { exactMatches } = await globex.graphql('{ exactMatches { suggestion { id } } }');
  expect(exactMatches).toHaveLength(40);
  await own.close();
  expect(await rowsRead(reader, tables)).toBeLessThan(60 * open);
});
