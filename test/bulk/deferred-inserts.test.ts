import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Prisma, type TenantClient } from '../../prisma/client.ts';
import { startService, type Service } from '../harness.ts';

let service: Service;
let client: TenantClient;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  client = (await service.integrator()).db;
});

const customer = (companyName: string, externalId?: string) =>
  client.row('Customer', { type: 'CUSTOMER', companyName, externalId: externalId ?? null });

const readChanges = async (): Promise<unknown[]> => {
  const names = new Map((await client.customer.findMany()).map(({ id, companyName }) => [id, companyName]));
  const changes = await client.change.findMany({ orderBy: { position: 'asc' } });
  return changes.map(({ id }) => names.get(id));
};

describe('deferred inserts', () => {
  it('are written before a query that could see them, also by a relation, and not before another', async () => {
    await client.$transaction(async (transaction) => {
      const { db, inserts } = transaction.deferInserts([]);
      const added = customer('A');
      await db.insert({ Customer: [added] });
      expect(await db.event.findMany()).toEqual([]);
      expect(await transaction.customer.count()).toBe(0);
      expect(await db.project.findMany({ where: { customer: { companyName: 'A' } } })).toEqual([]);
      expect(await transaction.customer.count()).toBe(1);
      await db.insert({ Customer: [customer('B')] });
      expect(await db.lock('Customer', added.id, 'no key update')).toMatchObject({ companyName: 'A' });
      expect(await db.customer.count()).toBe(2);
      await db.insert({ Customer: [customer('C')] });
      await inserts.flush();
      expect(await transaction.customer.count()).toBe(3);
    });
  });

  it('are written before a statement that may see them: any but one that reads other models only', async () => {
    const count = 'select count(*)::int as count from customers where tenant_id = $1';
    await client.$transaction(async (transaction) => {
      const { db, inserts } = transaction.deferInserts(['Event']);
      await db.insert({ Customer: [customer('A')] });
      expect(await db.$rows(count, [], ['Company', 'PeriodLock'])).toEqual([{ count: 0 }]);
      expect(inserts.dropUnit()).toBe(true);
      await db.insert({ Customer: [customer('B')] });
      expect(await db.$rows(count, [], ['Company', 'Customer'])).toEqual([{ count: 1 }]);
      await db.insert({ Customer: [customer('C')] });
      expect(await db.$rows(count, [])).toEqual([{ count: 2 }]);
    });
  });

  it('are written before another write, so that the change feed has their order', async () => {
    const former = customer('former');
    await client.insert({ Customer: [former] });
    const where = { tenantId_id: { tenantId: former.tenantId, id: former.id } };
    await client.$transaction(async (transaction) => {
      const { db, inserts } = transaction.deferInserts(['Event']);
      await db.insert({ Project: [db.row('Project', { name: 'P', currency: 'EUR' })] });
      await db.customer.update({ where, data: { companyName: 'changed' } });
      await db.insert({ Customer: [customer('A')] });
      await inserts.flush();
    });
    expect(await readChanges()).toEqual([undefined, 'changed', 'A']);
  });

  it('of a unit are forgotten, unless something of it is written', async () => {
    await client.$transaction(async (transaction) => {
      const { db, inserts } = transaction.deferInserts(['Event']);
      await db.insert({ Customer: [customer('A')] });
      inserts.beginUnit();
      await db.insert({ Customer: [customer('B')] });
      expect(inserts.dropUnit()).toBe(true);
      inserts.beginUnit();
      await db.customer.count(); // writes that of another unit
      expect(inserts.dropUnit()).toBe(true);
      await db.insert({ Customer: [customer('C')] });
      await db.customer.count();
      expect(inserts.dropUnit()).toBe(false);
      inserts.beginUnit();
      await db.customer.updateMany({ where: { companyName: 'C' }, data: { city: 'Kiel' } });
      expect(inserts.dropUnit()).toBe(false);
    });
    const names = (await client.customer.findMany({ orderBy: { id: 'asc' } })).map(({ companyName }) => companyName);
    expect(names).toEqual(['A', 'C']);
  });

  it('that are many are written while further units run; a refusal of one is known in the end', async () => {
    const fill = async (transaction: TenantClient, ids: (at: number) => string): Promise<number[]> => {
      const { db, inserts } = transaction.deferInserts(['Event']);
      const written: number[] = [];
      for (let at = 0; at < 120; at += 1) {
        inserts.beginUnit();
        await db.insert({ Customer: [customer(`No. ${at}`, ids(at))] });
        if (at % 40 === 39) expect(inserts.dropUnit()).toBe(true);
        written.push(await transaction.customer.count());
      }
      await inserts.flush();
      written.push(await transaction.customer.count());
      return written;
    };
    const written = await client.$transaction((transaction) => fill(transaction, String));
    expect([...new Set(written)]).toEqual([0, 50, 100, 117]);
    const changes = await readChanges();
    expect(changes).toEqual(Array.from({ length: 120 }, (_, at) => `No. ${at}`).filter((_, at) => at % 40 !== 39));
    const refused = client.$transaction(async (transaction) => {
      const { db, inserts } = transaction.deferInserts(['Event']);
      for (let at = 0; at < 60; at += 1) {
        inserts.beginUnit();
        await db.insert({ Customer: [customer('again', String(at))] });
      }
      await inserts.flush();
    });
    expect(await refused.catch((error: unknown) => error)).toMatchObject({ cause: { code: 'P2002' } });
    expect(await client.customer.count()).toBe(117);
  });

  it('that are refused fail together, with an error that nobody takes for that of their own', async () => {
    const failing = client.$transaction(async (transaction) => {
      const { db } = transaction.deferInserts([]);
      await db.insert({ Customer: [customer('A', 'X')] });
      await db.insert({ Customer: [customer('B', 'X')] });
      await db.customer.count();
    });
    const error: unknown = await failing.catch((each: unknown) => each);
    expect(error).not.toBeInstanceOf(Prisma.PrismaClientKnownRequestError);
    expect(error).toMatchObject({ cause: { code: 'P2002' } });
    expect(await client.customer.count()).toBe(0);
  });
});

it('ids that a process makes ascend, also within a millisecond', () => {
  const ids = Array.from({ length: 2000 }, () => customer('A').id);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
