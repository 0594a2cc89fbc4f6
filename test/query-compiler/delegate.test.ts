import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { openBooks, forTenant, type Books, type Db, type TenantClient } from '../../prisma/client.ts';
import { PreparedStatementNames } from '../../prisma/connection/prepared-statement-names.ts';
import { onCluster } from '../citus/cluster.ts';
import { startService, type Service, withoutTriggers } from '../harness.ts';
import { isOverhead, listen } from '../isolation/statements.ts';

let service: Service;
let books: Books;
let tenantId: string;
let db: TenantClient;

beforeAll(async () => {
  service = await startService();
  ({ tenantId } = await service.integrator());
  books = openBooks({ connectionString: service.pool.options.connectionString ?? '', max: 1 });
  db = forTenant(books, tenantId);
  const cities = ['Rome', 'Rome', 'Kiel', null];
  await db.customer.createMany({ data: cities.map((city, at) => ({ type: 'CUSTOMER', companyName: `${at}`, city })) });
});
afterAll(async () => {
  await books.close();
  await service.close();
});

/** The statements sent meanwhile, but for what enters the books. */
async function sent(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const stop = listen(({ text }) => texts.push(text));
  await work().finally(stop);
  return texts.filter((text) => !isOverhead(text));
}

const isPrismas = (text: string): boolean => text.startsWith('SELECT');
const names = async (find: (customer: Db['customer']) => Promise<{ companyName: string }[]>, within: Db = db) =>
  (await find(within.customer)).map(({ companyName }) => companyName);

describe('queries that the compiler doesn’t support go to Prisma', () => {
  it.each<[string, (customer: Db['customer']) => Promise<{ companyName: string }[]>, string[]]>([
    [
      'every',
      (customer) => customer.findMany({ where: { companyName: '0', invoices: { every: { number: '1' } } } }),
      ['0'],
    ],
    ['distinct', (customer) => customer.findMany({ distinct: 'city', orderBy: { id: 'asc' } }), ['0', '2', '3']],
    ['the last of them', (customer) => customer.findMany({ take: -1, orderBy: { id: 'asc' } }), ['3']],
    [
      'nulls first',
      (customer) => customer.findMany({ take: 1, orderBy: { city: { sort: 'asc', nulls: 'first' } } }),
      ['3'],
    ],
    [
      'a relation’s count',
      (customer) => customer.findMany({ take: 1, orderBy: [{ invoices: { _count: 'asc' } }, { id: 'desc' }] }),
      ['3'],
    ],
    [
      'a condition that says nothing',
      (customer) => customer.findMany({ where: { OR: [{}, { companyName: '1' }] } }),
      ['1'],
    ],
    [
      'a column of the same row',
      (customer) =>
        customer.findMany({ where: { companyName: { equals: books.client.customer.fields.companyName } }, take: 1 }),
      ['0'],
    ],
  ])('%s', async (_what, find, expected) => {
    const [statement = ''] = await sent(async () => expect(await names(find)).toEqual(expected));
    expect(statement).toSatisfy(isPrismas);
  });

  it.each<[string, (customer: Db['customer']) => Promise<unknown>]>([
    ['an unknown field', (customer) => customer.findMany({ where: { nothing: 1 } as object })],
    ['a value of another type', (customer) => customer.findMany({ where: { companyName: 1 as never } })],
    ['an unknown value', (customer) => customer.findMany({ where: { type: 'NOBODY' as never } })],
    ['null where nothing is null', (customer) => customer.findMany({ where: { companyName: null as never } })],
    [
      'select and include',
      (customer) => customer.findMany({ select: { id: true }, include: { invoices: true } } as object),
    ],
    ['nothing', (customer) => customer.findMany({ select: {} })],
  ])('and refuses: %s', async (_what, find) => {
    await expect(find(db.customer)).rejects.toThrow('Invalid `prisma.customer.findMany()` invocation');
  });
});

describe('findManyWithTotal()', () => {
  /** The total, and how many rows came. */
  const read = async (query: object, within: Db = db): Promise<[number, number]> => {
    const { rows, total } = await within.model('Customer').findManyWithTotal(query, {});
    return [await total, rows.length];
  };

  it('reads rows and total in one statement', async () => {
    const texts = await sent(async () => expect(await read({ take: 2 })).toEqual([4, 2]));
    expect(texts).toHaveLength(1);
  });

  it('sees the writes of its transaction', async () => {
    const rolledBack = db.$transaction(async (inside) => {
      await inside.customer.deleteMany({ where: { city: null } });
      expect(await read({ take: 2 }, inside as unknown as Db)).toEqual([3, 2]);
      throw new Error('Never mind');
    });
    await expect(rolledBack).rejects.toThrow('Never mind');
  });

  it.each<[string, object, number]>([
    ['there are no rows', { where: { companyName: 'nobody' } }, 0],
    ['Prisma reads the rows', { distinct: 'city' }, 3],
  ])('counts by a statement of its own where %s', async (_where, query, found) => {
    expect(await read(query)).toEqual([4, found]);
  });

  it('counts rows in the same statement where no maintained count has the condition', async () => {
    const where = { city: 'Rome' };
    const texts = await sent(async () => {
      const { rows, total } = await db.model('Customer').findManyWithTotal({ where, take: 1 }, where);
      expect([await total, rows.length]).toEqual([2, 1]);
    });
    expect(texts).toEqual([expect.stringContaining('count(*)')]);
  });

  it('leaves a count to Prisma that isn’t supported', async () => {
    const texts = await sent(async () => expect(await db.customer.count({ take: 3 })).toBe(3));
    expect(texts.map(isPrismas)).toEqual([true]);
  });

  it('fails with its rows', async () => {
    const tooLate = { createdAt: { gt: new Date(8.64e15) } }; // which PostgreSQL doesn't know
    await expect(read({ where: tooLate })).rejects.toThrow('out of range');
  });
});

describe('in a transaction', () => {
  it('a read sees the transaction’s writes, and others don’t until it ends', async () => {
    const other = forTenant(service.books, tenantId);
    const where = { companyName: 'new' };
    const texts = await sent(() =>
      db.$transaction(async (inside) => {
        await inside.customer.create({ data: { type: 'CUSTOMER', ...where } });
        expect(await names((customer) => customer.findMany({ where }), inside)).toEqual(['new']);
        expect(await names((customer) => customer.findMany({ where }), other)).toEqual([]);
        await inside.customer.deleteMany({ where });
        expect(await inside.customer.findFirst({ where })).toBeNull();
      }),
    );
    expect(texts.filter(isPrismas)).toEqual([]);
  });

  it('concurrent reads are sent one at a time', async () => {
    const warnings: unknown[] = [];
    const warn = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', warn);
    await db.$transaction((inside) =>
      Promise.all([1, 2, 3, 4, 5].map(() => names((customer) => customer.findMany({ take: 1 }), inside))),
    );
    await new Promise(setImmediate);
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  it('a failed read fails the transaction', async () => {
    const failing = db.$transaction(async (inside) => {
      const tooLate = { createdAt: { gt: new Date(8.64e15) } }; // which PostgreSQL doesn't know
      const results = await Promise.allSettled([
        inside.customer.findMany({ where: tooLate }),
        inside.customer.findMany(),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      return inside.customer.count();
    });
    await expect(failing).rejects.toThrow('current transaction is aborted');
    expect(await db.customer.count()).toBe(4);
  });

  it('a statement after its work has failed is rejected', async () => {
    let insertions: Promise<unknown> = Promise.resolve();
    const failing = db.$transaction(async (inside) => {
      const insert = async (): Promise<void> => {
        for (;;) await inside.insert({ Customer: [inside.row('Customer', { type: 'CUSTOMER', companyName: 'late' })] });
      };
      insertions = insert();
      insertions.catch(() => {});
      await inside.customer.findFirst();
      throw new Error('Never mind');
    });
    await expect(failing).rejects.toThrow('Never mind');
    await expect(insertions).rejects.toThrow('The transaction has ended');
    expect(await db.customer.count({ where: { companyName: 'late' } })).toBe(0);
  });

  it('a statement after its timeout is rejected', async () => {
    let insertion: Promise<unknown> = Promise.resolve();
    const failing = db.$transaction(
      async (inside) => {
        await inside.$rows('select pg_sleep(0.5) from row_counts where tenant_id = $1 limit 1', []);
        insertion = inside.insert({ Customer: [inside.row('Customer', { type: 'CUSTOMER', companyName: 'late' })] });
        await insertion;
      },
      { timeout: 50 },
    );
    await expect(failing).rejects.toThrow('The transaction has ended');
    await expect(insertion).rejects.toThrow('The transaction has ended');
    expect(await db.customer.count({ where: { companyName: 'late' } })).toBe(0);
  });

  it('a read after its end is rejected', async () => {
    let ended: Db = db;
    await db.$transaction(async (inside) => void (ended = inside as unknown as Db));
    await expect(ended.customer.findMany()).rejects.toThrow('The transaction has ended');
  });
});

describe('prepared statements', () => {
  const kept = async (): Promise<string[]> => {
    const sql = 'select statement from pg_prepared_statements';
    return (await asTenant(tenantId, () => books.pool.query(sql))).rows.map(({ statement }) => statement);
  };
  const ask = (take: number) => db.customer.findMany({ take });

  it('are statements that were sent before', async () => {
    await ask(101);
    for (let times = 0; times < 3; times++) await ask(102);
    const texts = await kept();
    expect(texts.filter((text) => text.includes('limit 101'))).toEqual([]);
    expect(texts.filter((text) => text.includes('limit 102'))).toHaveLength(1);
  });

  it('are never statements with a pattern, whose best index depends on its value', async () => {
    for (let times = 0; times < 8; times++) await db.customer.findMany({ where: { city: { contains: 'R' } } });
    expect((await kept()).filter((text) => text.includes('like'))).toEqual([]);
  });

  const elsewhere = onCluster('the coordinator has no plans of its own for them');

  it.skipIf(elsewhere)(
    'are planned once for a tenant of few rows and one of many, and use the index for both',
    async () => {
      const { tenantId: large } = await service.integrator();
      for (const [tenant, count] of [
        [tenantId, 100],
        [large, 20_000],
      ] as const) {
        const { id } = await forTenant(books, tenant).customer.create({ data: { type: 'CUSTOMER', companyName: 'x' } });
        const insertInvoices = `
          insert into invoices (tenant_id, id, customer_id, status, number, invoice_date, due_date, currency, total_net,
            total_vat, total_gross, issued_at, updated_at)
          select $1, uuidv7(), $2, case when n % 50 = 0 then 'draft' else 'issued' end::invoice_status,
            case when n % 50 > 0 then n::text end, '2026-01-01', '2026-01-01', 'EUR', 0, 0, 0,
            case when n % 50 > 0 then now() end, now() from generate_series(1, $3) n`;
        await withoutTriggers(service, (client) => client.query(insertInvoices, [tenant, id, count]));
      }
      await service.pool.query('vacuum analyze invoices');
      for (let times = 0; times < 10; times++) {
        for (const tenant of [tenantId, large])
          for (const status of ['DRAFT', 'ISSUED'] as const)
            await forTenant(books, tenant).invoice.findMany({ where: { status }, orderBy: { id: 'desc' }, take: 26 });
      }
      const find = `select name from pg_prepared_statements where statement like '%"status" = $2%' and generic_plans > 10`;
      const { rows } = await asTenant(tenantId, () => books.pool.query(find));
      expect(rows).toHaveLength(1);
      for (const tenant of [tenantId, large]) {
        const explain = `explain (analyze, format json) execute ${rows[0].name} ('${tenant}', 'draft')`;
        const [
          {
            'QUERY PLAN': [{ Plan: plan }],
          },
        ] = (await asTenant(tenant, () => books.pool.query(explain))).rows;
        expect(JSON.stringify(plan)).toContain('"invoices_tenant_id_status_id_idx"');
        expect(JSON.stringify(plan)).not.toMatch(/Seq Scan|"Sort"/);
      }
    },
  );

  it('are bounded in number', async () => {
    for (let take = 1000; take < 1350; take++) for (let times = 0; times < 2; times++) await ask(take);
    expect((await kept()).length).toBeLessThan(300);
    expect((await ask(102)).length).toBeGreaterThan(3);
  });
});

it('a name stands for one statement, and only recent statements have one', () => {
  const prepared = new PreparedStatementNames(2);
  expect([prepared.of('a'), prepared.of('b')]).toEqual(['', '']);
  const [a, b] = [prepared.of('a'), prepared.of('b')];
  expect(new Set(['', a, b]).size).toBe(3);
  expect([prepared.of('b'), prepared.of('a')]).toEqual([b, a]);
  prepared.of('c');
  expect(prepared.of('a')).toBe(a);
  expect(prepared.of('b')).toBe('');
  expect(prepared.of('b')).not.toBe(b);
  expect(new PreparedStatementNames(0).of('a')).toBe('');
});
