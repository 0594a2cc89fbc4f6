import { Client } from 'pg';
import { expect, it } from 'vitest';
import { InterruptedError } from '../../src/jobs/pace.ts';
import { countFailures } from '../../src/jobs/queue/count-failures.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { createEncryption } from '../../src/security/encryption.ts';
import { createDatabase } from '../harness.ts';

const fails = (error: unknown) => async (): Promise<never> => {
  throw error;
};

it('failed jobs are counted by task and reason, and fail as before; those that a stop interrupts are not counted', async () => {
  const database = await createDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { seal } = createEncryption('one secret', 'webhook secrets');
  const { open } = createEncryption('another secret', 'webhook secrets');
  const metrics = createMetrics();
  const tasks = countFailures(
    {
      deliver: async () => void open(seal('text')),
      fan_out: async () => void (await client.query('select 1/0')),
      overdue: fails(new RangeError('of no known kind')),
      clean_up: fails(new InterruptedError()),
      well: async () => {},
    },
    metrics,
  );
  try {
    for (const name of ['deliver', 'fan_out', 'overdue', 'clean_up'])
      await expect(tasks[name]?.({}, {} as never)).rejects.toBeInstanceOf(Error);
    await tasks['well']?.({}, {} as never);
    const text = await metrics.registry.metrics();
    expect(text.match(/^kontor_job_failures_total\{.*$/gm)).toEqual([
      'kontor_job_failures_total{task="deliver",reason="Error"} 1',
      'kontor_job_failures_total{task="fan_out",reason="22012"} 1',
      'kontor_job_failures_total{task="overdue",reason="RangeError"} 1',
    ]);
  } finally {
    await client.end();
    await database.drop();
  }
});
