import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createToken, revokeToken } from '../../src/identity/index.ts';
import { cleanUpExports } from '../../src/jobs/exports.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { fileKey } from '../../schema/resources/export/file.ts';
import { maxFileLength, maxKept } from '../../schema/resources/export/kinds.ts';
import { makeCustomer, listEvents } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { connectClient, refusal } from '../mcp/client.ts';
import { until, work } from '../webhooks/receiver.ts';
import { download, exported, readCsv, startExport, untilEnded } from './exports.ts';

let service: Service;
let worker: Worker | undefined;
beforeAll(async () => {
  service = await startService();
});
afterEach(async () => {
  service.clock.now = undefined;
  await worker?.stop();
  worker = undefined;
});
afterAll(() => service.close());

const customers = { type: 'list', resource: 'customers' };
const days = { from: '2026-01-01', to: '2026-12-31' };
const setAbilities = (who: Integrator, abilities: string[]) =>
  service.client.apiToken.update({ where: { id: who.tokenId }, data: { abilities } });

describe('POST /exports', () => {
  it('answers 201 with the export and its Location; a job writes the file, and an event says so', async () => {
    const who = await service.integrator();
    const { status, headers, body } = await who.rest('POST', '/exports', customers);
    const { id } = body.data as { id: string };
    const time = expect.stringMatching(/^20\d\d-/) as string;
    expect([status, headers.get('location')]).toEqual([201, `${service.url}/api/v1/exports/${id}`]);
    const made = {
      id,
      type: 'list',
      format: 'csv',
      resource: 'customers',
      ids: [],
      from: null,
      to: null,
      at: null,
      side: null,
      chart: null,
      consultant_number: null,
      client_number: null,
      status: 'pending',
      rows: null,
      processed_rows: 0,
      error: null,
      file_name: null,
      length: null,
      sha256: null,
      expires_at: null,
      created_at: time,
      started_at: null,
      finished_at: null,
      updated_at: time,
    };
    expect(body).toEqual({ data: made });
    worker = await work(service);
    const ended = await untilEnded(who, id);
    expect(ended).toEqual({
      ...made,
      status: 'completed',
      rows: 0,
      file_name: 'customers.csv',
      length: expect.any(Number) as number,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      expires_at: time,
      started_at: time,
      finished_at: time,
      updated_at: time,
    });
    const kept = Date.parse(String(ended['expires_at'])) - Date.parse(String(ended['finished_at']));
    expect(Math.round(kept / 86_400_000)).toBe(7);
    const events = await listEvents(service, who);
    expect(events.map(({ type, body: event }) => [type, event.data.export])).toEqual([['export.finished', ended]]);
  });

  it('takes the fields of its type, and no others', async () => {
    const who = await service.integrator();
    for (const [body, fields] of [
      [{ type: 'list' }, ['resource']],
      [{ ...customers, ...days }, ['from', 'to']],
      [{ ...customers, chart: 'skr03', at: '2026-01-01' }, ['at', 'chart']],
      [{ type: 'list', resource: 'invoices', from: '2026-02-01', to: '2026-01-31' }, ['to']],
      [{ type: 'list', resource: 'invoices', from: '2000-01-01', to: '2026-01-31' }, ['to']],
      [{ type: 'open_items', format: 'pdf' }, ['at', 'format']],
      [{ ...customers, ids: [] }, ['ids']],
      [{ ...customers, ids: Array.from({ length: 101 }, () => randomUUID()) }, ['ids']],
      [{ type: 'open_items', at: '2026-01-01', ids: [randomUUID()] }, ['ids']],
      [{ type: 'open_items' }, ['at']],
      [{ type: 'datev' }, ['from', 'to', 'chart']],
      [
        { type: 'datev', ...days, chart: 'skr03', format: 'xlsx', consultant_number: 1, client_number: 0 },
        ['consultant_number', 'client_number', 'format'],
      ],
      [{ type: 'gobd', ...days, resource: 'invoices' }, ['resource']],
      [{ type: 'x' }, ['type']],
    ] as const) {
      const { status, body: answer } = await who.rest('POST', '/exports', body);
      expect([body, status, Object.keys(answer.errors as object).toSorted()]).toEqual([body, 422, fields.toSorted()]);
    }
    expect(await who.db.export.count()).toBe(0);
  });

  it('needs its own ability and those of what is exported, and leaves nothing without one', async () => {
    for (const [body, abilities, lacking] of [
      [customers, ['customers:read'], 'ability exports:write'],
      [{ type: 'list', resource: 'invoices' }, ['exports:write'], 'ability invoices:read'],
      [{ type: 'list', resource: 'payments' }, ['exports:write', 'invoices:read'], 'ability receipts:read'],
      [
        { type: 'open_items', at: '2026-01-31', side: 'payable' },
        ['exports:write', 'invoices:read', 'customers:read'],
        'ability receipts:read',
      ],
      [
        { type: 'datev', ...days, chart: 'skr03' },
        ['exports:write', 'customers:read'],
        'abilities invoices:read, receipts:read',
      ],
      [
        { type: 'gobd', ...days },
        ['exports:write', 'invoices:read', 'receipts:read', 'customers:read', 'bank-transactions:read', 'company:read'],
        'ability audit:read',
      ],
    ] as const) {
      const who = await service.integrator({ abilities: [...abilities] });
      const { status, body: answer } = await who.rest('POST', '/exports', body);
      expect([status, answer.message]).toEqual([403, `This token lacks the ${lacking}.`]);
      expect(await who.db.export.count()).toBe(0);
    }
  });

  it('is refused while 5 have not ended', async () => {
    const who = await service.integrator();
    const started = await Promise.all(Array.from({ length: 8 }, () => who.rest('POST', '/exports', customers)));
    expect(started.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
    expect(started.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('30');
    const input = { type: 'LIST', resource: 'CUSTOMERS', format: 'CSV' };
    const start = 'mutation ($input: CreateExportInput!) { createExport(input: $input) { id } }';
    const { errors } = (await who.graphqlAnswer(start, { input })).body;
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', reason: 'TOO_MANY_UNFINISHED', max: 5 });
    const [first] = (await who.rest('GET', '/exports?status=pending')).body.data as { id: string }[];
    await who.rest('POST', `/exports/${first?.id}/cancel`);
    await startExport(who, customers);
  });
});

describe('an export', () => {
  it('of another tenant is not found, by any of its addresses', async () => {
    const [acme, beta] = [await service.integrator(), await service.integrator()];
    await makeCustomer(acme, { companyName: 'Secret' });
    worker = await work(service);
    const { row } = await exported(service, acme, customers);
    const id = String(row['id']);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/file'],
      ['POST', '/cancel'],
    ] as const)
      expect((await beta.rest(method, `/exports/${id}${path}`)).status).toBe(404);
    expect((await beta.rest('GET', '/exports')).body.data).toEqual([]);
    const { file } = await exported(service, beta, customers);
    expect(readCsv(file)).toEqual([]);
  });

  it('that is cancelled gets no file', async () => {
    const who = await service.integrator();
    const id = await startExport(who, customers);
    const cancelled = await who.rest('POST', `/exports/${id}/cancel`);
    expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelled']);
    const again = await who.rest('POST', `/exports/${id}/cancel`);
    expect([again.status, again.body.details]).toMatchObject([422, [{ field: 'status', code: 'wrong_state' }]]);
    worker = await work(service);
    await exported(service, who, customers); // its job comes after that of the first
    expect(await service.fileStorage.read(fileKey(who.tenantId, id))).toBeUndefined();
    expect((await download(service, who, id)).status).toBe(422);
  });

  it('fails once its token is revoked, or lacks an ability, and has no file', async () => {
    const [revoked, weaker] = [await service.integrator(), await service.integrator()];
    const first = await startExport(revoked, customers);
    const second = await startExport(weaker, customers);
    await revokeToken(service.client, revoked.tokenId);
    await setAbilities(weaker, ['exports:read', 'exports:write']);
    worker = await work(service);
    expect(await untilEnded(weaker, second)).toMatchObject({
      status: 'failed',
      error: 'Its token lacks the ability customers:read.',
    });
    await until(async () => (await revoked.db.export.findFirst())?.finishedAt != null, 'the end of the export');
    expect(await revoked.db.export.findFirst()).toMatchObject({
      status: 'FAILED',
      error: 'The one who started it has no access any more.',
    });
    expect(await service.fileStorage.read(fileKey(revoked.tenantId, first))).toBeUndefined();
  });

  it('is deleted with its file 7 days after its end, and not found once it has expired', async () => {
    const who = await service.integrator();
    worker = await work(service);
    const { row } = await exported(service, who, customers);
    const id = String(row['id']);
    const failed = await startExport(who, customers);
    await who.rest('POST', `/exports/${failed}/cancel`);
    const inDays = (count: number): Date => new Date(Date.now() + count * 86_400_000);
    const key = fileKey(who.tenantId, id);
    service.clock.now = inDays(6.9);
    await runJob(cleanUpExports(service, service.domain, 7));
    const response = await download(service, who, id);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    service.clock.now = inDays(7.1);
    expect((await download(service, who, id)).status).toBe(404);
    await runJob(cleanUpExports(service, service.domain, 7));
    expect(await who.db.export.count()).toBe(0);
    expect(await service.fileStorage.read(key)).toBeUndefined();
  });
});

it('The oldest files of a tenant expire when a further one has no room, those of others stay', async () => {
  const [who, other] = [await service.integrator(), await service.integrator()];
  worker = await work(service);
  const ids: string[] = [];
  for (let at = 0; at < 3; at += 1) ids.push(String((await exported(service, who, customers)).row['id']));
  const theirs = String((await exported(service, other, customers)).row['id']);
  await who.db.export.updateMany({ data: { length: maxFileLength } });
  await other.db.export.updateMany({ data: { length: maxFileLength } });
  const { row } = await exported(service, who, customers);
  const kept = [...ids.slice(2), String(row['id'])];
  await until(async () => (await who.db.export.count()) === kept.length, 'the deletion');
  expect((await who.db.export.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)).toEqual(kept);
  const stored = async (tenantId: string, id: string): Promise<boolean> => {
    const file = await service.fileStorage.read(fileKey(tenantId, id));
    file?.content.destroy();
    return file !== undefined;
  };
  expect(await Promise.all([...ids, ...kept].map((id) => stored(who.tenantId, id)))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(await stored(other.tenantId, theirs)).toBe(true);
});

it('has at most 1,000 files', async () => {
  const who = await service.integrator();
  worker = await work(service);
  const first = String((await exported(service, who, customers)).row['id']);
  const { id: _, createdAt, ...row } = await who.db.export.findFirstOrThrow();
  const rows = Array.from({ length: maxKept.files }, () =>
    who.db.row('Export', { ...row, finishedAt: new Date(), createdAt }),
  );
  await who.db.insert({ Export: rows });
  const last = String((await exported(service, who, customers)).row['id']);
  await until(async () => (await who.db.export.count()) === maxKept.files, 'the deletion');
  expect(await who.db.export.count({ where: { id: { in: [first, last] } } })).toBe(1);
  expect(await who.db.export.findFirst({ where: { id: first } })).toBe(null);
});

describe('GET /exports/{id}/file', () => {
  it('answers an attachment with its length and tag, and 304 for the tag', async () => {
    const who = await service.integrator();
    worker = await work(service);
    const { row, file } = await exported(service, who, customers);
    const response = await download(service, who, String(row['id']));
    await response.arrayBuffer();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename=customers.csv',
      'content-length': String(file.length),
      'x-content-type-options': 'nosniff',
    });
    const tag = response.headers.get('etag') ?? '';
    const again = await who.rest('GET', `/exports/${String(row['id'])}/file`, undefined, { 'if-none-match': tag });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await fetch(`${service.url}/api/v1/exports/${String(row['id'])}/file`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${who.token}` },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('is found by its id, also in capitals, and by nothing else; not once the access has ended', async () => {
    const [who, other] = [await service.integrator(), await service.integrator()];
    worker = await work(service);
    const id = String((await exported(service, who, customers)).row['id']);
    const own = String((await exported(service, other, customers)).row['id']);
    expect((await who.rest('GET', `/exports/${id.toUpperCase()}/file`)).status).toBe(200);
    const key = fileKey(who.tenantId, id);
    for (const path of [key, `../../${key}`, `${own}/../../../${key}`, `${own}\0`, `{${id}}`])
      expect([path, (await other.rest('GET', `/exports/${encodeURIComponent(path)}/file`)).status]).toEqual([
        path,
        404,
      ]);
    await revokeToken(service.client, who.tokenId);
    expect((await download(service, who, id)).status).toBe(401);
  });

  it('is refused to a token that may not read what was exported', async () => {
    const who = await service.integrator();
    worker = await work(service);
    const { row } = await exported(service, who, customers);
    await setAbilities(who, ['exports:read', 'invoices:read']);
    expect((await download(service, who, String(row['id']))).status).toBe(403);
    expect((await who.rest('GET', `/exports/${String(row['id'])}`)).status).toBe(200);
    await setAbilities(who, ['customers:read']);
    expect((await download(service, who, String(row['id']))).status).toBe(403);
  });

  it('with audit entries is only for who may read all of these, and for the token that started it', async () => {
    const who = await service.integrator();
    await makeCustomer(who, { companyName: 'Secret' });
    worker = await work(service);
    const tokenOf = (...abilities: string[]) => createToken(service.client, { tenantId: who.tenantId, abilities });
    const inGobd = ['invoices:read', 'receipts:read', 'customers:read', 'bank-transactions:read', 'company:read'];
    for (const [asked, weak, lacking] of [
      [{ type: 'list', resource: 'audit-log' }, ['exports:read', 'audit:read'], /lacks the abilities .*customers:read/],
      [
        { type: 'gobd', ...days },
        ['exports:read', 'audit:read', ...inGobd],
        /lacks the abilities projects:read, time-entries:read, .*webhooks:read, documents:read/,
      ],
    ] as const) {
      const id = String((await exported(service, who, asked)).row['id']);
      const weaker = await tokenOf(...weak);
      const refused = await download(service, weaker, id);
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringMatching(lacking)]);
      const client = await connectClient(service, weaker.token);
      expect((await refusal(client, 'getExportFile', { id })).status).toBe(403);
      await client.close();
      const reader = await download(service, await tokenOf('read'), id);
      expect(reader.status).toBe(200);
      await reader.arrayBuffer();
      // Whoever started it has only what they may read.
      const starter = await tokenOf('exports:write', ...weak);
      const theirs = asIntegrator(service, { ...who, token: starter.token, tokenId: starter.id });
      const { row, file } = await exported(service, theirs, asked);
      if (asked.type === 'list') expect(file.toString()).not.toContain('Secret');
      expect((await download(service, await tokenOf(...weak), String(row['id']))).status).toBe(403);
    }
  });

  it('is 422 as long as there is no file', async () => {
    const who = await service.integrator();
    const id = await startExport(who, customers);
    const { status, body } = await who.rest('GET', `/exports/${id}/file`);
    expect([status, body.errors]).toEqual([422, { status: ['Has no file: only a completed export has one.'] }]);
  });
});
