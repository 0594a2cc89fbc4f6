import { randomUUID } from 'node:crypto';
import { makeWorkerUtils } from 'graphile-worker';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { verifyDocuments } from '../../schema/resources/document/verify.ts';
import { proveSoon } from '../../src/jobs/prove-documents.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { until, work } from '../webhooks/receiver.ts';

// A real worker makes and proves the files of issued invoices.

let service: Service;
let worker: Worker;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  await query('truncate graphile_worker._private_jobs');
});
afterEach(() => worker.stop());

const query = async (sql: string, values: unknown[] = []) => (await service.pool.query(sql, values)).rows;

async function seller(): Promise<Integrator> {
  const who = await service.integrator();
  await setCompany(who);
  return who;
}

const isProven = async (who: Integrator): Promise<boolean> =>
  (await who.db.invoice.count({ where: { number: { not: null }, proof: null } })) === 0;

/** Drawing PDFs takes most of a core, which a busy machine doesn't have. */
const longMs = 110_000;
const untilProven = (who: Integrator): Promise<void> => until(() => isProven(who), 'the proofs', longMs);

const verify = async (who: Integrator) => verifyDocuments(await service.contextOf(who));

/** The job that waits for a tenant's further invoices. */
const waiting = (who: Integrator) =>
  query(`select job.run_at > now() as is_later from graphile_worker.jobs as job where key = $1`, [
    `prove_documents ${who.tenantId}`,
  ]);

const startNow = (who: Integrator) =>
  query('update graphile_worker._private_jobs set run_at = now() where key = $1', [`prove_documents ${who.tenantId}`]);

/** On several servers, jobs come to the queue through the outbox. */
async function loseJobs(): Promise<void> {
  await until(async () => (await query('select from outbox')).length === 0, 'the end of the outbox');
  await query('truncate graphile_worker._private_jobs');
}

/** The job of every night. */
const addNightlyJob = () => query(`select graphile_worker.add_job('prove_documents')`);
const nightlyJobs = () =>
  query(`select from graphile_worker.jobs where task_identifier = 'prove_documents' and key is null`);

describe('the files of issued invoices', () => {
  it('are made and proven by one job, a moment after the first invoice is issued', async () => {
    const [who, other] = [await seller(), await service.integrator()];
    worker = await work(service);
    for (const _ of [1, 2, 3]) await makeIssuedInvoice(who);
    let jobs: unknown[] = [];
    await until(async () => (jobs = await waiting(who)).length > 0, 'the job');
    expect(jobs).toEqual([{ is_later: true }]);
    expect(await waiting(other)).toEqual([]);
    await until(
      async () => {
        await startNow(who);
        return isProven(who);
      },
      'the proofs',
      longMs,
    );
    expect(await verify(who)).toMatchObject({ documents: 3, files: 15, unproven: 0, difference: null });
  });

  it('are made for one tenant at a time', async () => {
    const utils = await makeWorkerUtils({ pgPool: service.pool });
    for (let count = 0; count < 40; count += 1) await proveSoon(utils.addJob)(randomUUID());
    const queues = await query('select queue_name, min(priority) as priority from graphile_worker.jobs group by 1');
    // Of another priority, because a worker might find only such jobs at first, of which it can take one.
    expect(queues).toEqual([{ queue_name: 'prove_documents', priority: 1 }]);
    worker = await work(service);
  });

  it('are made in small jobs, until there is none left', async () => {
    const who = await service.integrator(); // without a profile there are PDFs only
    for (let count = 0; count < 22; count += 1) await makeIssuedInvoice(who);
    await loseJobs();
    worker = await work(service);
    await query(`select graphile_worker.add_job('prove_documents', json_build_object('tenantId', $1::text))`, [
      who.tenantId,
    ]);
    await untilProven(who);
    expect(await verify(who)).toMatchObject({ documents: 22, files: 22, unproven: 0, difference: null });
  });
});

describe('the job of every night', () => {
  it('is planned', async () => {
    worker = await work(service);
    expect(await query('select identifier from graphile_worker._private_known_crontabs')).toContainEqual({
      identifier: 'prove_documents',
    });
  });

  it('finds the invoices whose job was lost, of each open tenant', async () => {
    const [who, other, closed] = [await seller(), await seller(), await seller()];
    for (const each of [who, other, closed]) await makeIssuedInvoice(each);
    await service.client.tenant.update({ where: { id: closed.tenantId }, data: { closedAt: new Date() } });
    await loseJobs();
    worker = await work(service);
    await addNightlyJob();
    for (const each of [who, other]) await untilProven(each);
    await until(async () => (await nightlyJobs()).length === 0, 'the end of the job');
    expect(await waiting(closed)).toEqual([]);
    expect(await isProven(closed)).toBe(false);
  });

  it('proves the invoices of all others if one tenant’s can’t be drawn', async () => {
    const [broken, ...others] = [await seller(), await seller(), await seller()];
    for (const each of [broken, ...others]) await makeIssuedInvoice(each);
    await query(`update invoice_parties set seller = '{"legal_name": 5}' where tenant_id = $1`, [broken.tenantId]);
    await loseJobs();
    worker = await work(service);
    await addNightlyJob();
    for (const each of others) await untilProven(each);
    const failed = (): Promise<unknown[]> =>
      query('select last_error from graphile_worker.jobs where key = $1 and attempts > 0 and last_error is not null', [
        `prove_documents ${broken.tenantId}`,
      ]);
    await until(async () => (await failed()).length > 0, 'the failure');
    expect(await failed()).toEqual([{ last_error: expect.stringContaining('legal_name') }]);
    expect(await broken.db.documentProof.count()).toBe(0);
  });
});
