import { afterAll, beforeAll, expect, it } from 'vitest';
import { observeStatements } from '../../prisma/connection/connection.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';
import { startService, type Service } from '../harness.ts';
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
