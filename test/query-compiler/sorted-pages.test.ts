import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type UnscopedClient } from '../../prisma/client.ts';
import { PreparedStatementNames } from '../../prisma/connection/prepared-statement-names.ts';
import { QueryCompiler } from '../../prisma/query-compiler/query-compiler.ts';
import { scopedArguments } from '../../prisma/tenant/scoped-arguments.ts';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { createDatabase, type Database } from '../harness.ts';
import { listNodes } from '../plans.ts';

// A page that is filtered by related rows, in an order that no index has.

let database: Database;
let pool: Pool;
/** Prisma's, whose statements have names of their own. */
let elsewhere: Pool;
let client: UnscopedClient;
const reader = new QueryCompiler(new PreparedStatementNames(1000));
const [acme, other] = [randomUUID(), randomUUID()];
const countries = ['AT', 'CH', 'DE'];
const customers = 5000;

beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url, max: 2, options: '-c max_parallel_workers_per_gather=0' });
  elsewhere = new Pool({ connectionString: database.url, max: 2 });
  client = connect(elsewhere);
  await pool.query('alter table customers disable trigger user');
  await pool.query('alter table projects disable trigger user');
  // Both tenants have the same ids: what forgets the tenant finds too many.
  await pool.query(`insert into tenants (id, name, country) select id, 'Tenant', 'DE' from unnest($1::uuid[]) as id`, [
    [acme, other],
  ]);
  await pool.query(
    `insert into customers (tenant_id, id, type, company_name, country, external_id, updated_at)
     select tenant, md5(n::text)::uuid, 'customer', 'Customer', (array['AT', 'CH', 'DE', null])[1 + n % 4], 'crm-' || n, now()
     from unnest($1::uuid[]) as tenant, generate_series(1, $2::int) as n`,
    [[acme, other], customers],
  );
  await pool.query(
    `insert into projects (tenant_id, id, status, name, customer_id, budget_hours, currency, updated_at)
     select tenant, md5('p' || n)::uuid, 'active', 'Project ' || n % 5,
       case when n % 7 > 0 then md5((n * 13 % $2 + 1)::text)::uuid end, n % 100, 'EUR', now()
     from unnest($1::uuid[]) as tenant, generate_series(1, $2::int) as n`,
    [[acme, other], customers],
  );
  await pool.query('analyze customers; analyze projects');
});
afterAll(async () => {
  await client.$disconnect();
  await pool.end();
  await elsewhere.end();
  await database.drop();
});

const ofCustomer = fc.oneof(
  fc.record({ country: fc.constantFrom(...countries) }),
  fc.record({ country: fc.record({ not: fc.constantFrom(...countries) }) }),
  fc.constant({ country: null }),
  fc.record({ country: fc.record({ in: fc.subarray(countries) }), companyName: fc.constant('Customer') }),
);
const queries = fc.record({
  select: fc.constantFrom({ id: true }, { id: true, budgetHours: true, customer: { select: { country: true } } }),
  where: fc.record({
    AND: fc.tuple(
      fc.oneof(fc.constant({}), fc.record({ budgetHours: fc.record({ lt: fc.integer({ min: 0, max: 120 }) }) })),
      fc.oneof(
        fc.record({ customer: ofCustomer }),
        fc.record({ AND: fc.tuple(fc.record({ customer: ofCustomer }), fc.record({ customer: ofCustomer })) }),
        fc.record({ OR: fc.tuple(fc.record({ customer: ofCustomer }), fc.constant({ name: 'Project 1' })) }),
        fc.record({ NOT: fc.record({ customer: ofCustomer }) }),
      ),
    ),
  }),
  orderBy: fc
    .tuple(fc.constantFrom('asc', 'desc'), fc.constantFrom('asc', 'desc'))
    .map(([first, last]) => [{ budgetHours: first }, { id: last }]),
  take: fc.integer({ min: 1, max: 30 }),
  skip: fc.constantFrom(0, 3),
});

it('reads the rows that Prisma reads, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const { statement, decode } = reader.compile('Project', query, acme)!;
      const { rows } = await pool.query<unknown[]>(statement);
      const theirs = await asTenant(acme, () =>
        client.project.findMany(scopedArguments('findMany', query, acme) as object),
      );
      expect(JSON.stringify(rows.map(decode))).toBe(JSON.stringify(theirs));
    }),
    { numRuns: 60 },
  );
});

/** How many rows of a table PostgreSQL reads for the first 26 projects, by budget. */
async function countRead(table: string, customer: object): Promise<number> {
  const orderBy = [{ budgetHours: 'desc' }, { id: 'desc' }];
  const query = { select: { id: true }, where: { budgetHours: { lt: 50 }, customer }, orderBy, take: 26 };
  const { text, values } = reader.compile('Project', query, acme)!.statement;
  const explained = await pool.query(`explain (analyze, format json) ${text}`, values);
  return listNodes(explained)
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
}

it('looks related rows up until the page is full, instead of joining all of them', async () => {
  expect(await countRead('customers', { country: { not: 'FR' } })).toBeLessThan(200);
});

it('begins with the related rows where an index finds them', async () => {
  expect(await countRead('projects', { externalId: 'crm-14' })).toBeLessThan(20);
});
