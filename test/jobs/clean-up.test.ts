import { afterAll, beforeAll, expect, it } from 'vitest';
import { observeStatements } from '../../prisma/connection/connection.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';
import { startService, withoutTriggers, type Service } from '../harness.ts';
import { runJob } from './run-job.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it('deletes the counts of very many failed sign-ins in parts, so that no statement is cancelled', async () => {
  await service.pool.query(
    `insert into rate_limits (identity, next, last_at)
     select 'sign-in:' || number, 1, now() - interval '2 hours' from generate_series(1, 12000) as number`,
  );
  await service.pool.query(`insert into rate_limits (identity, next, last_at) values ('recent', 1, now())`);
  const deleted: (number | null | undefined)[] = [];
  const stop = observeStatements(({ text }) => {
    if (text.startsWith('delete from rate_limits')) return (_error, result) => void deleted.push(result?.rowCount);
    return undefined;
  });
  await runJob(cleanUp(service, 10)).finally(stop);
  expect(deleted).toEqual([5000, 5000, 2000]);
  const { rows } = await service.pool.query('select identity from rate_limits');
  expect(rows).toEqual([{ identity: 'recent' }]);
});

it('deletes old entries of the audit log in time, however many seals other tenants have', async () => {
  const [acme, globex] = [await service.integrator(), await service.integrator()];
  await withoutTriggers(service, async (client) => {
    await client.query(
      `insert into audit_entries (tenant_id, id, position, at, resource, resource_id, action)
       select $1, uuidv7(), number, now() - interval '11 years', 'customer', uuidv7(), 'created'
       from generate_series(1, 400) as number`,
      [acme.tenantId],
    );
    await client.query(
      `insert into audit_seals (tenant_id, id, number, position, previous_hash, hash)
       select $1, uuidv7(), number, number, '', '' from generate_series(1, 300000) as number`,
      [globex.tenantId],
    );
  });
  const began = performance.now();
  await runJob(cleanUp(service, 10));
  expect(performance.now() - began).toBeLessThan(8000);
  const old = { tenantId: acme.tenantId, at: { lt: new Date(Date.now() - 86_400_000) } };
  expect(await service.client.auditEntry.count({ where: old })).toBe(0);
}, 120_000);
