import type { QueryResult } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asTenant, TenantPool } from '../../prisma/tenant/pool.ts';
import { startService, type Integrator, type Service, withoutTriggers } from '../harness.ts';
import { listNodes } from '../plans.ts';

// Under row-level security PostgreSQL uses an index only for what it trusts: see declareLeakproof() in prisma/migrate/leakproof.ts.

let service: Service;
let acme: Integrator;
let pool: TenantPool;

beforeAll(async () => {
  service = await startService();
  pool = new TenantPool({ connectionString: service.pool.options.connectionString, max: 1 });
  acme = await service.integrator();
  const { tenantId: other } = await service.integrator();
  const insert = (sql: string): Promise<unknown> =>
    withoutTriggers(service, (client) => client.query(sql, [[acme.tenantId, other]]));
  await insert(
    `insert into customers (tenant_id, id, type, company_name, updated_at)
     select tenant, gen_random_uuid(), 'customer', 'Company ' || md5(n::text), now()
     from unnest($1::uuid[]) as tenant, generate_series(1, 10000) as n`,
  );
  await insert(
    `insert into receipts (tenant_id, id, status, receipt_date, currency, amount_gross, vat_amount, amount_net, updated_at)
     select tenant, gen_random_uuid(), case when n % 1000 = 0 then 'booked' else 'draft' end::receipt_status, '2026-01-01',
       'EUR', n, 0, n, now()
     from unnest($1::uuid[]) as tenant, generate_series(1, 10000) as n`,
  );
  await service.pool.query('analyze customers; analyze receipts');
});
afterAll(async () => {
  await pool.end();
  await service.close();
});

const indexesOf = (explained: QueryResult): { index: string; condition: string }[] =>
  listNodes(explained).flatMap(({ 'Index Name': index, 'Index Cond': condition = '' }) =>
    index === undefined ? [] : [{ index, condition }],
  );

it.each([
  ['one by id', 'customers', `id = '01a1fd07-5d8d-769c-a882-6d541b6a8b16'`, 'customers_pkey', 'id'],
  ['the newest', 'customers', `true order by id desc limit 25`, 'customers_pkey', 'tenant_id'],
  ['a state', 'receipts', `status = 'booked' order by id desc limit 25`, 'receipts_tenant_id_status_id_idx', 'status'],
  ['a search', 'customers', `search_text like '%abcdef0%'`, 'customers_search_idx', 'search_text'],
  ['amounts', 'receipts', `amount_gross > 9990`, 'receipts_tenant_id_amount_gross_id_idx', 'amount_gross'],
])('of a tenant’s 10,000 rows, %s is found by the index', async (_what, table, condition, index, column) => {
  const explain = `explain (format json) select * from ${table} where tenant_id = '${acme.tenantId}' and ${condition}`;
  const withIt = indexesOf(await asTenant(acme.tenantId, () => pool.query(explain)));
  const without = indexesOf(await service.pool.query(explain));
  expect(withIt).toMatchObject([{ index, condition: expect.stringContaining(column) }]);
  expect(withIt.map((each) => each.index)).toEqual(without.map((each) => each.index));
});
