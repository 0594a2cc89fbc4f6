import { afterAll, beforeAll, expect, it } from 'vitest';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import { forEachTenant } from '../../src/jobs/for-each-tenant.ts';
import { overdue } from '../../src/jobs/overdue.ts';
import { InterruptedError } from '../../src/jobs/pace.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { onEachServer, startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from './run-job.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const overdueEvents = (who: Integrator): Promise<number> => who.db.event.count({ where: { type: 'invoice.overdue' } });

it('a row that breaks a later rule keeps no other tenant’s invoices from becoming overdue', async () => {
  const acme = await service.integrator();
  const globex = await service.integrator({ name: 'Globex' });
  for (const who of [acme, globex]) {
    await setCompany(who);
    await makeIssuedInvoice(who, { invoiceDate: '2026-01-01', dueDate: '2026-01-15' });
  }
  // As after an upgrade or the restore of a backup (OPERATING.md).
  const rule = `tenant_id <> '${acme.tenantId}'`;
  await onEachServer(service, `alter table invoices add constraint later_rule check (${rule}) not valid`);
  try {
    await expect(runJob(overdue(service.client, service.domain))).rejects.toThrow(/later_rule/);
  } finally {
    await onEachServer(service, 'alter table invoices drop constraint later_rule');
  }
  expect([await overdueEvents(acme), await overdueEvents(globex)]).toEqual([0, 1]);
  await runJob(overdue(service.client, service.domain));
  expect([await overdueEvents(acme), await overdueEvents(globex)]).toEqual([1, 1]);
});

const pause = async (): Promise<void> => {};
const tenants = ['one', 'two', 'three'].map((id) => ({ id }));

/** @returns the tenants that the work came to, and the error at the end */
async function run(fail: (id: string) => Error | undefined): Promise<[done: string[], error: unknown]> {
  const done: string[] = [];
  const work = async ({ id }: { id: string }): Promise<void> => {
    done.push(id);
    const error = fail(id);
    if (error) throw error;
  };
  const error: unknown = await forEachTenant(tenants, undefined, pause, work).catch((thrown: unknown) => thrown);
  return [done, error];
}

it('goes on after errors of tenants, and fails with the first', async () => {
  const errors = new Map([
    ['one', new Error('of one')],
    ['two', new Error('of two')],
  ]);
  expect(await run((id) => errors.get(id))).toEqual([['one', 'two', 'three'], errors.get('one')]);
  expect(await run(() => undefined)).toEqual([['one', 'two', 'three'], undefined]);
});

it.each([
  ['the database is away', new Error('Connection terminated unexpectedly')],
  ['the storage is away', new StorageUnavailableError('The storage', new Error('ECONNREFUSED'))],
  ['the worker stops', new InterruptedError()],
])('ends at once where %s', async (_, error) => {
  expect(await run(() => error)).toEqual([['one'], error]);
});
