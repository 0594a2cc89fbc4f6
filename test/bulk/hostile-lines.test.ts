import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Worker } from '../../src/jobs/worker.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from '../rest/samples.ts';
import { work } from '../webhooks/receiver.ts';
import { doInBulk, readResults, toLines, untilEnded, upload } from './operations.ts';

// Lines that attackers write. Each is answered what the single request is; another tenant's operation beside is done well.

let service: Service;
let worker: Worker;
let innocent: Integrator;
/** The log's lines about faults of the worker itself. */
const faults: string[] = [];
beforeAll(async () => {
  service = await startService();
  worker = await work(service, { log: pino({ level: 'error' }, { write: (line) => void faults.push(line) }) });
  innocent = await service.integrator({ name: 'Innocent' });
});
afterAll(async () => {
  await worker.stop();
  await service.close();
});

type Json = Record<string, unknown>;

/** Sends a body that need not be text. */
async function post({ token }: Integrator, path: string, type: string, body: Buffer<ArrayBuffer>) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type };
  const response = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Json };
}

/** Sends a line as a single request, and returns the response as the line's result. */
async function answerSingle(who: Integrator, line: number, body: Buffer<ArrayBuffer>): Promise<Json> {
  const { status, body: answer } = await post(who, '/customers', 'application/json', body);
  const { request_id: _, ...refusal } = answer;
  return { line, status, ...(status === 201 ? { id: (answer['data'] as { id: string }).id } : refusal) };
}

/** As text, which differs in every detail; but new ids are alike. */
const toText = (result: Json): string =>
  JSON.stringify(result['status'] === 201 ? { ...result, id: typeof result['id'] } : result);

/** Does an attacker's lines, and another tenant's beside them. */
async function attack(attacker: Integrator, kind: { resource: string; action: string }, lines: string | Buffer) {
  const before = await innocent.db.customer.count();
  const doHostile = async () => {
    const query = new URLSearchParams(kind).toString();
    const { status, body } = await post(attacker, `/bulk-operations?${query}`, 'application/jsonl', Buffer.from(lines));
    expect([status, body]).toMatchObject([201, {}]);
    const { id } = body['data'] as { id: string };
    return { operation: await untilEnded(attacker, id), results: await readResults(attacker, id) };
  };
  const [hostile, own] = await Promise.all([
    doHostile(),
    doInBulk(innocent, { resource: 'customers', action: 'create' }, [sample.customer, {}, sample.customer]),
  ]);
  expect(own.operation).toMatchObject({ status: 'completed', succeeded_lines: 2, failed_lines: 1 });
  expect(own.results.map(({ line, status }) => [line, status])).toEqual([
    [1, 201],
    [2, 422],
    [3, 201],
  ]);
  expect(await innocent.db.customer.count()).toBe(before + 2);
  expect([...faults, ...service.log.filter((line) => line.includes('"level":50'))]).toEqual([]);
  return hostile;
}

const lineOf = (more: string): Buffer<ArrayBuffer> => Buffer.from(`{"type":"customer","company_name":"Acme"${more}}`);

/** A text that no JSON text can have, or that PostgreSQL can't. */
const hostileTexts: [what: string, json: string][] = [
  ['an escaped NUL', String.raw`a\u0000b`],
  ['a surrogate alone', String.raw`a\ud800`],
  ['surrogates in the wrong order', String.raw`\udc00\ud800`],
  ['a bad escape', String.raw`\x`],
  ['a million characters', 'x'.repeat(1_000_000)],
  ['a replacement character', '\ufffd'],
  ['text from right to left', '\u202egnp.exe'],
];

it('answers for each hostile create what the single request is answered', async () => {
  const [attacker, twin] = [await service.integrator(), await service.integrator()];
  const bodies = [
    Buffer.concat([lineOf(''), Buffer.from('\0')]),
    Buffer.concat([Buffer.from('\0'), lineOf('')]),
    lineOf(`,"city":"a\0b"`),
    Buffer.concat([Buffer.from('{"company_name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), lineOf('')]), // a byte order mark
    Buffer.from([0xef, 0xbb, 0xbf]),
    Buffer.concat([lineOf(''), Buffer.from('\r')]),
    Buffer.from('\v'),
    Buffer.from('\u00a0'),
    ...hostileTexts.flatMap(([, json]) => [
      lineOf(`,"city":"${json}"`),
      lineOf(`,"${json}":1`),
      lineOf(`,"external_id":"${json}"`),
      lineOf(`,"metadata":{"a":"${json}"}`),
      lineOf(`,"metadata":{"${json}":"a"}`),
    ]),
    lineOf(`,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    Buffer.from('{"a":'.repeat(100_000)),
    lineOf(',"__proto__":{"city":"Rome"}'),
    lineOf(',"constructor":{"prototype":{"city":"Rome"}}'),
    lineOf(',"company_name":"Twice"'),
    lineOf(',"id":"0190a1b2-c3d4-7000-8000-000000000000"'),
    lineOf(',"tenant_id":"0190a1b2-c3d4-7000-8000-000000000000"'),
    lineOf(`,"discount":1e999999999`),
    Buffer.from('[]'),
    Buffer.from(`[${lineOf('').toString()}]`),
    Buffer.from(`"${'x'.repeat(1_000_000)}"`),
  ];
  const text = Buffer.concat(bodies.flatMap((body) => [body, Buffer.from('\n')]));
  const { operation, results } = await attack(attacker, { resource: 'customers', action: 'create' }, text);
  const expected: Json[] = [];
  for (const [at, body] of bodies.entries()) expected.push(await answerSingle(twin, at + 1, body));
  expect(results.map(toText)).toEqual(expected.map(toText));
  expect(operation).toMatchObject({ status: 'completed', lines: bodies.length, processed_lines: bodies.length });
  expect(await attacker.db.customer.count()).toBe(await twin.db.customer.count());
});

it('has no more than one problem of a line of 90,000 unknown keys', async () => {
  const attacker = await service.integrator();
  const keys = `{${Array.from({ length: 90_000 }, (_, at) => `"k${at}":1`).join(',')}}\n`;
  const { results } = await attack(attacker, { resource: 'customers', action: 'create' }, keys.repeat(5));
  expect(results.map(({ status, errors }) => [status, errors])).toEqual(
    Array.from({ length: 5 }, () => [422, { body: ['Must not have more than 20000 values.'] }]),
  );
});

it.each(hostileTexts)(
  'refuses an upsert by an external id of %s as a create, and adds nothing',
  async (_what, json) => {
    const [attacker, twin] = [await service.integrator(), await service.integrator()];
    const line = lineOf(`,"external_id":"${json}"`);
    const { results } = await attack(attacker, { resource: 'customers', action: 'upsert' }, `${line.toString()}\n`);
    expect(results.map(toText)).toEqual([toText(await answerSingle(twin, 1, line))]);
  },
);

it.each(['update', 'delete'] as const)('%s: ids of others, of nothing, and no ids at all', async (action) => {
  const attacker = await service.integrator();
  const theirs = await makeCustomer(innocent, { externalId: `of the innocent ${action}` });
  const given = [
    theirs,
    theirs.toUpperCase(),
    `${theirs}\n`,
    '',
    null,
    7,
    1e30,
    [theirs],
    { id: theirs },
    true,
    '\0',
    '%',
  ];
  const lines = toLines(given.map((id) => ({ id })));
  const before = await innocent.db.customer.findFirst({ where: { id: theirs } });
  const { results } = await attack(attacker, { resource: 'customers', action }, lines);
  expect(results.map(({ status }) => status).filter((status) => ![404, 422].includes(status as number))).toEqual([]);
  expect(results.slice(0, 2)).toEqual([1, 2].map((line) => ({ line, status: 404, message: 'Not found.' })));
  expect(await innocent.db.customer.findFirst({ where: { id: theirs } })).toEqual(before);
});

it('an upsert by another tenant’s external id adds a row of its own', async () => {
  const attacker = await service.integrator();
  const theirs = await makeCustomer(innocent, { externalId: 'shared' });
  const before = await innocent.db.customer.findFirst({ where: { id: theirs } });
  const lines = [{ ...sample.customer, external_id: 'shared' }];
  const { results } = await attack(attacker, { resource: 'customers', action: 'upsert' }, toLines(lines));
  expect(results).toEqual([{ line: 1, status: 201, id: expect.not.stringContaining(theirs) }]);
  expect(await innocent.db.customer.findFirst({ where: { id: theirs } })).toEqual(before);
});

it('two operations and single requests that write the same external id make one row, and no line fails', async () => {
  const attacker = await service.integrator();
  const kind = { resource: 'customers', action: 'upsert' };
  const lines = toLines(Array.from({ length: 120 }, (_, at) => ({ ...sample.customer, external_id: `e${at % 7}` })));
  const singles = async (): Promise<number[]> => {
    const statuses = [];
    for (let at = 0; at < 40; at += 1) {
      const body = { ...sample.customer, external_id: `e${at % 7}` };
      statuses.push((await attacker.rest('POST', '/customers', body)).status);
    }
    return statuses;
  };
  const [first, second, single] = await Promise.all([
    attack(attacker, kind, lines),
    doInBulk(attacker, kind, lines),
    singles(),
  ]);
  const added = [...first.results, ...second.results, ...single.map((status) => ({ status }))].filter(
    ({ status }) => status === 201,
  );
  expect(added).toHaveLength(7);
  expect(await attacker.db.customer.count()).toBe(7);
  for (const { operation } of [first, second])
    expect(operation).toMatchObject({ status: 'completed', succeeded_lines: 120, failed_lines: 0 });
  expect(single.filter((status) => ![201, 422].includes(status))).toEqual([]);
});

it('takes no other type or coding of the body, and stores nothing of it', async () => {
  const attacker = await service.integrator();
  for (const headers of [
    { 'content-type': 'application/json' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/jsonl; charset=utf-16' },
    { 'content-type': 'application/jsonl, application/x-ndjson' },
    { 'content-type': '' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'identity' },
    { 'content-encoding': 'br' },
  ] as Record<string, string>[]) {
    const answer = await upload(attacker, { resource: 'customers', action: 'create' }, [sample.customer], headers);
    expect([headers, answer.status]).toEqual([headers, 415]);
    sample.refusal(answer, 415);
  }
  expect(await attacker.db.bulkOperation.count()).toBe(0);
});
