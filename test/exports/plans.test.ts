import { expect, it } from 'vitest';
import { givePartnerAccounts } from '../../schema/exports/datev/partner-accounts.ts';
import { onCluster } from '../citus/cluster.ts';
import { makeInvoice } from '../graphql/books.ts';
import { withoutTriggers } from '../harness.ts';
import { rowsRead, startCounted } from '../rows-read.ts';
import { work } from '../webhooks/receiver.ts';
import { exported, readCsv } from './exports.ts';

// PostgreSQL has statistics of another tenant's few rows, and expects one row of a tenant whose rows are new. An export reads each of
// its rows a few times nevertheless, and not all of them for each.

const invoices = 1500;
const tables = ['invoices', 'invoice_items', 'payments', 'partner_accounts', 'credit_notes'];

it.skipIf(onCluster('the rows are read on other servers'))(
  'an export of a tenant that PostgreSQL has no statistics of reads few rows for each of its own',
  async () => {
    const { service, reader } = await startCounted(tables);
    await makeInvoice(await service.integrator(), { status: 'ISSUED' });
    await reader.query(`analyze ${tables.join()}`);
    const who = await service.integrator({ country: 'DE' });
    const insert = (sql: string): Promise<unknown> =>
      withoutTriggers(service, (client) => client.query(sql, [who.tenantId, invoices]));
    await insert(`
      insert into customers (tenant_id, id, type, company_name, updated_at)
      select $1, md5(n::text)::uuid, 'customer', 'Customer', now() from generate_series(1, $2::int) as n`);
    await insert(`
      insert into invoices (tenant_id, id, customer_id, status, number, invoice_date, due_date, currency, total_net, total_vat,
        total_gross, issued_at, updated_at)
      select $1, md5(n::text)::uuid, md5(n::text)::uuid, 'issued', n, '2026-01-01', '2026-01-01', 'EUR', 10, 0, 10, now(), now()
      from generate_series(1, $2::int) as n`);
    await insert(`
      insert into invoice_items (tenant_id, id, invoice_id, position, title, quantity, unit_price_net, vat_rate, line_total_net)
      select $1, gen_random_uuid(), md5(n::text)::uuid, position, 'x', 1, 5, 0, 5
      from generate_series(1, $2::int) as n, generate_series(1, 2) as position`);
    const worker = await work(service);
    const { file } = await exported(service, who, { type: 'list', resource: 'invoice-items' });
    expect(readCsv(file)).toHaveLength(2 * invoices);
    const year = { from: '2026-01-01', to: '2026-12-31' };
    const { row } = await exported(service, who, { type: 'datev', chart: 'skr03', ...year });
    expect(row).toMatchObject({ rows: invoices });
    await worker.stop();
    await insert(`
      insert into payments (tenant_id, id, invoice_id, amount, currency, paid_on)
      select $1, gen_random_uuid(), md5(n::text)::uuid, 10, 'EUR', '2026-01-02' from generate_series(1, $2::int) as n`);
    await givePartnerAccounts(await service.contextOf(who), year);
    expect(await who.db.partnerAccount.count()).toBe(invoices);
    await service.close();
    expect(await rowsRead(reader, tables)).toBeLessThan(60 * invoices);
  },
);
