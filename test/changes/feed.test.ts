import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resources } from '../../schema/resource-list.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';
import { item, makeCustomer, makeInvoice, makeProject, makeTimeEntry } from '../graphql/books.ts';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator, onEachServer, startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { makeEach, samples } from '../resources.ts';
import { readResources, Copy, readFeed } from './copy.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

describe('GET /changes', () => {
  it('answers each creation, change, and deletion, with the resource as GET answers it', async () => {
    const id = await makeCustomer(acme, { companyName: 'Globex' });
    const first = await readFeed(acme);
    expect(first).toEqual({
      data: [
        {
          resource: 'customer',
          id,
          deleted: false,
          changed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
          data: (await acme.rest('GET', `/customers/${id}`)).body.data,
        },
      ],
      meta: { cursor: expect.any(String), has_more: false },
    });

    await acme.rest('PATCH', `/customers/${id}`, { city: 'Ulm' });
    const second = await readFeed(acme, { since: first.meta.cursor });
    expect(second.data).toMatchObject([{ id, deleted: false, data: { city: 'Ulm' } }]);

    await acme.rest('DELETE', `/customers/${id}`);
    const third = await readFeed(acme, { since: second.meta.cursor });
    expect(third.data).toEqual([
      { resource: 'customer', id, deleted: true, changed_at: expect.any(String), data: null },
    ]);
    expect(await readFeed(acme, { since: third.meta.cursor })).toEqual({
      data: [],
      meta: { cursor: expect.any(String), has_more: false },
    });
  });

  it('has every resource, and the copy made from it equals the lists', async () => {
    await makeEach(acme);
    const { data } = await readFeed(acme);
    expect(new Set(data.map(({ resource }) => resource))).toEqual(new Set(resources.map(({ name }) => name)));
    const copy = new Copy(acme);
    await copy.follow(2);
    expect(copy.rows).toEqual(await readResources(acme));
  });

  it('has one entry for a resource, at the place of its last change', async () => {
    const [first, second] = [await makeCustomer(acme), await makeCustomer(acme)];
    await acme.rest('PATCH', `/customers/${first}`, { city: 'Ulm' });
    expect((await readFeed(acme)).data.map(({ id }) => id)).toEqual([second, first]);
  });

  it('has a project again when its tracked time changes', async () => {
    const projectId = await makeProject(acme);
    let { cursor } = (await readFeed(acme)).meta;
    const changesSince = async (): Promise<unknown> => {
      const { data, meta } = await readFeed(acme, { since: cursor, resource: 'project' });
      ({ cursor } = meta);
      return data.map(({ id, data: row }) => [id, row?.['tracked_minutes']]);
    };
    const entry = await makeTimeEntry(acme, { projectId, durationMinutes: 30 });
    expect(await changesSince()).toEqual([[projectId, 30]]);
    await acme.graphql('mutation ($id: UUID!) { updateTimeEntry(id: $id, input: { durationMinutes: 45 }) { id } }', {
      id: entry,
    });
    expect(await changesSince()).toEqual([[projectId, 45]]);
    await acme.graphql('mutation ($id: UUID!) { updateTimeEntry(id: $id, input: { description: "x" }) { id } }', {
      id: entry,
    });
    expect(await changesSince()).toEqual([]);
    await acme.rest('DELETE', `/time-entries/${entry}`);
    expect(await changesSince()).toEqual([[projectId, 0]]);
  });

  it('pages by limit, and says whether there is more', async () => {
    const ids = [await makeCustomer(acme), await makeCustomer(acme), await makeCustomer(acme)];
    const first = await readFeed(acme, { limit: 2 });
    expect([first.data.map(({ id }) => id), first.meta.has_more]).toEqual([ids.slice(0, 2), true]);
    const second = await readFeed(acme, { limit: 2, since: first.meta.cursor });
    expect([second.data.map(({ id }) => id), second.meta.has_more]).toEqual([ids.slice(2), false]);
  });

  it('ends a page of large invoices early, and continues from there', async () => {
    const customerId = await makeCustomer(acme);
    const items = Array.from({ length: 500 }, () => ({ ...item, title: 'ä'.repeat(200) }));
    const count = 70; // each has more than 100,000 characters
    for (let made = 0; made < count; made += 1) await makeInvoice(acme, { customerId, items });
    const first = await acme.rest('GET', '/changes?resource=invoice&limit=1000');
    let { data, meta } = first.body;
    let found: number = data.length;
    expect([found > 0 && found < 50, meta.has_more]).toEqual([true, true]);
    while (meta.has_more) {
      ({ data, meta } = await readFeed(acme, { since: meta.cursor }));
      found += data.length;
    }
    expect(found).toBe(count);
  });

  it('narrows to resources, by a list or repeatedly', async () => {
    await makeEach(acme);
    for (const query of ['resource=customer,project', 'resource=customer&resource=project']) {
      const { body } = await acme.rest('GET', `/changes?${query}`);
      const found = new Set(body.data.map(({ resource }: { resource: string }) => resource));
      expect(found).toEqual(new Set(['customer', 'project']));
    }
  });

  it('begins at its end with since=now', async () => {
    await makeCustomer(acme);
    const now = await readFeed(acme, { since: 'now' });
    expect(now.data).toEqual([]);
    const later = await makeCustomer(acme);
    expect((await readFeed(acme, { since: now.meta.cursor })).data.map(({ id }) => id)).toEqual([later]);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['wait=31', 'wait'],
    ['wait=-1', 'wait'],
    ['since=nonsense', 'since'],
    ['since=', 'since'],
    ['since=%20', 'since'],
    ['resource=webhook', 'resource.0'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await acme.rest('GET', `/changes?${query}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('refuses resources that the cursor was made without: their earlier changes would be missed', async () => {
    const { meta } = await readFeed(acme, { resource: 'customer' });
    const { status, body } = await acme.rest('GET', `/changes?since=${meta.cursor}&resource=invoice`);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['resource']]);
    const all = await readFeed(acme);
    expect((await readFeed(acme, { since: all.meta.cursor, resource: 'invoice' })).data).toEqual([]);
  });
});

describe('access', () => {
  it('a token reads the resources that it may read', async () => {
    const reader = await service.integrator({ abilities: ['customers:read', 'projects:write'] });
    const { customers: id } = await makeEach(await writer(reader));
    expect((await readFeed(reader)).data.map((each) => [each.resource, each.id])).toContainEqual(['customer', id]);
    expect(new Set((await readFeed(reader)).data.map(({ resource }) => resource))).toEqual(new Set(['customer']));
    expect((await reader.rest('GET', '/changes?resource=invoice')).status).toBe(403);
    const nothing = await service.integrator({ abilities: ['customers:write'] });
    expect((await nothing.rest('GET', '/changes')).status).toBe(403);
  });

  it('a token reads no more with the cursor of another token', async () => {
    const reader = await service.integrator({ abilities: ['customers:read'] });
    const all = await writer(reader);
    const { cursor } = (await readFeed(all)).meta;
    await makeEach(all);
    const since = `/changes?since=${cursor}`;
    expect((await reader.rest('GET', since)).status).toBe(403);
    const { data } = (await reader.rest('GET', `${since}&resource=customer`)).body;
    expect(new Set(data.map(({ resource }: { resource: string }) => resource))).toEqual(new Set(['customer']));
    expect((await all.rest('GET', since)).body.data.length).toBeGreaterThan(data.length);
  });

  it('nobody reads another tenant’s changes, whatever the cursor', async () => {
    const globex = await service.integrator();
    const { cursor } = (await readFeed(globex)).meta;
    await makeEach(acme);
    expect((await readFeed(globex, { since: cursor })).data).toEqual([]);
    const { cursor: foreign } = (await readFeed(acme)).meta;
    expect((await readFeed(globex, { since: foreign })).data).toEqual([]);
    await makeCustomer(globex);
    expect((await readFeed(globex, { since: cursor })).data).toHaveLength(1);
  });

  /** The same user with a token that may do everything. */
  async function writer(who: Integrator): Promise<Integrator> {
    const { token } = await createToken(service.client, { tenantId: who.tenantId });
    return asIntegrator(service, { ...who, token });
  }
});

describe('what the feed keeps', () => {
  const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);
  const runCleanUp = async (): Promise<void> => {
    await runJob(cleanUp(service, 10));
  };

  it('deletions for longer than a cursor is valid, and everything else for good', async () => {
    const [kept, old, recent] = [await makeCustomer(acme), await makeCustomer(acme), await makeCustomer(acme)];
    for (const id of [old, recent]) await acme.rest('DELETE', `/customers/${id}`);
    const age = (id: string, changedAt: Date) => acme.db.change.updateMany({ where: { id }, data: { changedAt } });
    await age(kept, days(400));
    await age(old, days(101));
    await age(recent, days(95));
    await runCleanUp();
    expect((await readFeed(acme)).data.map(({ id }) => id)).toEqual([kept, recent]);
  });

  it('a cursor for 90 days: then reading begins again', async () => {
    const { cursor } = (await readFeed(acme)).meta;
    service.clock.now = new Date(Date.now() + 89 * 86_400_000);
    expect((await readFeed(acme, { since: cursor })).data).toEqual([]);
    service.clock.now = new Date(Date.now() + 91 * 86_400_000);
    const { status, body } = await acme.rest('GET', `/changes?since=${cursor}`);
    service.clock.now = undefined;
    expect([status, body]).toEqual([410, { message: expect.any(String), request_id: expect.any(String) }]);
  });

  it('a cursor of a page with more behind it for as long as the one that was read from', async () => {
    const { cursor: read } = (await readFeed(acme)).meta;
    const [, deleted] = [await makeCustomer(acme), await makeCustomer(acme)];
    await acme.rest('DELETE', `/customers/${deleted}`);
    const changed = acme.db.change.updateMany.bind(acme.db.change);
    await changed({ where: { id: deleted }, data: { changedAt: days(-1) } }); // a day after the first page was read
    const inDays = (count: number): void => void (service.clock.now = days(-count));
    try {
      inDays(80); // a slow reader: the deletion is behind its page
      const page = await readFeed(acme, { since: read, limit: 1 });
      expect(page.meta.has_more).toBe(true);
      inDays(80 + 89); // the deletion is no longer in the feed
      expect((await acme.rest('GET', `/changes?since=${page.meta.cursor}`)).status).toBe(410);
      inDays(81);
      const rest = await readFeed(acme, { since: page.meta.cursor });
      expect(rest.data.map(({ id, deleted: isDeleted }) => [id, isDeleted])).toEqual([[deleted, true]]);
      inDays(81 + 89); // it has read everything, so its cursor is a new one
      expect((await readFeed(acme, { since: rest.meta.cursor })).data).toEqual([]);
    } finally {
      service.clock.now = undefined;
    }
  });

  it('no cursor from before a backup was restored', async () => {
    await makeCustomer(acme);
    const { cursor } = (await readFeed(acme)).meta;
    await onEachServer(service, 'select start_change_epoch()');
    expect((await acme.rest('GET', `/changes?since=${cursor}`)).status).toBe(410);
    const { data, meta } = await readFeed(acme);
    expect(data).toHaveLength(1);
    const later = await makeCustomer(acme);
    expect((await readFeed(acme, { since: meta.cursor })).data.map(({ id }) => id)).toEqual([later]);
  });
});

describe('GraphQL', () => {
  it('answers the same changes, with the fields asked for', async () => {
    const customerId = await makeCustomer(acme);
    const id = await makeInvoice(acme, { customerId });
    const query = `query ($since: String) { changes(since: $since, resource: [INVOICE, CUSTOMER]) {
      nodes { resource id deleted cursor data { ... on Invoice { totalGross customer { companyName } } ... on Customer { city } } }
      cursor hasMore
    } }`;
    const { changes } = await acme.graphql(query);
    expect(changes).toEqual({
      nodes: [
        { resource: 'CUSTOMER', id: customerId, deleted: false, cursor: expect.any(String), data: { city: null } },
        {
          resource: 'INVOICE',
          id,
          deleted: false,
          cursor: changes.cursor,
          data: { totalGross: '119', customer: { companyName: 'Globex' } },
        },
      ],
      cursor: expect.any(String),
      hasMore: false,
    });
    const rest = await acme.graphql(query, { since: changes.nodes[0].cursor });
    expect(rest.changes.nodes.map((node: { id: string }) => node.id)).toEqual([id]);
  });

  it('says CURSOR_EXPIRED for an old cursor', async () => {
    const { cursor } = (await readFeed(acme)).meta;
    service.clock.now = new Date(Date.now() + 91 * 86_400_000);
    const { body } = await acme.graphqlAnswer('query ($since: String) { changes(since: $since) { cursor } }', {
      since: cursor,
    });
    service.clock.now = undefined;
    expect(body.errors[0].extensions.code).toBe('CURSOR_EXPIRED');
  });
});

describe('updated_since', () => {
  it.each(resources)('narrows the list of $path', async ({ model, path, name }) => {
    const id = await samples[model].make(acme);
    const { rows } = await service.pool.query(
      `update ${path.replace('-', '_')} set updated_at = '2026-01-31T10:00:00Z' where tenant_id = $1 returning id`,
      [acme.tenantId],
    );
    expect(rows).toContainEqual({ id });
    const idsSince = async (time: string): Promise<string[]> =>
      (await acme.rest('GET', `/${path}?updated_since=${time}`)).body.data.map((row: { id: string }) => row.id);
    expect([name, await idsSince('2026-01-31T10:00:00%2B00:00')]).toEqual([name, rows.map((row) => row.id)]);
    expect(await idsSince('2026-01-31T11:00:00+01:00')).toEqual(rows.map((row) => row.id)); // + not encoded
    expect(await idsSince('2026-01-31T10:00:01Z')).toEqual([]);
  });

  it('refuses what is no time', async () => {
    const { status, body } = await acme.rest('GET', '/customers?updated_since=yesterday');
    expect([status, Object.keys(body.errors)]).toEqual([422, ['updated_since']]);
  });
});
