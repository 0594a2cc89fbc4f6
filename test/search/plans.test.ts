import { beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../../prisma/tenant/pool.ts';
import type { Integrator } from '../harness.ts';
import { listen, type Statement } from '../isolation/statements.ts';
import { listNodes, type PlanNode } from '../plans.ts';
import { service, serveSearches, path } from './customers.ts';

serveSearches();

describe('with 100,000 customers', () => {
  let busy: Integrator;
  let asciiOnly: boolean;
  /** Five tenants have this many each. For a tenant with half of all customers, a sequential scan may be the best plan. */
  const customersEach = 20_000;

  beforeAll(async () => {
    busy = await service.integrator({ name: 'Busy' });
    const others = await Promise.all([1, 2, 3, 4].map(() => service.integrator({ name: 'Busy too' })));
    const client = await service.pool.connect();
    const { rows } = await client.query(`select pg_get_indexdef('customers_search_idx'::regclass) as definition`);
    await client.query('drop index customers_search_idx'); // It is faster to build it after the rows are inserted.
    // Every thousandth is a doctor, every thousandth is in Athens: 20 of each per tenant.
    await client.query(
      `insert into customers (tenant_id, id, type, company_name, email, city, vat_id, updated_at)
      select tenant, uuidv7(), case when n % 3 = 0 then 'supplier' else 'customer' end::customer_type,
        case n % 1000 when 7 then 'Die Ärzte ' else 'Partner ' end || n || ' GmbH',
        'office' || n || '@' || substr(md5(n::text), 1, 8) || '.example',
        case n % 1000 when 8 then 'Αθήνα' else (array['Berlin', 'München', 'Zürich', 'Łódź', 'Москва'])[1 + n % 5] end,
        'DE' || lpad((n * 7919 % 1000000007)::text, 9, '0'), now()
      from generate_series(1, ${customersEach}) n cross join unnest($1::uuid[]) tenant`,
      [[busy, ...others].map(({ tenantId }) => tenantId)],
    );
    await client.query(rows[0].definition);
    // With this target ANALYZE reads all rows. A random sample would give other plans on each run.
    await client.query('set default_statistics_target = 1000');
    await client.query('vacuum analyze customers');
    client.release(true);
    // initdb lists the system's locales in pg_collation.
    const { rowCount } = await service.pool.query(
      `select from pg_collation where collprovider = 'c' and collctype ~* '^C.UTF-?8$'`,
    );
    asciiOnly = rowCount === 0;
  });

  /** The plan of a page's statement: its list, and its count. */
  async function plansOf(q: string): Promise<{ total: number; list: PlanNode[]; count: PlanNode[] }> {
    const { pool } = service.books;
    const sent: Statement[] = [];
    const stop = listen((statement) => sent.push(statement));
    const { status, body } = await busy.rest('GET', path(q)).finally(stop);
    expect(status).toBe(200);

    const { total } = body.meta;
    const [{ text, values }, ...others] = sent.filter((each) => each.text.includes('"customers"')) as [Statement];
    expect(others).toEqual([]); // nor is a list without rows counted apart
    const explain = `explain (analyze, buffers, format json) ${text}`;
    const plan = listNodes(await asTenant(busy.tenantId, () => pool.query(explain, values)));
    const { true: count = [], false: list = [] } = Object.groupBy(plan, ({ isOfTotal }) => String(isOfTotal));
    for (const part of [list, count]) expect(rowsRead(part)).toBeGreaterThanOrEqual(total > 0 ? 1 : 0);
    return { total, list, count };
  }

  /** How many rows of customers the plan read. */
  const rowsRead = (plan: PlanNode[]): number =>
    plan
      .filter((node) => node['Relation Name'] === 'customers')
      .map((n) => n['Actual Rows'] + (n['Rows Removed by Filter'] ?? 0) + (n['Rows Removed by Index Recheck'] ?? 0))
      .reduce((a, b) => a + b, 0);

  /** How many blocks of the trigram index the plan read. */
  const indexBlocks = (plan: PlanNode[]): number =>
    plan
      .filter((node) => node['Index Name'] === 'customers_search_idx')
      .reduce((sum, node) => sum + node['Shared Hit Blocks'] + node['Shared Read Blocks'], 0);

  const scans = (plan: PlanNode[]): string[] => [
    ...new Set(plan.filter((node) => /Scan/.test(node['Node Type'])).map((n) => n['Index Name'] ?? n['Node Type'])),
  ];

  it.for<[string, string, number]>([
    ['a name', 'partner office14711@', 1],
    ['a part of an e-mail address', 'OFFICE11415@', 1],
    ['a VAT number', '000007919', 1],
    ['a text that matches nothing', 'no such thing', 0],
    ['letters beyond ASCII', 'ärzte', 20],
    ['words in any order, of several fields', 'ÄRZTE 10007 office', 1],
    ['letters beyond ASCII in capitals', 'DIE ÄRZTE', 20],
    ['letters outside ASCII only', 'ΑΘΉΝΑ', 20],
    ['a Greek word with a final sigma', 'Αθήνας', 0],
    ['letters outside ASCII only that match nothing', 'дом', 0],
  ])('list and count use the trigram index: %s', async ([, q, total], { skip }) => {
    skip(asciiOnly && /[^ -~]/.test(q), 'the system has no C.UTF-8: for pg_trgm, letters are those of ASCII');
    const plans = await plansOf(q);
    expect(plans.total).toBe(total);
    for (const plan of [plans.list, plans.count]) {
      expect(scans(plan)).toEqual(['Bitmap Heap Scan', 'customers_search_idx']);
      expect(rowsRead(plan)).toBeLessThanOrEqual(total + customersEach / 1000);
    }
  });

  it('the list reads few rows beyond its page when all customers match q', async () => {
    const { total, list, count } = await plansOf('gmbh');
    expect(total).toBe(customersEach);
    expect(scans(list)).toEqual(['customers_pkey']);
    expect(rowsRead(list)).toBeLessThanOrEqual(200);
    expect(rowsRead(count)).toBe(customersEach);
  });

  it.each(['a', 'ä', '%', 'q'])("a q too short for trigrams, %s, reads no other tenant's customers", async (q) => {
    const { list, count } = await plansOf(q);
    expect(rowsRead(list)).toBeLessThanOrEqual(customersEach);
    expect(rowsRead(count)).toBeLessThanOrEqual(customersEach);
  });

  it('after many customers were added, a search reads no more of the index than of a new one', async () => {
    const before = await plansOf('office11415@');
    const data = Array.from({ length: 2000 }, (_, n) => ({
      type: 'CUSTOMER' as const,
      companyName: `Newcomer ${n} KG`,
      email: `newcomer${n}@example.com`,
    }));
    await busy.db.customer.createMany({ data });
    const after = await plansOf('office11415@');
    expect(after.total).toBe(1);
    for (const plan of [after.list, after.count]) expect(scans(plan)).toEqual(scans(before.list));
    // With a list of pending entries, every search would read it as well.
    await service.pool.query('reindex index customers_search_idx');
    const rebuilt = await plansOf('office11415@');
    expect(indexBlocks(after.count)).toBeLessThanOrEqual(1.2 * indexBlocks(rebuilt.count));
  });
});
