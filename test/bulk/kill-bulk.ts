import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { kontor, type Kontor } from '../faults/processes.ts';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import { verifyAuditLog } from '../../schema/resources/audit-log/verify.ts';
import { createDatabase, startService, type Integrator, type Service } from '../harness.ts';

/** A bulk operation of customers, and what each of its lines must become. */
interface Order {
  who: Integrator;
  key: string;
  action: 'create' | 'upsert';
  text: string;
  /** By the number of its line; empty lines have none. */
  expected: Map<number, { status: number; externalId: string }>;
  id?: string;
}

interface Size {
  kills: number;
  /** Of an operation. */
  lines: number;
}

let made = 0;

/** Every fifth line is refused, and some lines are empty. An upsert finds half of its customers. */
function makeOrder(who: Integrator, lines: number): Order {
  made += 1;
  const action = made % 2 === 0 ? 'upsert' : 'create';
  const expected: Order['expected'] = new Map();
  const texts = Array.from({ length: lines }, (_, at) => {
    if (at % 11 === 10) return '';
    const isWrong = at % 5 === 4;
    const isKnown = action === 'upsert' && at % 4 === 3 && !isWrong && at % 11 !== 0;
    const externalId = `${made}-${isKnown ? at - 1 : at}`;
    // The line before may have been refused, or be empty.
    const hasKnown = isKnown && expected.get(at)?.status === 201;
    expected.set(at + 1, { status: isWrong ? 422 : hasKnown ? 200 : 201, externalId });
    const company = isWrong ? '' : `Customer ${at}`;
    return JSON.stringify({ type: 'customer', company_name: company, external_id: externalId });
  });
  return { who, key: randomUUID(), action, text: `${texts.join('\n')}\n`, expected };
}

/** Slowly enough that a kill can hit the upload. */
async function* sendSlowly(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const part = Math.ceil(bytes.length / 20);
  for (let from = 0; from < bytes.length; from += part) {
    yield bytes.subarray(from, from + part);
    await sleep(10);
  }
}

/**
 * Runs bulk operations of two tenants while the server and two workers are killed at random moments, and expects each line's
 * effect exactly once, with one event, and results that are complete and in order. A third tenant works beside.
 */
export async function killBulk({ kills, lines }: Size): Promise<void> {
  const database = await createDatabase();
  const beside = await startService({ database });
  const server = await kontor('serve', database.url);
  const workers = [await kontor('work', database.url), await kontor('work', database.url)];
  const processes = [server, ...workers];
  try {
    await Promise.all(processes.map((each) => each.start()));
    const tenants = [await beside.integrator(), await beside.integrator({ name: 'Globex' })];
    const innocent = await beside.integrator({ name: 'Innocent' });
    const hit = { uploads: 0, running: 0 };
    const orders: Order[] = [];
    let killed = 0;
    const begin = async (): Promise<void> => {
      const order = makeOrder(tenants[orders.length % tenants.length]!, lines);
      orders.push(order);
      order.id = await start(server, order, () => (hit.uploads += 1));
    };
    /** While a file is sent, in turn with while its lines are done. */
    const kill = async (): Promise<void> => {
      for (; killed < kills; killed += 1) {
        const isUpload = killed % 2 === 0;
        const beginning = isUpload ? begin() : undefined;
        if (!isUpload) await untilRunning(tenants, begin);
        await sleep(Math.random() * 200);
        const victim = isUpload ? server : workers[Math.floor(Math.random() * workers.length)]!;
        if (!isUpload && (await countRunning(tenants)) > 0) hit.running += 1;
        await victim.kill();
        await victim.start();
        await beginning;
      }
    };
    const isDone = (): boolean => killed >= kills;
    let ofInnocent = 0;
    const work = async (): Promise<void> => {
      while (!isDone()) {
        const body = { type: 'customer', company_name: `Innocent ${ofInnocent}` };
        expect((await innocent.rest('POST', '/customers', body)).status).toBe(201);
        ofInnocent += 1;
        await sleep(20);
      }
    };
    await Promise.all([kill(), work()]);
    for (const order of orders) await untilEnded(order);

    expect(hit.uploads, 'kills hit uploads').toBeGreaterThan(0);
    expect(hit.running, 'kills hit running operations').toBeGreaterThan(0);
    for (const order of orders) await expectOnce(beside.url, order);
    for (const who of tenants)
      await expectNothingElse(
        beside,
        who,
        orders.filter((order) => order.who === who),
      );
    expect(await innocent.db.customer.count()).toBe(ofInnocent);
    expect(await innocent.db.event.count()).toBe(ofInnocent);
    await expectLog(beside, innocent, ofInnocent);
  } finally {
    await Promise.all(processes.map((each) => each.kill()));
    await beside.close();
    await database.drop();
  }
}

const countRunning = async (tenants: Integrator[]): Promise<number> =>
  (await Promise.all(tenants.map(({ db }) => db.bulkOperation.count({ where: { status: 'RUNNING' } })))).reduce(
    (sum, each) => sum + each,
    0,
  );

/** Begins an operation if none is under way. */
async function untilRunning(tenants: Integrator[], begin: () => Promise<void>): Promise<void> {
  while ((await countRunning(tenants)) === 0) {
    const waiting = await Promise.all(tenants.map(({ db }) => db.bulkOperation.count({ where: { finishedAt: null } })));
    if (waiting.every((count) => count === 0)) await begin();
    await sleep(20);
  }
}

/** Sends the file with the same key until it is answered. @returns the operation's id */
async function start(server: Kontor, { who, key, action, text }: Order, onFailure: () => void): Promise<string> {
  for (;;) {
    // `duplex` is missing in TypeScript's types.
    const request: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: {
        authorization: `Bearer ${who.token}`,
        'content-type': 'application/jsonl',
        'idempotency-key': key,
      },
      body: Readable.toWeb(Readable.from(sendSlowly(text))) as ReadableStream,
      duplex: 'half',
    };
    const url = `${server.url}/api/v1/bulk-operations?resource=customers&action=${action}`;
    const response = await fetch(url, request).catch(() => undefined);
    const body: unknown = await response?.json().catch(() => undefined);
    if (response?.status === 201 && body) return (body as { data: { id: string } }).data.id;
    // 429: as many as may are unfinished, or on their way.
    if (response && ![429, 500, 503].includes(response.status))
      throw new Error(`${response.status}: ${JSON.stringify(body)}`);
    if (!response) onFailure();
    await sleep(50);
  }
}

async function untilEnded({ who, id }: Order): Promise<void> {
  for (;;) {
    const { status, body } = await who.rest('GET', `/bulk-operations/${id}`);
    expect(status).toBe(200);
    if (body.data.finished_at !== null) return;
    await sleep(50);
  }
}

interface Result {
  line: number;
  status: number;
  id?: string;
}

async function readResults(url: string, { who, id }: Order): Promise<Result[]> {
  const response = await fetch(`${url}/api/v1/bulk-operations/${id}/results`, {
    headers: { authorization: `Bearer ${who.token}` },
  });
  expect(response.status).toBe(200);
  const lines = (await response.text()).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Result);
}

/** The operation's counts add up, its results are complete and in order, and each line has had its effect, and no event but one. */
async function expectOnce(url: string, order: Order): Promise<void> {
  const { who, id, expected } = order;
  const { data } = (await who.rest('GET', `/bulk-operations/${id}`)).body;
  const failed = [...expected.values()].filter(({ status }) => status === 422).length;
  expect(data).toMatchObject({
    status: 'completed',
    error: null,
    lines: expected.size,
    processed_lines: expected.size,
    succeeded_lines: expected.size - failed,
    failed_lines: failed,
  });
  const results = await readResults(url, order);
  expect(results.map(({ line, status }) => [line, status])).toEqual(
    [...expected].map(([line, { status }]) => [line, status]),
  );
  const succeeded = results.filter(({ status }) => status < 300);
  const rows = await who.db.customer.findMany({ where: { id: { in: succeeded.map((result) => result.id!) } } });
  const externalIds = new Map(rows.map((row) => [row.id, row.externalId]));
  expect(succeeded.map((result) => externalIds.get(result.id!))).toEqual(
    succeeded.map(({ line }) => expected.get(line)?.externalId),
  );
  const types = { 201: 'customer.created', 200: 'customer.updated' } as Record<number, string>;
  const events = await who.db.event.findMany({ where: { resourceId: { in: rows.map((row) => row.id) } } });
  const changes = succeeded.map((result) => `${types[result.status]} ${result.id}`).toSorted();
  expect(events.map(({ type, resourceId }) => `${type} ${resourceId}`).toSorted()).toEqual(changes);
  const logged = await who.db.auditEntry.findMany({ where: { resourceId: { in: rows.map((row) => row.id) } } });
  expect(logged.map(({ action, resourceId }) => `customer.${action} ${resourceId}`).toSorted()).toEqual(changes);
}

/** The audit log has an entry for each change, and its chain is whole. */
async function expectLog(service: Service, who: Integrator, changes: number): Promise<void> {
  expect(await who.db.auditEntry.count({ where: { resource: 'customer' } })).toBe(changes);
  const context = await service.contextOf(who);
  while (await sealNext(context)); // a worker may have been killed while it sealed
  expect(await verifyAuditLog(context)).toMatchObject({ difference: null });
  expect(await who.db.auditSeal.count()).toBe(await who.db.auditEntry.count());
}

/** No customer and no event that no line asked for; one event for the end of each operation. */
async function expectNothingElse(service: Service, who: Integrator, orders: Order[]): Promise<void> {
  const lines = orders.flatMap(({ expected }) => [...expected.values()]);
  expect(await who.db.customer.count()).toBe(lines.filter(({ status }) => status === 201).length);
  expect(await who.db.bulkOperation.count()).toBe(orders.length);
  const ends = await who.db.event.findMany({ where: { type: 'bulk_operation.finished' } });
  expect(ends.map(({ resourceId }) => resourceId).toSorted()).toEqual(orders.map(({ id }) => id).toSorted());
  const changed = lines.filter(({ status }) => status < 300).length;
  expect(await who.db.event.count()).toBe(changed + orders.length);
  await expectLog(service, who, changed);
}
