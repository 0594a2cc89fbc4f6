import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { migrate, migrations } from '../../prisma/migrate.ts';
import { createEmptyDatabase } from '../harness.ts';

// Receipts that are booked already get their supplier's country, from an owner whom row-level security binds.

const names = (await migrations()).map(({ name }) => name);
const tenants = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'];

it('receipts that are booked already get the country of their supplier', async () => {
  const superuser = new Client({ connectionString: `${inject('serverUrl')}/postgres` });
  await superuser.connect();
  const database = await createEmptyDatabase();
  const owner = new URL(database.url).pathname.slice(1);
  await superuser.query(`create role ${owner} login password 'secret'; grant kontor_books to ${owner}`);
  await superuser.query(`alter database ${owner} owner to ${owner}`);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`alter schema public owner to ${owner}`);
  const url = Object.assign(new URL(database.url), { username: owner, password: 'secret' }).href;
  try {
    const at = names.indexOf('20261127200000_supplier_country');
    await migrate(url, undefined, { last: names[at - 1] });
    await client.query(
      `insert into customers (tenant_id, id, type, company_name, country, vat_id, updated_at)
       select tenant, md5(tenant || name)::uuid, 'supplier', name, country, vat_id, now()
       from unnest($1::uuid[]) as tenant, (values
         ('address', 'FR', null), ('number', 'CH', 'EL123456789'), ('monaco', 'MC', null), ('neither', null, 'CHE123')
       ) as supplier (name, country, vat_id)`,
      [tenants],
    );
    await client.query(
      `insert into receipts (tenant_id, id, supplier_id, status, receipt_date, currency, amount_gross, vat_amount, amount_net, paid_at,
         updated_at)
       select tenant_id, gen_random_uuid(), id, status, '2026-01-01', 'EUR', 0, 0, 0, case status when 'paid' then now() end, now()
       from customers, unnest('{draft,booked,paid}'::receipt_status[]) as status`,
    );
    expect(await migrate(url)).toEqual(names.slice(at));
    const { rows } = await client.query(
      `select company_name as name, status::text, supplier_country as country, receipts.version, entry.after, count(*)::int as rows
       from receipts join customers on customers.tenant_id = receipts.tenant_id and customers.id = supplier_id
         left join audit_entries as entry on entry.resource_id = receipts.id and entry.action = 'updated'
       group by 1, 2, 3, 4, 5 order by 1, 2`,
    );
    const booked = (name: string, country: string): object[] =>
      ['booked', 'paid'].map((status) => ({ name, status, country, version: 2, after: { supplier_country: country } }));
    const same = (name: string, ...states: string[]): object[] =>
      states.map((status) => ({ name, status, country: null, version: 1, after: null }));
    const expected = [
      ...booked('address', 'FR'),
      ...same('address', 'draft'),
      ...booked('monaco', 'FR'),
      ...same('monaco', 'draft'),
      ...same('neither', 'booked', 'draft', 'paid'),
      ...booked('number', 'GR'),
      ...same('number', 'draft'),
    ];
    const byStatus = (row: object): string => JSON.stringify(row);
    expect(rows.map(byStatus).toSorted()).toEqual(expected.map((row) => byStatus({ ...row, rows: 2 })).toSorted());
    const forced = await client.query(
      `select relname from pg_class where relname in ('customers', 'receipts', 'changes') and relforcerowsecurity`,
    );
    expect(forced.rowCount).toBe(3);
  } finally {
    await client.end();
    await database.drop();
    await superuser.query(`revoke kontor_books from ${owner}; drop role ${owner}`);
    await superuser.end();
  }
});
