import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import { writeRequest } from '../../schema/resources/anchor/timestamp.ts';
import { timestampAnchors } from '../../src/jobs/timestamp-anchors.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { verify, proveAndSeal } from '../verify/books.ts';
import { until, work } from '../webhooks/receiver.ts';
import { reply, startAuthority, type Authority, type Respond } from './authority.ts';
import { sampleKey } from './sample.ts';

let service: Service;
let authority: Authority;
let acme: Integrator;
let worker: Worker | undefined;
beforeAll(async () => {
  [service, authority] = await Promise.all([startService(), startAuthority()]);
});
beforeEach(async () => {
  authority.answer();
  authority.requests.length = 0;
  acme = await seller();
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(async () => {
  await service.close();
  await authority.close();
});

/** A tenant whose books have changed. */
async function seller(): Promise<Integrator> {
  const who = await service.integrator();
  await makeCustomer(who);
  await proveAndSeal(service, who);
  return who;
}

const anchor = async (who: Integrator): Promise<void> =>
  void expect(await makeAnchor(await service.contextOf(who), sampleKey)).toBe(true);
const run = (who: Integrator, timeoutMs?: number, url: string | null = authority.url) =>
  runJob(timestampAnchors(service.client, service.domain, url, timeoutMs), { tenantId: who.tenantId });
const list = async (who: Integrator) => (await who.rest('GET', '/anchors')).body.data;
const query = async (sql: string, values: unknown[] = []) => (await service.pool.query(sql, values)).rows;

describe('an anchor’s time-stamp', () => {
  it('is of its content, as OpenSSL checks it, and answered by REST and GraphQL', async () => {
    await anchor(acme);
    const [before] = await list(acme);
    expect(before).toMatchObject({ timestamp: null, timestamped_at: null });
    await run(acme);
    const [after] = await list(acme);
    expect(after).toEqual({ ...before, timestamp: expect.any(String), timestamped_at: expect.any(String) });
    expect(authority.accepts(Buffer.from(after.timestamp, 'base64'), after.content)).toContain('Verification: OK');
    expect(Math.abs(Date.parse(after.timestamped_at) - Date.now())).toBeLessThan(60_000);
    const { timestamp, timestamped_at: timestampedAt } = after;
    expect(await acme.graphql('{ anchors { nodes { timestamp timestampedAt } } }')).toEqual({
      anchors: { nodes: [{ timestamp, timestampedAt }] },
    });
    expect((await acme.rest('GET', `/anchors/${after.id}`)).body).toEqual({ data: after });
    expect(authority.requests).toMatchObject([{ headers: { 'content-type': 'application/timestamp-query' } }]);
    // Nothing is asked for twice.
    await run(acme);
    expect(authority.requests).toHaveLength(1);
    expect((await verify(service, acme)).all).toEqual([]);
  });

  it('is asked for for a week, of tenants that are open, and not without an authority', async () => {
    await anchor(acme);
    await run(acme, undefined, null);
    await service.client.tenant.update({ where: { id: acme.tenantId }, data: { closedAt: new Date() } });
    await run(acme);
    await service.client.tenant.update({ where: { id: acme.tenantId }, data: { closedAt: null } });
    service.clock.now = new Date(Date.now() + 7 * 24 * 60 * 60 * 1000);
    await run(acme);
    expect(authority.requests).toEqual([]);
    service.clock.now = undefined;
    await run(acme);
    expect(authority.requests).toHaveLength(1);
  });

  it('never changes, and nothing else of the anchor with it', async () => {
    await anchor(acme);
    const { tenantId } = acme;
    const asOwner = (change: string) =>
      service.pool.query(`update anchors set ${change} where tenant_id = $1`, [tenantId]);
    const asService = (change: string) =>
      asTenant(tenantId, () =>
        service.books.pool.query(`update anchors set ${change} where tenant_id = $1`, [tenantId]),
      );
    const set = `timestamp_token = '\\x00', timestamped_at = now()`;
    const refused = 'An anchor can not change';
    await expect(asOwner(`${set}, content = 'x'`)).rejects.toThrow(refused);
    await expect(asService(`${set}, content = 'x'`)).rejects.toThrow('permission denied for table anchors');
    await expect(asService(`timestamp_token = '\\x00'`)).rejects.toThrow(refused);
    await expect(asService('timestamped_at = now()')).rejects.toThrow(refused);
    await run(acme);
    for (const change of [set, 'timestamp_token = null, timestamped_at = null', 'timestamped_at = timestamped_at'])
      for (const update of [asOwner, asService]) await expect(update(change)).rejects.toThrow(refused);
    await expect(asOwner('content = content')).rejects.toThrow(refused);
  });

  it('that a superuser has replaced is found', async () => {
    const other = await seller();
    for (const who of [acme, other]) {
      await anchor(who);
      await run(who);
    }
    await query('alter table anchors disable trigger refuse_change');
    const { timestampToken } = await other.db.anchor.findFirstOrThrow();
    await query('update anchors set timestamp_token = $2 where tenant_id = $1', [acme.tenantId, timestampToken]);
    await query(`update anchors set timestamped_at = '2026-01-01' where tenant_id = $1`, [other.tenantId]);
    await query('alter table anchors enable trigger refuse_change');
    for (const who of [acme, other]) {
      const { id, day } = await who.db.anchor.findFirstOrThrow();
      const message = `The time-stamp of the anchor of ${day.toISOString().slice(0, 10)} is not one of it`;
      expect((await verify(service, who)).all).toEqual([{ type: 'anchor', id, message }]);
    }
  });
});

/** The answer to a request that the authority got, and signed again. */
const signed =
  (...[name, ...options]: [Parameters<Authority['signAgain']>[1], ...string[]]): Respond =>
  (response, request) =>
    reply(response, authority.signAgain(authority.stamp(request), name, ...options));
const trickle: Respond = async (response) => {
  response.writeHead(200, { 'content-type': 'application/timestamp-reply' });
  while (!response.destroyed) {
    response.write('0');
    await sleep(10);
  }
};
/** Of another text, with the nonce of the request: both have a fixed length. */
function ofOther(request: Buffer): Buffer {
  const other = Buffer.from(writeRequest('another').request);
  request.copy(other, other.length - 21, request.length - 21);
  return other;
}
const changed = (answer: Buffer): Buffer => {
  answer[answer.length - 1] = (answer.at(-1) ?? 0) ^ 1;
  return answer;
};

describe('no time-stamp is stored of an authority that', () => {
  it.each<[title: string, answer: Respond, reason: string]>([
    [
      'stamps another content',
      (response, request) => reply(response, authority.stamp(ofOther(request))),
      'gave a time-stamp of another content',
    ],
    [
      'repeats an answer',
      async (response) => {
        const { content } = await acme.db.anchor.findFirstOrThrow();
        reply(response, authority.stamp(writeRequest(content).request));
      },
      'answered another request',
    ],
    [
      'refuses',
      (response, request) => reply(response, authority.stamp(request, 'other')),
      'refused, with the status 2 and the reason "Message digest algorithm is not supported."',
    ],
    [
      'signs with a certificate of another use',
      signed('server', '-cades'),
      'signed with a certificate that is not for time-stamping',
    ],
    ['signs with an old certificate', signed('past', '-cades'), 'signed with a certificate that was not valid then'],
    ['does not name its certificate', signed('tsa'), 'gave a signature that does not name its certificate'],
    ['leaves its certificate out', signed('tsa', '-cades', '-nocerts'), 'gave a signature that can not be checked'],
    [
      'signs something else',
      (response, request) => reply(response, changed(authority.stamp(request))),
      'gave a signature that is not right',
    ],
    [
      'adds to its answer',
      (response, request) => reply(response, Buffer.concat([authority.stamp(request), Buffer.alloc(1)])),
      'gave an answer that can not be read',
    ],
    ['says nothing', (response) => reply(response, Buffer.alloc(0)), 'gave an answer that can not be read'],
    ['writes no DER', (response) => reply(response, Buffer.from('granted')), 'gave an answer that can not be read'],
    [
      'nests without end',
      (response) => reply(response, Buffer.alloc(60_000, Buffer.from([0x30, 0x80]))),
      'gave an answer that can not be read',
    ],
    ['writes much', (response) => reply(response, Buffer.alloc(65_537)), 'answered with more than 64 KiB'],
    ['never ends', trickle, 'did not answer within 0.3 s'],
    ['hangs', () => {}, 'did not answer within 0.3 s'],
    ['hangs up', (response) => void response.destroy(), 'can not be reached, or broke off'],
    [
      'redirects',
      (response) => void response.writeHead(307, { location: authority.url }).end(),
      'answered with the status 307: check TIMESTAMP_URL',
    ],
    [
      'shows a page',
      (response, request) =>
        void response.writeHead(200, { 'content-type': 'text/html' }).end(authority.stamp(request)),
      'answered with something else than application/timestamp-reply: check TIMESTAMP_URL',
    ],
  ])('%s', async (_title, answer, reason) => {
    await anchor(acme);
    const before = await list(acme);
    authority.answer(answer);
    const isSlow = reason.includes('within');
    await expect(run(acme, isSlow ? 300 : undefined)).rejects.toThrow(`The time-stamping authority ${reason}`);
    expect(await list(acme)).toEqual(before);
    expect(authority.requests).toHaveLength(1);
  });

  it('has another time, or none can be reached', async () => {
    await anchor(acme);
    for (const minutes of [-6, 6]) {
      service.clock.now = new Date(Date.now() + minutes * 60_000);
      await expect(run(acme)).rejects.toThrow('states a time that is more than 5 minutes from the database');
    }
    service.clock.now = undefined;
    await expect(run(acme, undefined, 'http://127.0.0.1:1/')).rejects.toThrow('can not be reached');
    expect(await list(acme)).toMatchObject([{ timestamp: null }]);
  });
});

it('a worker has the anchors of a night time-stamped, each tenant’s on its own, and tries again', async () => {
  await query('update tenants set closed_at = now() where id <> $1', [acme.tenantId]);
  const globex = await seller();
  const test = await startTestTenant(service, acme);
  await makeCustomer(test);
  await proveAndSeal(service, test);
  let isWrong = true;
  authority.answer(async (response, request) => {
    const made = await acme.db.anchor.findFirst();
    const isOfAcme = made !== null && request.includes(hash('sha256', made.content, 'buffer'));
    reply(response, isWrong && isOfAcme ? Buffer.from('no') : authority.stamp(request));
  });
  worker = await work(service, { timestampUrl: authority.url });
  await query(`select graphile_worker.add_job('make_anchors')`);
  const isStamped = async (who: Integrator) => (await list(who))[0]?.timestamp != null;
  await until(() => isStamped(globex), 'the time-stamp of the other tenant');
  const key = `timestamp_anchors ${acme.tenantId}`;
  const failed = () =>
    query(
      'update graphile_worker._private_jobs set run_at = now() where key = $1 and last_error is not null returning id',
      [key],
    );
  await until(async () => (await failed()).length > 0, 'the failure');
  expect(await list(acme)).toMatchObject([{ timestamp: null }]);
  isWrong = false;
  await until(() => isStamped(acme), 'the time-stamp after a failure');
  const jobs = () => query(`select key from graphile_worker.jobs where task_identifier like '%_anchors'`);
  await until(async () => (await jobs()).length === 0, 'the end of all jobs');
  expect(await list(test)).toMatchObject([{ timestamp: null }]);
});
