import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { observeStatements } from '../../prisma/connection/connection.ts';
import { revokeToken } from '../../src/identity/index.ts';
import { makeCustomer, makeProject } from '../graphql/books.ts';
import { watched } from '../graphql/subscriptions/subscriptions.ts';
import { defaultTimeouts } from '../../src/server/http/timeouts.ts';
import { asIntegrator, gateway, startService, type Integrator, type Service } from '../harness.ts';
import { readFeed } from './copy.ts';

// Long polling, and the subscription to changes.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

const watching = (): Promise<number> => watched(service, true);
const until = (condition: () => unknown): Promise<unknown> => vi.waitUntil(condition, { timeout: 30_000 });
const noneWatching = (): Promise<unknown> => until(async () => (await watching()) === 0);

describe('wait', () => {
  it('answers with the first change, of any process', async () => {
    const url = String((service.pool.options as { connectionString?: string }).connectionString);
    const elsewhere = await startService({ database: { url, drop: async () => {} } });
    const { cursor } = (await readFeed(acme)).meta;
    const waiting = readFeed(asIntegrator(elsewhere, acme), { since: cursor, wait: 30 });
    await until(async () => (await watching()) === 1);
    const id = await makeCustomer(acme);
    expect((await waiting).data.map((change) => change.id)).toEqual([id]);
    await noneWatching();
    await elsewhere.close();
  });

  it('goes on waiting while other resources or other tenants change', async () => {
    const globex = await service.integrator();
    const { cursor } = (await readFeed(acme)).meta;
    const waiting = readFeed(acme, { since: cursor, wait: 30, resource: 'project' });
    await until(async () => (await watching()) === 1);
    await makeCustomer(acme);
    await makeProject(globex);
    const id = await makeProject(acme);
    expect((await waiting).data.map((change) => change.id)).toEqual([id]);
  });

  it('answers an empty page and a cursor when nothing changes in time', async () => {
    const { cursor } = (await readFeed(acme)).meta;
    const { data, meta } = await readFeed(acme, { since: cursor, wait: 1 });
    expect([data, meta.has_more]).toEqual([[], false]);
    const id = await makeCustomer(acme);
    expect((await readFeed(acme, { since: meta.cursor })).data.map((change) => change.id)).toEqual([id]);
  });

  it('may take longer than any other request', async () => {
    const slow = await startService({
      timeouts: { ...defaultTimeouts, headMs: 5000, idleMs: 5000, requestMs: 5000, responseMs: 500 },
    });
    const who = await slow.integrator();
    const { status, body } = await who.rest('GET', '/changes?wait=1');
    expect([status, body.data]).toEqual([200, []]);
    await slow.close();
  });

  it('answers at once what is there already', async () => {
    const id = await makeCustomer(acme);
    expect((await readFeed(acme, { wait: 30 })).data.map((change) => change.id)).toEqual([id]);
  });

  it('ends when the client disconnects', async () => {
    const request = httpRequest(new URL('/api/v1/changes?wait=30', service.url), {
      headers: { authorization: `Bearer ${acme.token}` },
    });
    request.on('error', () => {}).end();
    await until(async () => (await watching()) === 1);
    request.destroy();
    await noneWatching();
  });

  it('is answered when the service stops', async () => {
    const stopping = await startService();
    const who = await stopping.integrator();
    const waiting = readFeed(who, { wait: 30 }).catch((error: unknown) => error);
    await until(async () => (await watched(stopping, true)) > 0);
    await stopping.close();
    await waiting;
  });

  it('tells nothing to a token that was revoked meanwhile', async () => {
    const waiting = acme.rest('GET', '/changes?wait=30');
    await until(async () => (await watching()) === 1);
    await revokeToken(service.client, acme.tokenId);
    await acme.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Secret' } });
    const { status, text } = await waiting;
    expect(status).toBe(401);
    expect(text).not.toContain('Secret');
  });

  it.each<[string, number, () => Promise<unknown>]>([
    ['its token is revoked', 401, () => revokeToken(service.client, acme.tokenId)],
    [
      'its tenant is closed',
      403,
      () => service.client.apiToken.update({ where: { id: acme.tokenId }, data: { tenantId: null } }),
    ],
  ])('is answered at once when %s', async (_name, status, end) => {
    const waiting = acme.rest('GET', '/changes?wait=30');
    await until(async () => (await watching()) === 1);
    await end();
    expect((await waiting).status).toBe(status);
    await noneWatching();
  });

  it('is answered when its token expires', async () => {
    await service.client.apiToken.update({
      where: { id: acme.tokenId },
      data: { expiresAt: new Date(Date.now() + 1000) },
    });
    const sentAt = performance.now();
    expect((await acme.rest('GET', '/changes?wait=30')).status).toBe(401);
    expect(performance.now() - sentAt, 'not the whole wait').toBeLessThan(30_000);
  });

  it('is answered at once when its access ended before the process listened', async () => {
    const fresh = await startService({
      database: { url: String(service.pool.options.connectionString), drop: async () => {} },
    });
    // The process begins to listen with the first watcher: what was announced before is unknown to it.
    const { pool } = fresh;
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
    let admitted = false;
    pool.query = (async (...args: unknown[]) => {
      const result = await query(...args);
      if (!admitted && JSON.stringify(args[0]).includes('api_tokens')) {
        admitted = true;
        await revokeToken(service.client, acme.tokenId);
      }
      return result;
    }) as typeof pool.query;
    expect((await asIntegrator(fresh, acme).rest('GET', '/changes?wait=30')).status).toBe(401);
    expect(admitted).toBe(true);
    await fresh.close();
  });

  it('has a limit of a hundred for each tenant; other tenants can still wait', async () => {
    const requests = Array.from({ length: 101 }, () => acme.rest('GET', '/changes?wait=30'));
    const first = await Promise.race(requests);
    expect(first.status).toBe(429);
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
    const globex = await service.integrator();
    const waiting = readFeed(globex, { wait: 30 });
    const id = await makeCustomer(globex);
    expect((await waiting).data.map((change) => change.id)).toEqual([id]);
    await makeCustomer(acme);
    const answers = await Promise.all(requests);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  });
});

describe('the subscription to changes', () => {
  const closings: (() => void)[] = [];
  afterEach(() => closings.splice(0).forEach((close) => close()));

  async function subscribe(args = ''): Promise<{ changes: Record<string, unknown>[]; closed: () => boolean }> {
    const request = httpRequest(new URL('/graphql', service.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${acme.token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
    });
    const query = `subscription { changes${args} { resource id deleted cursor data { ... on Customer { companyName } } } }`;
    request.end(JSON.stringify({ query }));
    const [answer] = await once(request, 'response');
    const changes: Record<string, unknown>[] = [];
    let text = '';
    let closed = false;
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const events = [...text.matchAll(/^event: next\ndata: (.*)\n\n/gm)];
      changes.splice(0, changes.length, ...events.map(([, data = '']) => JSON.parse(data).data.changes));
    });
    answer.on('error', () => {}).once('close', () => (closed = true));
    closings.push(() => request.destroy());
    await until(async () => (await watching()) > 0);
    return { changes, closed: () => closed };
  }

  it('sends each change with the resource, as it is committed', async () => {
    await makeCustomer(acme);
    const { changes } = await subscribe();
    const id = await makeCustomer(acme, { companyName: 'Initech' });
    await until(() => changes.length === 1);
    await acme.rest('DELETE', `/customers/${id}`);
    await until(() => changes.length === 2);
    expect(changes).toMatchObject([
      { resource: 'CUSTOMER', id, deleted: false, data: { companyName: 'Initech' } },
      { resource: 'CUSTOMER', id, deleted: true, data: null },
    ]);
    closings.splice(0).forEach((close) => close());
    await noneWatching();
  });

  it('continues after a cursor, first with what was missed', async () => {
    const first = await makeCustomer(acme);
    const { cursor } = (await readFeed(acme)).meta;
    const second = await makeCustomer(acme);
    const { changes } = await subscribe(`(since: "${cursor}")`);
    const third = await makeCustomer(acme);
    await until(() => changes.length === 2);
    expect(changes.map(({ id }) => id)).toEqual([second, third]);
    expect(first).not.toBe(second);
  });

  it('narrows to resources', async () => {
    const { changes } = await subscribe('(resource: [PROJECT])');
    await makeCustomer(acme);
    const id = await makeProject(acme);
    await until(() => changes.length === 1);
    expect(changes).toMatchObject([{ resource: 'PROJECT', id }]);
  });

  it.skipIf(gateway.distributed)('leaves its tenant connections while a commit takes long', async () => {
    for (let left = 30; left > 0; left -= 1) await subscribe();
    let tries = 0;
    const stop = observeStatements(({ text }) => {
      if (text.includes('last_change_position($1)')) tries += 1;
      return undefined;
    });
    const holder = await service.pool.connect();
    try {
      // As an import of very many rows does, until its commit is over.
      await holder.query('begin');
      const lock = `select pg_advisory_xact_lock_shared(hashtextextended($1 || ' change order', 0))`;
      await holder.query(lock, [acme.tenantId]);
      await makeCustomer(acme); // all of them are to read it
      await until(() => tries > 1);
      // Others of the tenant wait for a try or two, not for one of each reader; also when one of these goes.
      for (let round = 0; round < 5; round += 1) {
        const before = tries;
        const answers = await Promise.all(Array.from({ length: 3 }, () => acme.rest('GET', '/customers')));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect(tries - before).toBeLessThanOrEqual(3);
        closings.shift()?.();
      }
    } finally {
      await holder.query('rollback');
      holder.release();
      stop();
    }
  });

  it('ends at once when its token is revoked', async () => {
    const { changes, closed } = await subscribe();
    await revokeToken(service.client, acme.tokenId);
    await until(closed);
    expect(changes).toEqual([]);
  });
});
