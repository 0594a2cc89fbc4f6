import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sealedContent, sealNext } from '../../schema/resources/audit-log/seal.ts';
import { verifyAuditLog } from '../../schema/resources/audit-log/verify.ts';
import { readAuditRecords } from '../../schema/tenant-archive/audit-entries.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';
import { item, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  service = await startService();
  // As a superuser who wants to hide something would.
  for (const table of ['audit_entries', 'audit_seals'])
    await service.pool.query(`alter table ${table} disable trigger all`);
});
beforeEach(async () => {
  [acme, globex] = [await service.integrator(), await service.integrator()];
  for (const who of [acme, globex]) await makeInvoice(who, { status: 'PAID' });
});
afterAll(() => service.close());

const seal = async (who: Integrator): Promise<void> => {
  while (await sealNext(await service.contextOf(who)));
};
const verify = async (who: Integrator) => verifyAuditLog(await service.contextOf(who));

it('all entries are sealed in the order of commits, and what is not sealed yet is counted', async () => {
  expect(await verify(acme)).toMatchObject({ entries: 0, last: null, difference: null });
  await seal(acme);
  const first = await verify(acme);
  expect(first).toMatchObject({ unsealed: 0, difference: null });
  await makeCustomer(acme);
  expect(await verify(acme)).toEqual({ ...first, unsealed: 1 });
  await Promise.all([seal(acme), seal(acme), ...Array.from({ length: 20 }, () => makeCustomer(acme))]);
  await seal(acme);
  expect(await verify(acme)).toMatchObject({ entries: first.entries + 21, unsealed: 0, difference: null });
  const { rows } = await service.pool.query(`select id from audit_entries where tenant_id = $1 order by position`, [
    acme.tenantId,
  ]);
  const { rows: sealed } = await service.pool.query(`select id from audit_seals where tenant_id = $1 order by number`, [
    acme.tenantId,
  ]);
  expect(sealed).toEqual(rows);
});

const third = '(select id from audit_seals where tenant_id = $1 and number = 3)';

it.each([
  ['a changed value', `update audit_entries set after = '{"amount": 1}' where tenant_id = $1 and id = ${third}`],
  [
    'another actor',
    `update audit_entries set user_id = '01a1fd07-5d8d-769c-a882-6d541b6a8b16' where tenant_id = $1 and id = ${third}`,
  ],
  ['another time', `update audit_entries set at = '2026-01-01' where tenant_id = $1 and id = ${third}`],
  ['a deleted entry', `delete from audit_entries where tenant_id = $1 and id = ${third}`],
  ['a deleted seal', `delete from audit_seals where tenant_id = $1 and number = 3`],
  ['another hash', `update audit_seals set hash = sha256('x') where tenant_id = $1 and number = 3`],
])('%s is found, and the other tenant’s log agrees', async (_what, sql) => {
  await seal(acme);
  await seal(globex);
  await service.pool.query(sql, [acme.tenantId]);
  expect((await verify(acme)).difference).toMatch(/^Entry [34] of the audit log /);
  expect((await verify(globex)).difference).toBeNull();
});

it('the log is deleted when its years are over, and what is left agrees with its chain', async () => {
  await seal(acme);
  const { entries } = await verify(acme);
  await service.pool.query(
    `update audit_entries set at = now() - interval '8 years' where tenant_id = $1 and position <= (
       select position from audit_seals where tenant_id = $1 and number = 3)`,
    [acme.tenantId],
  );
  await service.pool.query(
    `update audit_seals set sealed_at = now() - interval '8 years' where tenant_id = $1 and number <= 3`,
    [acme.tenantId],
  );
  await runJob(cleanUp(service, 10));
  expect(await acme.db.auditEntry.count()).toBe(entries);
  await runJob(cleanUp(service, 7));
  expect(await acme.db.auditEntry.count()).toBe(entries - 3);
  expect(await verify(acme)).toMatchObject({ entries: entries - 3, unsealed: 0, difference: null });
  expect((await verify(globex)).difference).toBeNull();
});

it('very long entries are sealed and exported a few at a time, and the chain is whole', async () => {
  const who = await service.integrator();
  const items = Array.from({ length: 200 }, (_, at) => ({
    ...item,
    title: `Line ${at}`,
    description: 'x'.repeat(2000),
  }));
  for (let time = 0; time < 6; time += 1) await makeInvoice(who, { items });
  const context = await service.contextOf(who);
  const lengths = new Map(
    (
      await context.db.$rows<{ id: string; length: number }>(
        `select id, length(${sealedContent}) as length from audit_entries where tenant_id = $1`,
        [],
      )
    ).map(({ id, length }) => [id, length]),
  );
  expect(Math.max(...lengths.values())).toBeGreaterThan(400_000);
  let sealed = 0;
  for (let times = 0; await sealNext(context); times += 1) {
    const seals = await context.db.auditSeal.findMany({ where: { number: { gt: sealed } } });
    const length = seals.reduce((sum, { id }) => sum + (lengths.get(id) ?? 0), 0);
    expect(seals.length === 1 || length <= 1_000_000).toBe(true);
    sealed += seals.length;
    expect(times).toBeLessThan(lengths.size);
  }
  expect(sealed).toBe(lengths.size);
  expect(await verifyAuditLog(context)).toMatchObject({ entries: lengths.size, unsealed: 0, difference: null });

  let exported = 0;
  for await (const page of readAuditRecords(context)) {
    const length = page.reduce((sum, { content }) => sum + content.length, 0);
    expect(page.length === 1 || length <= 250_000).toBe(true);
    exported += page.length;
  }
  expect(exported).toBe(lengths.size);
});
