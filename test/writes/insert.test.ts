import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Prisma, tenantModels, type Rows } from '../../prisma/client.ts';
import { Connection } from '../../prisma/connection/connection.ts';
import { tables, type Column } from '../../prisma/tables.ts';
import { makeCustomer } from '../graphql/books.ts';
import { gateway, startService, type Integrator, type Service } from '../harness.ts';
import { listen } from '../isolation/statements.ts';
import { takenApart } from '../query-compiler/rows.ts';

let service: Service;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '\\', '"', "'", '{}', 'null', '\\x00', 'ß\u2028\u{1f600}'),
  )
  .map((any) => any.replaceAll('\0', ''));

/** Of a JSON object. Prisma drops the key `__proto__`, and reads a key with a quote wrongly. We do neither. */
const key = text.filter((any) => any !== '__proto__' && !/["\\]/.test(any));

/** A value that fits a column of any precision. */
function valueFor({ type, native, enumeration }: Column): fc.Arbitrary<unknown> {
  if (enumeration) return fc.constantFrom(...enumeration.values.keys());
  switch (type) {
    case 'String':
      return native === 'Uuid' ? fc.uuid() : text;
    case 'Int':
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case 'BigInt':
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case 'Boolean':
      return fc.boolean();
    case 'Decimal':
      return fc.integer({ min: -99_999, max: 99_999 }).map((cents) => new Prisma.Decimal(cents).dividedBy(100));
    case 'DateTime': {
      const time = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
      return native === 'Date' ? time.map((any) => new Date(any.toISOString().slice(0, 10))) : time;
    }
    case 'Bytes':
      return fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes));
    case 'Json':
      return fc.dictionary(key, fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 2 })), { maxKeys: 3 });
    default:
      throw new Error(`Nothing is known to put into a column of type ${type}`);
  }
}

/** Random values of a model's row. Null is for columns without a default; optional columns are sometimes left out. */
const dataFor = (columns: Column[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      columns.map((column) => {
        const value = column.isList ? fc.array(valueFor(column), { maxLength: 3 }) : valueFor(column);
        return [column.name, column.nullable && column.type !== 'Json' ? fc.option(value) : value];
      }),
    ),
    { requiredKeys: columns.filter((each) => !each.nullable && each.initial === null).map(({ name }) => name) },
  );

interface Delegate {
  create(args: object): Promise<Record<string, unknown>>;
  findFirst(args?: object): Promise<Record<string, unknown> | null>;
  deleteMany(args?: object): Promise<unknown>;
}

describe('insert() writes the same defaults, nulls, and values as Prisma’s create()', () => {
  beforeAll(async () => {
    // So that a row of any table can stand by itself, whatever is in it.
    const { rows } = await service.pool.query<{ drop: string }>(`
      select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop from pg_constraint
      where contype in ('c', 'f') and connamespace = 'public'::regnamespace`);
    for (const { drop } of rows) await service.pool.query(drop);
    // This test deletes the rows that the service can't delete, and what triggers wrote for them would stay.
    for (const table of ['invoices', 'credit_notes'])
      await service.pool.query(`alter table ${table} disable trigger add_unproven_document`);
    await service.pool.query('grant update, delete on all tables in schema public to kontor_books');
    await service.pool.query('drop trigger refuse_deletion_of_issued on invoices');
    for (const trigger of [
      'refuse_deletion on period_locks',
      'refuse_deletion on payments',
      'refuse_deletion_of_booked on receipts',
      'freeze_supplier_country on receipts',
    ])
      await service.pool.query(`drop trigger ${trigger}`);
    const { rows: audited } = await service.pool.query<{ drop: string }>(`
      select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop from pg_trigger
      where tgname like 'record_audit%' or tgrelid in ('audit_entries'::regclass, 'audit_seals'::regclass, 'anchors'::regclass) and not tgisinternal`);
    for (const { drop } of audited) await service.pool.query(drop);
    await service.pool.query('delete from audit_entries');
  });

  const known = [...tenantModels].filter((model) => model !== 'RowCount'); // whose ids PostgreSQL makes

  it.each(known)('%s', async (model) => {
    const { table, fields } = tables.get(model) ?? { table: '', fields: new Map() };
    const columns = [...fields.values()].filter(
      ({ kind, name, isGenerated }) => kind === 'column' && name !== 'tenantId' && !isGenerated,
    );
    const generated = new Set([...fields.values()].filter(({ isGenerated }) => isGenerated).map(({ name }) => name));
    const delegate = acme.db[`${model[0]?.toLowerCase()}${model.slice(1)}` as 'customer'] as unknown as Delegate;
    const only = async (): Promise<Record<string, unknown>> =>
      (await service.pool.query(`select * from ${table} where tenant_id = $1`, [acme.tenantId])).rows[0];

    await fc.assert(
      fc.asyncProperty(dataFor(columns), async (data) => {
        const created = await delegate.create({ data });
        const ofPrisma = await only();
        await delegate.deleteMany();
        const row = acme.db.row(model, data as never);
        await acme.db.insert({ [model]: [row] });
        const ofOurs = await only();
        const read = await delegate.findFirst();
        await delegate.deleteMany();

        // Of what is made anew each time, only what it is.
        for (const { name, column, initial } of columns) {
          if (name in data || !(initial as { name?: string } | null)?.name) continue;
          const kind = name === 'id' ? expect.stringMatching(/^\w{8}-\w{4}-7\w{3}-\w{4}-\w{12}$/) : expect.any(Date);
          for (const each of [created, read, row]) {
            expect(each).toMatchObject({ [name]: kind });
            Object.assign(each as object, { [name]: kind });
          }
          for (const each of [ofPrisma, ofOurs]) each[column] = kind;
        }
        expect(ofOurs).toEqual(ofPrisma);
        expect(takenApart(read)).toEqual(created);
        // So that nobody need read it. No field shows what PostgreSQL generates.
        expect(row).toEqual(Object.fromEntries(Object.entries(created).filter(([name]) => !generated.has(name))));
      }),
      { numRuns: 25 },
    );
  });
});

describe('rows are written by one statement', () => {
  const newProject = (customerId: string) => acme.db.row('Project', { name: 'x', currency: 'EUR', customerId });
  const broken = () => newProject(crypto.randomUUID());

  beforeAll(async () => {
    await service.close();
    service = await startService();
  });

  it('all of them or none, also inside a transaction that continues', async () => {
    const rows = (): Rows => ({
      Customer: [acme.db.row('Customer', { type: 'CUSTOMER', companyName: 'x' })],
      Project: [broken()],
    });
    await expect(acme.db.insert(rows())).rejects.toMatchObject({ code: 'P2003' });
    await acme.db.$transaction(async (outer) => {
      await expect(outer.$transaction((inner) => inner.insert(rows()))).rejects.toMatchObject({ code: 'P2003' });
      await outer.insert({ Customer: [outer.row('Customer', { type: 'CUSTOMER', companyName: 'The second' })] });
    });
    expect(await acme.db.customer.findMany({ select: { companyName: true } })).toEqual([{ companyName: 'The second' }]);
  });

  it('also if they refer to each other', async () => {
    const customer = acme.db.row('Customer', { type: 'CUSTOMER', companyName: 'x' });
    const project = acme.db.row('Project', { name: 'x', currency: 'EUR', customerId: customer.id });
    await acme.db.insert({ Customer: [customer], Project: [project] });
    expect(await acme.db.project.findFirst({ include: { customer: true } })).toEqual({ ...project, customer });
  });

  it('with Prisma’s error for a violated unique key', async () => {
    const id = await makeCustomer(acme);
    const again = acme.db.row('Customer', { id, type: 'CUSTOMER', companyName: 'x' });
    await expect(acme.db.insert({ Customer: [again] })).rejects.toMatchObject({ code: 'P2002' });
  });

  it('and rows with very many values by several, in one transaction', async () => {
    const sent: { text: string; values: unknown[] }[] = [];
    const silence = listen((statement) => void sent.push(statement));
    const customers = Array.from({ length: 1000 }, () =>
      acme.db.row('Customer', { type: 'SUPPLIER', companyName: 'x' }),
    );
    const rows: Rows = { Customer: customers, Project: customers.map(({ id }) => newProject(id)) };
    await acme.db.insert(rows);
    silence();
    const inserts = sent.filter(({ text: each }) => each.startsWith('with') || each.startsWith('insert'));
    const begin = gateway.distributed ? [] : ['BEGIN']; // where it says whose the transaction is
    expect(sent.map(({ text: each }) => each).filter((each) => /^(?:BEGIN|COMMIT)$/.test(each))).toEqual([
      ...begin,
      'COMMIT',
    ]);
    expect(inserts.length).toBeGreaterThan(4);
    expect(Math.max(...inserts.map(({ values }) => values.length))).toBeLessThanOrEqual(4000);
    expect([await acme.db.customer.count(), await acme.db.project.count()]).toEqual([1000, 1000]);

    const bad = { Customer: customers.map((row) => ({ ...row, id: crypto.randomUUID() })), Project: [broken()] };
    await expect(acme.db.insert(bad)).rejects.toMatchObject({ code: 'P2003' });
    expect(await acme.db.customer.count()).toBe(1000);
  });

  it('none where there are none', async () => {
    await acme.db.insert({ Customer: [], Project: [] });
    expect(await acme.db.customer.count()).toBe(0);
  });

  it('whose plan is used again for as many rows', async () => {
    const names = new Set<unknown>();
    const run = vi.spyOn(Connection.prototype, 'run');
    for (let times = 0; times < 4; times += 1)
      await acme.db.insert({ Customer: [acme.db.row('Customer', { type: 'SUPPLIER', companyName: 'x' })] });
    for (const [statement] of run.mock.calls) if (statement.text.startsWith('insert')) names.add(statement.name);
    run.mockRestore();
    expect([...names].filter(Boolean)).toHaveLength(1);
  });
});

describe('insert() is scoped to the tenant', () => {
  it('a row is written for the client’s tenant, also if it was built for another', async () => {
    const globex = await service.integrator();
    const row = globex.db.row('Customer', { type: 'CUSTOMER', companyName: 'x' });
    await acme.db.insert({ Customer: [row] });
    await acme.db.$transaction((inside) => inside.insert({ Customer: [{ ...row, id: crypto.randomUUID() }] }));
    expect([await acme.db.customer.count(), await globex.db.customer.count()]).toEqual([2, 0]);
  });

  it('a row can not refer to another tenant’s', async () => {
    const customerId = await makeCustomer(await service.integrator());
    const project = acme.db.row('Project', { name: 'x', currency: 'EUR', customerId });
    await expect(acme.db.insert({ Project: [project] })).rejects.toMatchObject({ code: 'P2003' });
  });

  it('only tables of the books can be written, and only with the tenant’s id', async () => {
    const worker = acme.db.row('Worker', { id: 'x', seenAt: new Date() });
    await expect(acme.db.insert({ Worker: [worker] })).rejects.toThrow('not a table of the books');
    let sql = '';
    const silence = listen((statement) => (sql = statement.text));
    await acme.db.insert({ Customer: [acme.db.row('Customer', { type: 'CUSTOMER', companyName: 'x' })] });
    silence();
    const globex = await service.integrator();
    const inTheirName = globex.db.$transaction((inside) => inside.$executeRawUnsafe(sql, acme.tenantId, '[]'));
    await expect(inTheirName).rejects.toThrow('refuses raw SQL');
  });
});
