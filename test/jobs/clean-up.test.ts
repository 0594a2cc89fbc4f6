import { afterAll, beforeAll, expect, it } from 'vitest';
import { observeStatements, type Statement } from '../../prisma/connection/connection.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';
import { startService, withoutTriggers, type Service } from '../harness.ts';
import { listNodes } from '../plans.ts';
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

it('looks up by an index whether an old entry of the audit log has a seal, however many there are', async () => {
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
       select tenant, uuidv7(), number, number, '', '' from unnest($1::uuid[]) as tenant, generate_series(1, 10000) as number`,
      [[acme.tenantId, globex.tenantId]],
    );
  });
  await service.pool.query('analyze audit_entries, audit_seals');
  const deletions: Statement[] = [];
  const stop = observeStatements((statement) => {
    if (/^\s*delete from \S*audit_entries/i.test(statement.text)) deletions.push(statement);
    return undefined;
  });
  await runJob(cleanUp(service, 10)).finally(stop);
  const old = { tenantId: acme.tenantId, at: { lt: new Date(Date.now() - 86_400_000) } };
  expect(await service.client.auditEntry.count({ where: old })).toBe(0);

  const [first] = deletions;
  const plan = await service.pool.query(`explain (format json) ${first?.text}`, [...(first?.values ?? [])]);
  const ofSeals = listNodes(plan).filter((node) => node['Relation Name'] === 'audit_seals');
  expect(ofSeals.length).toBeGreaterThan(0);
  for (const node of ofSeals) expect(node['Index Cond']).toMatch(/\(tenant_id = .*\(id = /);
});
