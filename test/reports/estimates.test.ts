import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCustomer } from '../graphql/books.ts';
import { listen, type Statement } from '../isolation/statements.ts';
import { listNodes, type PlanNode } from '../plans.ts';
import { startService, type Integrator, type Service, withoutTriggers } from '../harness.ts';

// Where most tenants have one invoice, PostgreSQL expects one of each tenant until it analyses its tables again. A report of a
// tenant with very many must not then take so long that the statement is ended.

let service: Service;
let who: Integrator;

const invoice = `insert into invoices (tenant_id, id, customer_id, status, number, invoice_date, due_date, currency, total_net,
  total_vat, total_gross, issued_at, updated_at, amount_paid, paid_at)`;
const line = `insert into invoice_items (tenant_id, id, invoice_id, position, title, quantity, unit_price_net, vat_rate, line_total_net)`;
const payment = `insert into payments (tenant_id, id, invoice_id, amount, currency, paid_on)`;
const receipt = `insert into receipts (tenant_id, id, status, receipt_date, currency, amount_net, vat_amount, amount_gross, amount_paid,
  paid_at, updated_at)`;
const receiptLine = `insert into receipt_lines (tenant_id, id, receipt_id, position, vat_category, vat_rate, amount_net, vat_amount,
  amount_gross)`;
const receiptPayment = `insert into payments (tenant_id, id, receipt_id, amount, currency, paid_on)`;
const amounts = `'EUR', 100, 19, 119, now(), now(), 119, now()`;

beforeAll(async () => {
  service = await startService();
  who = await service.integrator({ country: 'DE' });
  const customerId = await makeCustomer(who);
  await withoutTriggers(service, async (client) => {
    const tables = [
      'invoices',
      'invoice_items',
      'payments',
      'invoice_parties',
      'credit_notes',
      'receipts',
      'receipt_lines',
    ];
    for (const table of tables) await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await client.query(
      `create temporary table others on commit drop as select gen_random_uuid() as id from generate_series(1, 20000)`,
    );
    await client.query(`${invoice} select id, id, id, 'paid', 'N', '2026-01-01', '2026-12-01', ${amounts} from others`);
    await client.query(`${line} select id, id, id, 1, 'x', 1, 50, 19, 50 from others`);
    await client.query(`${payment} select id, id, id, 119, 'EUR', '2026-01-03' from others`);
    await client.query(
      `${receipt} select id, id, 'paid', '2026-01-01', 'EUR', 100, 19, 119, 119, now(), now() from others`,
    );
    await client.query(`${receiptLine} select id, id, id, 1, 'S', 19, 100, 19, 119 from others`);
    await client.query(`${receiptPayment} select id, gen_random_uuid(), id, 119, 'EUR', '2026-01-03' from others`);
    await client.query(`analyze ${tables.join(', ')}`);

    const ofTenant = [who.tenantId];
    await client.query(
      `${invoice} select $1, gen_random_uuid(), $2, 'paid', 'N-' || n, '2026-01-01'::date + n % 180, '2026-12-01', ${amounts}
       from generate_series(1, 10000) as n`,
      [who.tenantId, customerId],
    );
    await client.query(
      `${line} select $1, gen_random_uuid(), id, place, 'x', 1, 50, 19, 50 from invoices, generate_series(1, 2) as place
       where tenant_id = $1`,
      ofTenant,
    );
    await client.query(
      `${payment} select $1, gen_random_uuid(), id, 119, 'EUR', invoice_date + 3 from invoices where tenant_id = $1`,
      ofTenant,
    );
    await client.query(
      `insert into invoice_parties (tenant_id, id, seller, buyer) select $1, id, '{"country": "DE"}', '{"country": "FR"}'
       from invoices where tenant_id = $1`,
      ofTenant,
    );
    await client.query(
      `${receipt} select $1, gen_random_uuid(), 'paid', '2026-01-01'::date + n % 180, 'EUR', 100, 19, 119, 119, now(), now()
       from generate_series(1, 10000) as n`,
      ofTenant,
    );
    await client.query(
      `${receiptLine} select $1, gen_random_uuid(), id, place, 'S', 19, 50, 9.5, 59.5
       from receipts, generate_series(1, 2) as place where tenant_id = $1`,
      ofTenant,
    );
    await client.query(
      `${receiptPayment} select $1, gen_random_uuid(), id, 119, 'EUR', receipt_date + 3 from receipts where tenant_id = $1`,
      ofTenant,
    );
  });
});
afterAll(() => service.close());

const period = 'from=2026-01-01&to=2026-06-30';
it.each([
  `/reports/vat?${period}`,
  `/reports/vat?${period}&basis=cash`,
  `/reports/vat/documents?${period}&kind=output&vat_category=S&vat_rate=19&currency=EUR`,
  `/reports/profit-and-loss?${period}`,
  `/reports/profit-and-loss?${period}&basis=cash`,
  `/reports/profit-and-loss/documents?${period}&kind=revenue&currency=EUR`,
  `/reports/ec-sales?${period}`,
  '/reports/open-items?at=2026-05-01',
  '/reports/open-items?at=2026-05-01&side=payable',
  '/period-locks/check?until=2026-06-30',
])('GET %s', async (path) => {
  expect((await who.rest('GET', path)).status).toBe(200);
});

/** Answers a report. @returns the steps of its statement's plan */
async function explainReport(path: string): Promise<PlanNode[]> {
  const statements: Statement[] = [];
  const stop = listen((statement) => statements.push(statement));
  await who.rest('GET', path).finally(stop);
  const { text, values } = statements.find((statement) => statement.text.includes('invoice_items'))!;
  return withoutTriggers(service, async (client) => {
    await client.query('set local enable_nestloop = off'); // as for the report
    return listNodes(await client.query(`explain (analyze, format json) ${text}`, values));
  });
}

it.each(['/reports/vat', '/reports/ec-sales'])('GET %s looks nothing up for each invoice', async (path) => {
  const nodes = await explainReport(`${path}?${period}`);
  const repeated = nodes.filter((node) => node['Parent Relationship'] === 'SubPlan' && node['Actual Loops'] > 1);
  expect(repeated).toEqual([]);
});

it('a profit and loss by payments reads each table once for all months', async () => {
  const nodes = await explainReport(`/reports/profit-and-loss?${period}&basis=cash`);
  const reads = nodes.filter((node) => ['invoice_items', 'receipt_lines'].includes(node['Relation Name'] ?? ''));
  expect(reads.map((node) => node['Actual Loops'])).toEqual([1, 1]);
});

it('a report by payments splits an invoice that is paid once at one point', async () => {
  const nodes = await explainReport(`/reports/vat?${period}&basis=cash`);
  const points = nodes.filter((node) => node['CTE Name'] === 'invoice_point').map((node) => node['Actual Rows']);
  expect(Math.max(...points)).toBeGreaterThan(0);
  expect(Math.max(...points)).toBeLessThanOrEqual(10_000);
});

it('the overview, and aggregates', async () => {
  const { body } = await who.graphqlAnswer(`{
    overview { outstanding { amount } paidThisMonth { amount } months { month paid invoicedGross } }
    invoicesAggregate(groupBy: [STATUS]) { count }
  }`);
  expect(body.errors).toBeUndefined();
});
