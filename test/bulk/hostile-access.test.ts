import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { closeTenant, reopenTenant, removeUser, revokeToken } from '../../src/identity/index.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { holdLock, runScript, startService, type Integrator, type Service } from '../harness.ts';
import { makeBulkOperation } from '../resources.ts';
import * as sample from '../rest/samples.ts';
import { startTestTenant } from '../test-tenants/make.ts';
import { createWebhook, startReceiver, until, work } from '../webhooks/receiver.ts';
import { doInBulk, readResults, toLines, untilEnded, upload } from './operations.ts';

// Access that ends while an operation runs or its results are read, cancellations at the last moment, and many operations at
// once. Another tenant's operations and jobs go on beside.

const customers = { resource: 'customers', action: 'create' };
const chunkLines = 200;

let service: Service;
let worker: Worker;
let innocent: Integrator;
/** The log's lines about faults of the worker itself. */
const faults: string[] = [];
beforeAll(async () => {
  service = await startService();
  worker = await work(service, { log: pino({ level: 'error' }, { write: (line) => void faults.push(line) }) });
  innocent = await service.integrator({ name: 'Innocent' });
  // A customer in Wait is written only while the test doesn't hold the lock.
  await runScript(
    service,
    `create function wait_for_test() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock_shared(4711); return new; end $$;
     create trigger wait_for_test before insert on customers for each row when (new.city = 'Wait')
       execute function wait_for_test();`,
  );
});
const expectNoFaults = (): void =>
  expect([...faults, ...service.log.filter((line) => line.includes('"level":50'))]).toEqual([]);
afterEach(expectNoFaults);
afterAll(async () => {
  await worker.stop();
  await service.close();
});

const many = (count: number, fields: (at: number) => object = () => ({})): string =>
  toLines(Array.from({ length: count }, (_, at) => ({ ...sample.customer, ...fields(at) })));

const noAccess = 'The one who started it has no access any more.';

/** The ways to end a caller's access. */
const endings: [what: string, end: (who: Integrator) => Promise<unknown>, error: string][] = [
  ['its token is revoked', ({ tokenId }) => revokeToken(service.client, tokenId), noAccess],
  ['its tenant is closed', ({ tenantId }) => closeTenant(service.client, tenantId), noAccess],
  [
    'its user leaves the tenant',
    async ({ tenantId, tokenId }) => {
      const { user } = await service.client.apiToken.findUniqueOrThrow({
        where: { id: tokenId },
        include: { user: true },
      });
      await removeUser(service.client, { email: user.email, tenantId });
    },
    noAccess,
  ],
];

/** Also while it runs, its abilities are checked. */
const abilities: typeof endings = [
  ['customers:write', 'bulk-operations:write'],
  ['bulk-operations:write', 'customers:write'],
].map(([kept, lost]) => [
  `its token loses ${lost}`,
  ({ tokenId }) => service.client.apiToken.update({ where: { id: tokenId }, data: { abilities: [kept!] } }),
  `Its token lacks the ability ${lost}.`,
]);

describe('an operation that runs fails with its next lines, and what is done stays, when', () => {
  it.each([...endings, ...abilities])('%s', async (_what, end, error) => {
    const attacker = await service.integrator();
    const release = await holdLock(service, 4711);
    const lines = many(5 * chunkLines, (at) => ({ city: at === chunkLines + 100 ? 'Wait' : null }));
    const { id } = (await upload(attacker, customers, lines)).body.data as { id: string };
    await until(
      async () => (await attacker.db.bulkOperation.count({ where: { processedLines: chunkLines } })) === 1,
      'the first chunk',
    );
    await end(attacker);
    const beside = await doInBulk(innocent, customers, [sample.customer]);
    expect(beside.operation).toMatchObject({ status: 'completed', succeeded_lines: 1 });
    await release();
    const find = () => attacker.db.bulkOperation.findFirst({ where: { id } });
    await until(async () => (await find())?.finishedAt != null, 'its end');
    // The second chunk was on its way, or had not yet begun when the access ended.
    const done = (await find())!.processedLines;
    expect([chunkLines, 2 * chunkLines]).toContain(done);
    expect(await find()).toMatchObject({ status: 'FAILED', error, succeededLines: done, failedLines: 0 });
    expect(await attacker.db.customer.count()).toBe(done);
    expect(await attacker.db.bulkChunk.count({ where: { operationId: id, done: false } })).toBe(0);
    expect(await attacker.db.event.count({ where: { type: 'bulk_operation.finished' } })).toBe(1);
  });
});

const parts = 40;
const part = `${JSON.stringify({ line: 1, status: 201, id: randomUUID() })}\n`.repeat(12_000);

/** An operation whose results are longer than what a connection holds. */
async function makeLongResults(who: Integrator): Promise<string> {
  const id = await makeBulkOperation(who, { slot: null, status: 'COMPLETED', finishedAt: new Date() });
  const content = new Uint8Array(zstdCompressSync(part));
  for (let number = 1; number <= parts; number += 1)
    await who.db.insert({
      BulkChunk: [who.db.row('BulkChunk', { operationId: id, number, firstLine: number, content, done: true })],
    });
  return id;
}

/** Begins to read results. @returns the response, which isn't read further */
async function beginToRead({ token }: Integrator, id: string): Promise<IncomingMessage> {
  const asked = request(`${service.url}/api/v1/bulk-operations/${id}/results`, {
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  }).end();
  onTestFinished(() => void asked.destroy());
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  await once(response, 'readable');
  return response;
}

/** Reads the rest. @returns how many bytes, and whether they are all */
async function readOn(response: IncomingMessage): Promise<{ bytes: number; isWhole: boolean }> {
  let bytes = 0;
  try {
    for await (const piece of response) bytes += (piece as Buffer).length;
    return { bytes, isWhole: response.complete };
  } catch {
    return { bytes, isWhole: false };
  }
}

describe('results that are being read break off when', () => {
  it.each(endings)('%s', async (_what, end) => {
    const attacker = await service.integrator();
    const [id, ofInnocent] = [await makeLongResults(attacker), await makeLongResults(innocent)];
    const [response, beside] = [await beginToRead(attacker, id), await beginToRead(innocent, ofInnocent)];
    await end(attacker);
    const read = await readOn(response);
    expect(read.isWhole).toBe(false);
    expect(read.bytes).toBeLessThan((parts * part.length) / 2);
    expect(await readOn(beside)).toEqual({ bytes: parts * part.length, isWhole: true });
  });
});

it('a fault while results are read breaks them off, and is logged once', async () => {
  const who = await service.integrator();
  const response = await beginToRead(who, await makeLongResults(who));
  await service.pool.query('revoke select on bulk_chunks from kontor_books');
  const read = await readOn(response).finally(() => service.pool.query('grant select on bulk_chunks to kontor_books'));
  expect(read.isWhole).toBe(false);
  const logged = service.log.filter((line) => line.includes('"level":50'));
  expect(logged).toEqual([expect.stringContaining(String(response.headers['x-request-id']))]);
  service.log.length = 0;
});

it('a cancellation at any moment: what is counted is done and answered, and there is one event', async () => {
  const attacker = await service.integrator();
  for (let time = 0; time < 8; time += 1) {
    const { id } = (await upload(attacker, customers, many(2 * chunkLines))).body.data as { id: string };
    if (time > 0)
      await until(
        async () => (await attacker.db.bulkOperation.count({ where: { id, status: 'PENDING' } })) === 0,
        'its begin',
      );
    await sleep(time * 20);
    const cancelled = await attacker.rest('POST', `/bulk-operations/${id}/cancel`);
    expect([200, 422]).toContain(cancelled.status);
    const operation = await untilEnded(attacker, id);
    expect(operation['status']).toBe(cancelled.status === 200 ? 'cancelled' : 'completed');
    const results = await readResults(attacker, id);
    expect(operation).toMatchObject({ processed_lines: results.length, succeeded_lines: results.length });
    const ids = results.map((result) => result['id'] as string);
    expect(await attacker.db.customer.count({ where: { id: { in: ids } } })).toBe(ids.length);
    expect(await attacker.db.bulkChunk.count({ where: { operationId: id, done: false } })).toBe(0);
    expect(await attacker.db.event.count({ where: { type: 'bulk_operation.finished', resourceId: id } })).toBe(1);
  }
  const counts = await attacker.db.bulkOperation.findMany();
  expect(await attacker.db.customer.count()).toBe(counts.reduce((sum, { succeededLines }) => sum + succeededLines, 0));
});

it('a tenant that is closed and opened again has its operation ended, and can start others', async () => {
  const attacker = await service.integrator();
  await closeTenant(service.client, attacker.tenantId);
  const id = await makeBulkOperation(attacker);
  await until(
    async () => (await attacker.db.bulkOperation.count({ where: { id, status: 'FAILED' } })) === 1,
    'its end',
  );
  await reopenTenant(service.client, attacker.tenantId);
  const { operation } = await doInBulk(attacker, customers, [sample.customer]);
  expect(operation).toMatchObject({ status: 'completed', succeeded_lines: 1 });
});

it('operations of a tenant and of all its test tenants that don’t go on delay no other tenant’s operation', async () => {
  const attacker = await service.integrator();
  const all = [attacker];
  for (let count = 0; count < 5; count += 1) all.push(await startTestTenant(service, attacker));
  const release = await holdLock(service, 4711);
  for (const who of all)
    expect(
      (
        await upload(
          who,
          customers,
          many(1, () => ({ city: 'Wait' })),
        )
      ).status,
    ).toBe(201);
  const countWaiting = async (): Promise<number> =>
    (await service.pool.query(`select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`)).rows
      .length;
  await until(async () => (await countWaiting()) > 0, 'the first of them');
  const { operation } = await doInBulk(innocent, customers, [sample.customer]);
  expect(operation).toMatchObject({ status: 'completed', succeeded_lines: 1 });
  expect(await countWaiting()).toBe(1);
  await release();
  for (const { db } of all)
    await until(async () => (await db.bulkOperation.count({ where: { status: 'COMPLETED' } })) === 1, 'its end');
});

it('ten operations of each of three tenants delay no other tenant’s operation, and no delivery', async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  await createWebhook(innocent, { url: receiver.url });
  const attackers = await Promise.all([1, 2, 3].map(() => service.integrator()));
  // The first takes long: others would wait for its end, if tenants didn't take turns.
  for (const lines of [25 * chunkLines, ...Array.from({ length: 9 }, () => 1)])
    for (const attacker of attackers) expect((await upload(attacker, customers, many(lines))).status).toBe(201);
  const { operation } = await doInBulk(innocent, customers, [sample.customer]);
  expect(operation).toMatchObject({ status: 'completed', succeeded_lines: 1 });
  await until(() => receiver.requests.some(({ body }) => body.includes(operation['id'] as string)), 'the delivery');
  for (const attacker of attackers) {
    const operations = await attacker.db.bulkOperation.findMany({ orderBy: { id: 'asc' } });
    expect(operations.map(({ finishedAt }) => finishedAt)).toEqual(Array.from({ length: 10 }, () => null));
    expect(operations.filter(({ processedLines }) => processedLines > 0).length).toBeLessThanOrEqual(1);
    for (const { id } of operations) await attacker.rest('POST', `/bulk-operations/${id}/cancel`);
  }
});
