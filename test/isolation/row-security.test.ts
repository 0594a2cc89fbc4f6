import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant, TenantPool } from '../../prisma/tenant/pool.ts';
import { tenantModels } from '../../prisma/client.ts';
import { onCluster } from '../citus/cluster.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { fill } from './books.ts';
import { nameless, refused } from './statements.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;
/** The role that requests run in, without anything of ours that would hold them to their tenant. */
let pool: TenantPool;
let books: string[];
let others: string[];

beforeAll(async () => {
  service = await startService();
  pool = new TenantPool({ connectionString: service.pool.options.connectionString, max: 2 });
  [acme, globex] = [await service.integrator(), await service.integrator()];
  await fill(acme);
  await fill(globex);
  const { rows } = await service.pool.query(`
    select n.nspname || '.' || c.relname as name, n.nspname = 'public' and exists (
      select from pg_constraint k join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
      where k.conrelid = c.oid and k.contype = 'p' and a.attname = 'tenant_id'
    ) and c.relname not in ('memberships', 'outbox', 'watchers') as books
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
      and not exists (
        select from pg_depend d join pg_extension x on x.oid = refobjid
        where d.objid = c.oid and d.deptype = 'e' and extname like 'citus%'
      )`);
  books = rows.filter((row) => row.books).map((row) => row.name);
  others = rows.filter((row) => !row.books).map((row) => row.name);
});
afterAll(async () => {
  await pool.end();
  await service.close();
});

const asAcme = (sql: string, values: unknown[] = []) => asTenant(acme.tenantId, () => pool.query(sql, values));

/** Tables whose rows can be added, but never changed or deleted. Of a credit note, only what is refunded changes. */
const permanent = new Set(
  [
    'invoice_parties',
    'invoice_files',
    'document_proofs',
    'credit_notes',
    'credit_note_items',
    'audit_entries',
    'audit_seals',
    'anchors',
    'bank_statements',
  ].map((name) => `public.${name}`),
);
const isPermanent = (table: string): boolean => permanent.has(table);
/** Tables whose rows can be deleted, but of which only a mark changes. */
const isUnchangeable = (table: string): boolean => table === 'public.company_logos';

/** A credit has negative amounts. */
const alsoSet: Record<string, string> = {
  credited_receipt_id: ', amount_gross = -amount_gross, amount_net = -amount_net, vat_amount = -vat_amount',
};

/** Each table is a case of its own in the message, as their list is known only to the database. */
async function ofEachTable(check: (table: string) => Promise<void>): Promise<void> {
  expect(books).toHaveLength(tenantModels.size);
  for (const table of books) {
    await check(table).catch((error: unknown) => {
      throw new Error(`${table}: ${(error as Error).message}`, { cause: error });
    });
  }
}

describe('row-level security, forced, on every tenant table, for a role that owns nothing', () => {
  it('is forced on every tenant table, with one policy for that role', async () => {
    const policy = `(tenant_id = (NULLIF(current_setting('kontor.tenant_id'::text, true), ''::text))::uuid)`;
    await ofEachTable(async (table) => {
      const { rows } = await service.pool.query(
        `select relrowsecurity as enabled, relforcerowsecurity as forced, polcmd as command, polpermissive as permissive,
           array(select rolname::text from pg_roles where oid = any (polroles)) as roles,
           pg_get_expr(polqual, polrelid) as using, pg_get_expr(polwithcheck, polrelid) as check
         from pg_class left join pg_policy on polrelid = pg_class.oid where pg_class.oid = $1::regclass
         order by polname desc`,
        [table],
      );
      const all = { command: '*', permissive: true, roles: ['kontor_books'], using: policy, check: null };
      // Of the audit log, one for every other role: triggers on tables of identity write to it as the owner.
      const isOther = `(CURRENT_USER <> 'kontor_books'::name)`;
      const ofOthers = table.includes('audit_') ? [{ ...all, roles: [], using: isOther, check: isOther }] : [];
      // Of the others, one for the owner, who deletes a tenant.
      const isDeleted = policy.replace("tenant_id'", "deleted_tenant'");
      const ofOwner = ofOthers.length > 0 ? [] : [{ ...all, roles: ['postgres'], using: isDeleted }];
      expect(rows).toEqual([all, ...ofOthers, ...ofOwner].map((each) => ({ enabled: true, forced: true, ...each })));
    });
  });

  it('an empty setting of the tenant shows no rows', async () => {
    await ofEachTable(async (table) => {
      expect((await asTenant('', () => pool.query(`select from ${table}`))).rowCount).toBe(0);
    });
  });

  it('the role owns nothing, is a member of no other role, and can’t bypass it', async () => {
    const { rows } = await service.pool.query(`
      select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
        (select count(*)::int from pg_shdepend where refobjid = r.oid and deptype = 'o') as owned,
        (select count(*)::int from pg_auth_members where member = r.oid) as memberships
      from pg_roles r where rolname = 'kontor_books'`);
    const no = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false };
    expect(rows).toEqual([{ ...no, rolreplication: false, owned: 0, memberships: 0 }]);
  });

  it('the role has no rights on tables of identity or the queue; it may announce, and see watchers', async () => {
    expect(others).toContain('public.users');
    expect(others).toContain('graphile_worker._private_jobs');
    const exceptions: Record<string, string[]> = { 'public.outbox': ['insert'], 'public.watchers': ['select'] };
    for (const table of others) {
      const { rows } = await service.pool.query<{ privilege: string }>(
        `select privilege from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as privilege
         where $1::regclass::text !~ '_seq$' and has_table_privilege('kontor_books', $1, privilege)`,
        [table],
      );
      const granted = rows.map(({ privilege }) => privilege);
      expect({ table, granted }).toEqual({ table, granted: exceptions[table] ?? [] });
    }
    await expect(asAcme('select * from users')).rejects.toMatchObject({ code: '42501' });
    await expect(asAcme(`select graphile_worker.add_job('deliver')`)).rejects.toMatchObject({ code: '42501' });
    await expect(asAcme(`select add_jobs($1, 'deliver', '{}')`, [acme.tenantId])).rejects.toMatchObject({
      code: '42501',
    });
    await expect(asAcme(`select queue_jobs('deliver', '{}')`)).rejects.toMatchObject({ code: '42501' });
  });

  it('the role can neither add jobs to the outbox, nor announce to another tenant, nor see its watchers', async () => {
    const announce = `insert into outbox (tenant_id, channel, announcement) values ($1, 'changes', 'customer')`;
    expect((await asAcme(announce, [acme.tenantId])).rowCount).toBe(1);
    await expect(asAcme(announce, [globex.tenantId])).rejects.toMatchObject({ code: '42501' });
    const addJob = `insert into outbox (tenant_id, task, payloads) values ($1, 'deliver', array['{}'::json])`;
    await expect(asAcme(addJob, [acme.tenantId])).rejects.toMatchObject({ code: '42501' });
    await expect(asAcme('select from outbox')).rejects.toMatchObject({ code: '42501' });
    for (const { tenantId } of [acme, globex])
      await service.pool.query(
        `insert into watchers (tenant_id, id, channel, connection_id, seen_at)
         values ($1, gen_random_uuid(), 'changes', gen_random_uuid(), now())`,
        [tenantId],
      );
    expect((await asAcme('select tenant_id from watchers')).rows).toEqual([{ tenant_id: acme.tenantId }]);
    await service.pool.query('delete from outbox; delete from watchers');
  });

  it('the role can only read and write rows of the tenant tables', async () => {
    await ofEachTable(async (table) => {
      const { rows } = await service.pool.query(
        `select array_agg(privilege_type::text order by privilege_type) as granted
         from pg_class, aclexplode(relacl) where oid = $1::regclass and grantee = 'kontor_books'::regrole`,
        [table],
      );
      const changes = isPermanent(table) ? [] : isUnchangeable(table) ? ['DELETE'] : ['DELETE', 'UPDATE'];
      expect(rows[0]?.granted.toSorted()).toEqual(['INSERT', 'SELECT', ...changes].toSorted());
    });
  });

  it('the role can’t create triggers with the functions that add jobs as the owner', async () => {
    await asTenant(acme.tenantId, async () => {
      const client = await pool.connect();
      try {
        await client.query('create temp table events (tenant_id uuid, id uuid, type text)');
        await expect(
          client.query(`create trigger forged after insert on pg_temp.events referencing new table as inserted
            for each statement execute function add_fan_out_jobs()`),
        ).rejects.toMatchObject({ code: '42501' });
      } finally {
        client.release(true);
      }
    });
  });
});

/** Citus refuses statements that set `tenant_id`, whoever sends them. */
const keepsTenant = onCluster('they set tenant_id');

/** A statement that inserts a copy of a row of a table, with other values: an expression of JSON. */
async function copyOf(table: string, values: string): Promise<string> {
  const { rows } = await service.pool.query<{ names: string }>(
    `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const names = rows[0]?.names ?? '';
  const copied = names.replaceAll(/(^|, )/g, '$1copy.');
  return `insert into ${table} (${names}) select ${copied} from ${table} as mine,
    jsonb_populate_record(null::${table}, to_jsonb(mine) || ${values}) as copy limit 1`;
}

/** A payment settles one thing. */
const oneThing = (column: string): object =>
  Object.fromEntries(
    ['invoice_id', 'receipt_id', 'credit_note_id'].filter((name) => name !== column).map((name) => [name, null]),
  );
const nothing = { amount_gross: 0, vat_amount: 0, amount_net: 0, amount_paid: 0 };
const reversals: Record<string, object> = {
  payments: { amount: -1, reversed_at: null },
  receipts: { ...nothing, status: 'reversed', paid_at: null, external_id: null, reversed_at: null },
};

describe('with every application-side filter switched off, a foreign row', () => {
  const theirs = (table: string) =>
    service.pool.query(`select * from ${table} where tenant_id = $1`, [globex.tenantId]);

  it('can’t be read, by any table', async () => {
    await ofEachTable(async (table) => {
      expect((await theirs(table)).rowCount).toBeGreaterThan(0);
      expect((await asAcme(`select from ${table} where tenant_id = $1`, [globex.tenantId])).rowCount).toBe(0);
      const { rows } = await asAcme(`select distinct tenant_id as id from ${table}`);
      expect(rows).toEqual([{ id: acme.tenantId }]);
    });
  });

  it('can’t be read through Prisma without our filters', async () => {
    for (const name of tenantModels) {
      const model = service.books.client[`${name[0]?.toLowerCase()}${name.slice(1)}` as 'customer'];
      const rows = await asTenant(acme.tenantId, async () => await model.findMany());
      nameless.clear(); // on purpose
      expect([name, ...new Set(rows.map(({ tenantId }) => tenantId))]).toEqual([name, acme.tenantId]);
    }
  });

  it('can’t be updated or deleted, by any table', async () => {
    await ofEachTable(async (table) => {
      const before = (await theirs(table)).rows;
      if (isPermanent(table)) {
        const update = keepsTenant ? [] : [`update ${table} set tenant_id = tenant_id`];
        for (const sql of [...update, `delete from ${table}`])
          await expect(asAcme(sql)).rejects.toMatchObject({ code: '42501' });
        return;
      }
      const take = `update ${table} set tenant_id = $1 where tenant_id <> $1`;
      if (isUnchangeable(table)) await expect(asAcme(take, [acme.tenantId])).rejects.toMatchObject({ code: '42501' });
      else if (!keepsTenant) expect((await asAcme(take, [acme.tenantId])).rowCount).toBe(0);
      expect((await asAcme(`delete from ${table} where tenant_id = $1`, [globex.tenantId])).rowCount).toBe(0);
      expect((await asAcme(`select from ${table} where tenant_id = $1 for update`, [globex.tenantId])).rowCount).toBe(
        0,
      );
      expect((await theirs(table)).rows).toEqual(before);
    });
    refused.clear(); // on purpose
  });

  it.skipIf(keepsTenant || onCluster('it reads what it inserts'))(
    'can’t be written: neither as a new row nor by giving an own one away',
    async () => {
      await ofEachTable(async (table) => {
        const copy = await copyOf(table, `jsonb_build_object('tenant_id', $1::text)`);
        await expect(asAcme(copy, [globex.tenantId])).rejects.toMatchObject({ code: '42501' });
        const give = asAcme(`update ${table} set tenant_id = $1`, [globex.tenantId]);
        await expect(give).rejects.toMatchObject({ code: '42501' });
      });
      refused.clear(); // on purpose
    },
  );

  it.skipIf(onCluster('its statements look for any row, of any tenant'))(
    'can’t be referred to, by any foreign key',
    async () => {
      const { rows: keys } = await service.pool.query(
        `
      select conrelid::regclass::text as table, confrelid::regclass::text as target, a.attname as column
      from pg_constraint join pg_attribute a on a.attrelid = conrelid and a.attnum = any (conkey)
      where contype = 'f' and conrelid::regclass::text = any ($1) and a.attname <> 'tenant_id'`,
        [books.map((name) => name.replace('public.', ''))],
      );
      expect(keys.length).toBeGreaterThan(12);
      for (const { table, target, column } of keys) {
        const { rows } = await theirs(target);
        const values = {
          id: randomUUID(),
          [column]: rows[0].id,
          ...(table === 'payments' && column.endsWith('_id') && column !== 'bank_transaction_id' && oneThing(column)),
          ...(column === 'reversal_of' && reversals[table]),
          ...(column === 'customer_id' && table === 'payments' && { kind: 'overpayment' }),
        };
        // Payments, and reversals, never change: a new one is refused.
        const sql =
          table === 'payments' || column === 'reversal_of'
            ? await copyOf(table, '$1::jsonb')
            : `update ${table} set ${column} = $1 ${alsoSet[column] ?? ''} where ctid = (select ctid from ${table} limit 1)`;
        const code = isPermanent(`public.${table}`) ? '42501' : '23503';
        const given = sql.startsWith('insert') ? JSON.stringify(values) : rows[0].id;
        await expect(asAcme(sql, [given]), `${table}.${column}`).rejects.toMatchObject({ code });
      }
    },
  );

  it('is not visible without a tenant either: no row is', async () => {
    await expect(pool.query('select 1')).rejects.toThrow('The books are opened in the name of a tenant only');
    await expect(pool.connect()).rejects.toThrow('The books are opened in the name of a tenant only');
    await ofEachTable(async (table) => {
      const client = await service.pool.connect();
      try {
        await client.query('begin; set local role kontor_books');
        expect((await client.query(`select from ${table}`)).rowCount).toBe(0);
      } finally {
        await client.query('rollback');
        client.release(true);
      }
    });
  });
});
