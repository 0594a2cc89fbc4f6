import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeTenant, removeUser, revokeToken } from '../../src/identity/index.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { runScript, startService, type Integrator, type Service } from '../harness.ts';
import { makeCustomer } from '../graphql/books.ts';
import { runJob } from '../jobs/run-job.ts';
import { makeBulkOperation } from '../resources.ts';
import * as sample from '../rest/samples.ts';
import { work } from '../webhooks/receiver.ts';
import { doInBulk, readResults, toLines, untilEnded, upload } from './operations.ts';

let service: Service;
let worker: Worker | undefined;
beforeAll(async () => {
  service = await startService();
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(() => service.close());

const customers = { resource: 'customers', action: 'create' };
const one = [sample.customer];

/** How many operations have ended, as events say. */
const isFinished = (who: Integrator) => who.db.event.count({ where: { type: 'bulk_operation.finished' } });

describe('the start of a bulk operation', () => {
  it('needs its own ability and that of the resource, and leaves nothing without one', async () => {
    for (const [abilities, lacking] of [
      [['customers:write'], 'bulk-operations:write'],
      [['bulk-operations:write', 'projects:write'], 'customers:write'],
    ] as const) {
      const who = await service.integrator({ abilities: [...abilities] });
      const { status, body } = await upload(who, customers, one);
      expect([status, body.message]).toEqual([403, `This token lacks the ability ${lacking}.`]);
      expect(await who.db.bulkOperation.count()).toBe(0);
    }
  });

  it('refuses what REST has no single request for, another type, and a body without a line', async () => {
    const who = await service.integrator();
    const action = await upload(who, { resource: 'invoices', action: 'upsert' }, one);
    expect([action.status, action.body.errors]).toEqual([
      422,
      { action: ['Must be one of create, delete for this resource.'] },
    ]);
    const unknown = await upload(who, { resource: 'x', action: 'create' }, one);
    expect([unknown.status, Object.keys(unknown.body.errors as object)]).toEqual([422, ['resource']]);
    const type = await upload(who, customers, one, { 'content-type': 'application/json' });
    expect(type.status).toBe(415);
    const zipped = await upload(who, customers, one, { 'content-encoding': 'gzip' });
    expect(zipped.status).toBe(415);
    const empty = await upload(who, customers, '\n \r\n');
    expect([empty.status, empty.body.errors]).toEqual([422, { body: ['Has no line.'] }]);
    const long = await upload(who, customers, `${JSON.stringify(sample.customer)}\n${'x'.repeat(1024 * 1024 + 1)}`);
    expect([long.status, long.body.errors]).toEqual([422, { body: ['Line 2 is longer than 1048576 bytes.'] }]);
    const many = await upload(who, customers, '\n'.repeat(1_000_001));
    expect([many.status, many.body.errors]).toEqual([422, { body: ['Has more than 1000000 lines.'] }]);
    expect(await who.db.bulkOperation.count()).toBe(0);
    expect(await who.db.bulkChunk.count()).toBe(0);
  });

  it('is refused while 10 have not ended; the refusal is not kept for its Idempotency-Key', async () => {
    const who = await service.integrator();
    for (let made = 0; made < 10; made += 1) expect((await upload(who, customers, one)).status).toBe(201);
    for (const headers of [{}, { 'idempotency-key': 'a' }] as Record<string, string>[]) {
      const refused = await upload(who, customers, one, headers);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    }
    expect(await who.db.bulkOperation.count()).toBe(10);
    const [first] = (await who.rest('GET', '/bulk-operations?status=pending')).body.data as { id: string }[];
    await who.rest('POST', `/bulk-operations/${first?.id}/cancel`);
    expect((await upload(who, customers, one, { 'idempotency-key': 'a' })).status).toBe(201);
  });

  it('is made once with an Idempotency-Key; another body or other parameters are refused', async () => {
    const who = await service.integrator();
    const keyed = { 'idempotency-key': 'a' };
    const first = await upload(who, customers, one, keyed);
    const again = await upload(who, customers, one, keyed);
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    expect(again.body).toEqual(first.body);
    for (const other of [
      await upload(who, customers, [...one, ...one], keyed),
      await upload(who, { resource: 'customers', action: 'upsert' }, one, keyed),
    ])
      expect([other.status, other.body.details]).toMatchObject([422, [{ code: 'key_reused' }]]);
    expect(await who.db.bulkOperation.count()).toBe(1);
  });
});

describe('a bulk operation', () => {
  it('of another tenant is not found, by any of its addresses', async () => {
    const [acme, beta] = [await service.integrator(), await service.integrator()];
    const id = await makeBulkOperation(acme);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/results'],
      ['POST', '/cancel'],
    ] as const)
      expect((await beta.rest(method, `/bulk-operations/${id}${path}`)).status).toBe(404);
    expect((await beta.rest('GET', '/bulk-operations')).body.data).toEqual([]);
    expect((await acme.rest('GET', `/bulk-operations/${id}`)).body.data.status).toBe('pending');
  });

  it('that is cancelled keeps what is done, and writes nothing more', async () => {
    const who = await service.integrator();
    const { body } = await upload(who, customers, one);
    const { id } = body.data as { id: string };
    const cancelled = await who.rest('POST', `/bulk-operations/${id}/cancel`);
    expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelled']);
    const again = await who.rest('POST', `/bulk-operations/${id}/cancel`);
    expect([again.status, again.body.details]).toMatchObject([422, [{ field: 'status', code: 'wrong_state' }]]);
    worker = await work(service);
    await doInBulk(who, customers, one); // its job comes after that of the first
    expect(await who.db.customer.count()).toBe(1);
    expect(await readResults(who, id)).toEqual([]);
    expect(await isFinished(who)).toBe(2);
  });

  it.each<[string, (who: Integrator) => Promise<void>]>([
    ['its token is revoked', ({ tokenId }) => revokeToken(service.client, tokenId)],
    [
      'its user has left the tenant',
      async ({ tenantId, userId }) => {
        const { email } = await service.client.user.findUniqueOrThrow({ where: { id: userId } });
        await removeUser(service.client, { email, tenantId });
      },
    ],
    [
      'its token has expired',
      async ({ tokenId }: Integrator) => {
        const data = { expiresAt: new Date(Date.now() - 1000) };
        await service.client.apiToken.update({ where: { id: tokenId }, data });
      },
    ],
    ['its tenant is closed', ({ tenantId }: Integrator) => closeTenant(service.client, tenantId)],
  ])('fails once %s, and writes nothing', async (_, end) => {
    const who = await service.integrator();
    const reader = await service.integrator();
    const { id } = (await upload(who, customers, one)).body.data as { id: string };
    await end(who);
    worker = await work(service);
    await doInBulk(reader, customers, one);
    const operation = await (async () => {
      for (;;) {
        const row = await who.db.bulkOperation.findFirst({ where: { id } });
        if (row?.finishedAt) return row;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    expect(operation).toMatchObject({
      status: 'FAILED',
      processedLines: 0,
      error: 'The one who started it has no access any more.',
    });
    expect(await who.db.customer.count()).toBe(0);
    expect(await isFinished(who)).toBe(1);
  });

  it('does each line once, although the transaction of a chunk fails after its writes', async () => {
    const who = await service.integrator();
    // The first three commits of a chunk fail: as a kill does, that undoes all of the transaction.
    await service.pool.query('create sequence failures');
    await service.pool.query('grant usage on sequence failures to kontor_books');
    await service.pool.query(`create function fail() returns trigger language plpgsql as $$
      begin if nextval('failures') <= 3 then raise exception 'killed'; end if; return null; end $$`);
    await service.pool.query(`create constraint trigger fail after update on bulk_chunks deferrable initially deferred
      for each row execute function fail()`);
    worker = await work(service);
    const lines = Array.from({ length: 450 }, (_, at) => ({ ...sample.customer, external_id: `c${at}` }));
    const { body } = await upload(who, customers, lines);
    const hurry = setInterval(
      () => void service.pool.query(`update graphile_worker._private_jobs set run_at = now() where locked_at is null`),
      100,
    );
    const operation = await untilEnded(who, body.data.id as string).finally(() => clearInterval(hurry));
    await service.pool.query('drop trigger fail on bulk_chunks');
    expect(operation).toMatchObject({ status: 'completed', processed_lines: 450, succeeded_lines: 450 });
    expect(await who.db.customer.count()).toBe(450);
    expect(await who.db.event.count({ where: { type: 'customer.created' } })).toBe(450);
    const results = await readResults(who, body.data.id as string);
    expect(results.map(({ line }) => line)).toEqual(lines.map((_, at) => at + 1));
  });

  it('answers for mixed lines what the single requests are answered, in order', async () => {
    const [who, twin] = [await service.integrator(), await service.integrator()];
    await makeCustomer(who, { externalId: 'taken' });
    await makeCustomer(twin, { externalId: 'taken' });
    const texts = [
      JSON.stringify(sample.customer),
      '[]',
      '7',
      'null',
      '{"a":',
      '"x"',
      JSON.stringify({ ...sample.customer, external_id: 'taken' }),
      JSON.stringify({ ...sample.customer, city: 'a\u0000b' }),
      JSON.stringify({ ...sample.customer, company_name: ' ', type: 'x', nonsense: 1 }),
      '['.repeat(20_000),
      JSON.stringify({ ...sample.customer, external_id: 'new' }),
      JSON.stringify({ ...sample.customer, external_id: 'new' }),
    ];
    worker = await work(service);
    const { operation, results } = await doInBulk(who, customers, `${texts.join('\n')}\n`);
    const expected = [];
    for (const text of texts) {
      const { status, body } = await twin.rest('POST', '/customers', text);
      const { request_id: _, ...refusal } = body;
      expected.push(status === 201 ? { status, id: expect.any(String) } : { status, ...refusal });
    }
    expect(results).toEqual(expected.map((each, at) => ({ line: at + 1, ...each })));
    expect(operation).toMatchObject({ lines: 12, processed_lines: 12, succeeded_lines: 2, failed_lines: 10 });
    const failed = await readResults(who, operation['id'] as string, '?failed=true');
    expect(failed).toEqual(results.filter((each) => 'message' in each));
  });

  it('is deleted with its results 30 days after its end, and never before that', async () => {
    const who = await service.integrator();
    const ended = (days: number) => {
      const finishedAt = new Date(Date.now() - days * 86_400_000);
      return makeBulkOperation(who, { slot: null, status: 'COMPLETED', finishedAt });
    };
    await ended(31);
    const kept = [await ended(29), await makeBulkOperation(who, { createdAt: new Date('2026-01-01') })];
    // Also of a long one, no statement deletes more than 200 rows.
    const long = await ended(40);
    const chunk = { operationId: long, firstLine: 1, content: new Uint8Array(1) };
    await who.db.insert({
      BulkChunk: Array.from({ length: 450 }, (_, at) => who.db.row('BulkChunk', { ...chunk, number: at + 1 })),
    });
    await runScript(
      service,
      `create function refuse_many() returns trigger language plpgsql as $$
         begin if (select count(*) from gone) > 200 then raise exception 'too many'; end if; return null; end $$;
       create trigger refuse_many after delete on bulk_chunks referencing old table as gone for each statement
         execute function refuse_many();`,
    );
    await runJob(cleanUp(service, 10));
    const rows = await who.db.bulkOperation.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map(({ id }) => id)).toEqual(kept);
    const chunks = await who.db.bulkChunk.findMany();
    expect(new Set(chunks.map(({ operationId }) => operationId))).toEqual(new Set(kept));
  });

  it('has at most 10 problems in the result of a line', async () => {
    const who = await service.integrator();
    worker = await work(service);
    const withKeys = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`k${at}`, 1]));
    const { results } = await doInBulk(who, customers, toLines([withKeys(50), withKeys(90_000), sample.customer]));
    expect(results.map(({ status }) => status)).toEqual([422, 422, 201]);
    const counts = results.slice(0, 2).map(({ details }) => (Array.isArray(details) ? details.length : undefined));
    expect(counts).toEqual([10, 1]); // of more values than a body may have, nothing is checked
  });
});
