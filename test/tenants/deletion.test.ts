import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeTenant, deleteTenant, reopenTenant } from '../../src/identity/index.ts';
import { attachmentKey } from '../../schema/resources/attachment/files.ts';
import { fileKey } from '../../schema/resources/export/file.ts';
import { makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { fill } from '../isolation/books.ts';

// A tenant is deleted with all that it has, and nothing of another.

let service: Service;
let tables: { name: string }[];
let doomed: Integrator;
let innocent: Integrator;
const dayMs = 86_400_000;
const later = (days: number) => (): Date => new Date(Date.now() + days * dayMs);

beforeAll(async () => {
  service = await startService();
  // Also those that a later migration makes.
  ({ rows: tables } = await service.pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = current_schema() and column_name = 'tenant_id' and table_type = 'BASE TABLE'`,
  ));
  doomed = await service.integrator({ name: 'Doomed' });
  innocent = await service.integrator({ name: 'Innocent' });
  for (const who of [doomed, innocent]) await fillAll(who);
});
afterAll(() => service.close());

/** At least one row in every table with a column tenant_id, with what nobody else may delete. */
async function fillAll(who: Integrator): Promise<void> {
  const { tenantId, userId, db, rest } = who;
  const { invoice, payment } = await fill(who);
  expect((await rest('POST', `/payments/${payment}/reverse`, { reason: 'Twice.' })).status).toBe(200);
  await db.periodLock.updateMany({ data: { kind: 'FINAL' } });
  await db.unprovenDocument.createMany({
    data: [{ id: invoice, isCreditNote: false, year: 2026, numberLength: 9, number: '2026-0001' }],
    skipDuplicates: true,
  });
  const invitation = {
    email: 'x@example.com',
    hash: Buffer.from(randomUUID()),
    inviterId: userId,
    expiresAt: later(7)(),
  };
  await service.client.invitation.create({ data: { tenantId, ...invitation } });
  await service.client.user.update({ where: { id: userId }, data: { invitedTo: tenantId } });
  await service.client.trustedDocument.create({ data: { tenantId, hash: randomUUID(), text: '{ me { id } }' } });
  await service.pool.query(`insert into watchers values ($1, gen_random_uuid(), 'changes', gen_random_uuid(), now())`, [
    tenantId,
  ]);
  await service.pool.query(`insert into outbox (tenant_id, channel, announcement) values ($1, 'changes', 'x')`, [
    tenantId,
  ]);
  for (const key of await keysOf(who)) await service.fileStorage.write(key, makeContent(), 100);
}

// eslint-disable-next-line require-await -- the storage takes what arrives bit by bit
async function* makeContent(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('content');
}

async function keysOf({ tenantId, db }: Integrator): Promise<string[]> {
  return [
    ...(await db.attachment.findMany()).map(({ id }) => attachmentKey(tenantId, id)),
    ...(await db.unusedFile.findMany()).map(({ key }) => key),
    ...(await db.export.findMany()).map(({ id }) => fileKey(tenantId, id)),
  ];
}

/** How many rows each table has of a tenant, and the hash of all of them. */
async function describe({ tenantId }: Integrator): Promise<Record<string, { rows: number; hash: string | null }>> {
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await service.pool.query<{ rows: number; hash: string | null }>(
        `select count(*)::int as rows, md5(string_agg(row::text, ' ' order by row::text)) as hash
         from ${name} as row where tenant_id = $1`,
        [tenantId],
      );
      return [name, rows[0]!] as const;
    }),
  );
  return Object.fromEntries(found);
}

const fail = (): never => {
  throw new Error('None was deleted');
};

async function countJobs({ tenantId }: Integrator): Promise<number> {
  const { rows } = await service.pool.query<{ jobs: number }>(
    `select count(*)::int as jobs from graphile_worker._private_jobs where payload ->> 'tenantId' = $1`,
    [tenantId],
  );
  return rows[0]!.jobs;
}

const remove = (id: string, now = later(31), deleteFile = service.fileStorage.delete) =>
  deleteTenant(service, { delete: deleteFile }, { id, by: 'operator', now });

it('is refused for a tenant that is unknown, open, closed for less than 30 days, or reopened meanwhile', async () => {
  const { tenantId: id } = doomed;
  await expect(remove(randomUUID())).rejects.toThrow(/^Unknown tenant /);
  await expect(remove("x' or true --")).rejects.toThrow(/^Unknown tenant /);
  await expect(remove(id)).rejects.toThrow(`Tenant ${id} is open: close it first, which can be taken back for 30 days`);
  await closeTenant(service.client, id);
  await expect(remove(id, later(29.99))).rejects.toThrow(/it can be deleted from /);
  await reopenTenant(service.client, id);
  await expect(remove(id)).rejects.toThrow('is open');
  expect((await doomed.rest('GET', '/customers')).status).toBe(200);
});

it('deletes all rows, files, and jobs, also after it was broken off, and certifies what went', async () => {
  const { tenantId: id } = doomed;
  const [before, others] = [await describe(doomed), await describe(innocent)];
  for (const { name } of tables) expect([name, before[name]!.rows]).not.toEqual([name, 0]);
  expect(await countJobs(doomed)).toBeGreaterThan(0);
  const jobsOfOther = await countJobs(innocent);
  const [keys, keysOfOther] = [await keysOf(doomed), await keysOf(innocent)];
  await closeTenant(service.client, id);

  // As a kill does: the batch that was under way is lost.
  let deletions = 0;
  const broken = remove(id, later(31), async (key) => {
    if (++deletions === 2) throw new Error('killed');
    await service.fileStorage.delete(key);
  });
  await expect(broken).rejects.toThrow('killed');
  const half = await describe(doomed);
  expect(Object.values(half).some(({ rows }) => rows > 0)).toBe(true);
  expect([401, 403]).toContain((await doomed.rest('GET', '/customers')).status);
  await expect(reopenTenant(service.client, id)).rejects.toThrow("is being deleted: it can't be reopened");

  // Of two at once, one goes on.
  const both = await Promise.allSettled([remove(id), remove(id)]);
  const { value: certificate } = both.find((each) => each.status === 'fulfilled') ?? fail();
  expect(both.filter((each) => each.status === 'rejected').map(({ reason }) => (reason as Error).message)).toEqual([
    `Another process deletes the tenant ${id} already`,
  ]);
  const none = { rows: 0, hash: null };
  expect(await describe(doomed)).toEqual(Object.fromEntries(tables.map(({ name }) => [name, none])));
  expect(await countJobs(doomed)).toBe(0);
  for (const key of keys) expect(await service.fileStorage.read(key)).toBeUndefined();
  expect((await doomed.rest('GET', '/customers')).status).toBe(401);
  await expect(reopenTenant(service.client, id)).rejects.toThrow('Unknown tenant');

  expect(await describe(innocent)).toEqual(others);
  expect(await countJobs(innocent)).toBe(jobsOfOther);
  for (const key of keysOfOther) {
    const file = await service.fileStorage.read(key);
    expect(file?.length).toBe(7);
    file?.content.destroy();
  }

  const { hash, ...content } = certificate;
  expect(createHash('sha256').update(JSON.stringify(content)).digest('hex')).toBe(hash);
  expect(content).toMatchObject({ tenant_id: id, started_by: 'operator', kept: expect.any(Array) });
  expect(content.rows).toMatchObject({
    tenants: 1,
    customers: before['customers']!.rows,
    invoice_items: before['invoice_items']!.rows,
    audit_seals: before['audit_seals']!.rows,
    payments: before['payments']!.rows,
  });
  expect(content.files).toBe(keys.length);
  expect(content.jobs).toBeGreaterThan(0);
  expect(await remove(id)).toEqual(certificate);
});

it('leaves no trace of the tenant in what belongs to nobody', async () => {
  const { rows } = await service.pool.query<{ table: string }>(`
    select table_name as table from information_schema.columns
    where table_schema = current_schema() and data_type = 'uuid' and column_name <> 'tenant_id'`);
  for (const table of new Set(rows.map((row) => row.table).filter((name) => name !== 'tenant_deletions'))) {
    const { rowCount } = await service.pool.query(
      `select from "${table}" as row where row::text like '%' || $1 || '%'`,
      [doomed.tenantId],
    );
    expect([table, rowCount]).toEqual([table, 0]);
  }
});

it('deletes rows that refer to others of their table before these, by whichever column', async () => {
  const who = await service.integrator();
  const draft = { receiptDate: new Date('2026-03-01'), currency: 'EUR', amountGross: 0, amountNet: 0, vatAmount: 0 };
  const addDrafts = (count: number) =>
    who.db.receipt.createMany({ data: Array.from({ length: count }, () => ({ ...draft, vatRate: 0 })) });
  // Receipts and those that take them back are in different batches of a deletion in the order of writing.
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await makeReceipt(who, { status: 'BOOKED' }));
  await addDrafts(400);
  const credited = await makeReceipt(who, { status: 'BOOKED' });
  for (const id of ids) expect((await who.rest('POST', `/receipts/${id}/reverse`, {})).status).toBe(200);
  await addDrafts(500);
  // Written anew, they stand behind.
  await service.pool.query('update receipts set updated_at = now() where tenant_id = $1 and reversal_of is not null', [
    who.tenantId,
  ]);
  await makeReceipt(who, { creditedReceiptId: credited, amountGross: '-1' });
  await closeTenant(service.client, who.tenantId);
  await remove(who.tenantId);
  expect((await describe(who))['receipts']?.rows).toBe(0);
});

it('finds by an index the rows that refer to a deleted one', async () => {
  // The columns of a foreign key, without the tenant, of which no index begins with the tenant and the column. A tenant has one
  // company.
  const { rows } = await service.pool.query(`
    select conrelid::regclass::text as table, attname as column
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any (conkey) and attname <> 'tenant_id'
    where contype = 'f' and connamespace = current_schema()::regnamespace and array_length(conkey, 1) = 2
      and conrelid <> 'companies'::regclass and not exists (
      select from pg_index join pg_attribute as first on first.attrelid = indrelid and first.attnum = indkey[0]
      where indrelid = conrelid and first.attname = 'tenant_id' and indkey[1] = pg_attribute.attnum
    )`);
  expect(rows).toEqual([]);
});
