import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { logJobs } from '../../src/jobs/queue/job-log.ts';
import { InterruptedError } from '../../src/jobs/pace.ts';

const job = { task_identifier: 'overdue', payload: { tenantId: 'a tenant', secret: 'not logged' } };
const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

it.each([
  ['a failed job', 'error', { job, error: new Error('a fault') }, 50],
  ['a job that found no database', 'error', { job, error: lost }, 40],
  ['a job that ran out of time', 'error', { job, error: Object.assign(new Error('too long'), { code: '57014' }) }, 50],
  ['a job that was interrupted', 'error', { job, error: new InterruptedError() }, 20],
  ['a warning', 'warning', {}, 40],
  ['a warning of the size of the pool: maxPoolSize', 'warning', {}, 20],
  ['what happens all the time', 'info', { job }, 20],
] as const)('%s is logged at its level, with its task and tenant', (message, level, meta, expected) => {
  const lines: string[] = [];
  const stream = new Writable({
    write(line, _encoding, written) {
      lines.push(String(line));
      written();
    },
  });
  logJobs(pino({ level: 'debug', base: null, timestamp: false }, stream))[level === 'warning' ? 'warn' : level](
    message,
    meta,
  );
  const about = 'job' in meta ? { task: 'overdue', tenantId: 'a tenant' } : {};
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([{ level: expected, ...about, msg: message }]);
});
