import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CursorExpiredError, ForbiddenError, type FollowedChange, type FollowOptions, type Kontor } from '@kontor/sdk';
import { connect } from './environment.js';
import { startProxy, type Fault } from './proxy.js';

const kontor = connect();

const supplier = (name: string) => kontor.customers.create({ type: 'supplier', company_name: name });
const getName = (change: FollowedChange): string | undefined =>
  change.resource === 'customer' ? change.data?.company_name : undefined;

/** The first changes that follow() yields. */
async function take(count: number, options: FollowOptions = {}, by: Kontor = kontor): Promise<FollowedChange[]> {
  const changes: FollowedChange[] = [];
  for await (const change of by.changes.follow(options)) if (changes.push(change) === count) break;
  return changes;
}

describe('changes.follow()', () => {
  it('yields the changes that there are, then each further one', async () => {
    const first = await supplier('First');
    const found: FollowedChange[] = [];
    for await (const change of kontor.changes.follow()) {
      found.push(change);
      if (found.length === 1) await supplier('Second');
      else if (found.length === 2) await kontor.customers.delete(first.id);
      else break;
    }
    assert.deepEqual(found.map(getName), ['First', 'Second', undefined]);
    const { cursor: _, ...deletion } = found[2]!;
    assert.deepEqual(
      { ...deletion, changed_at: '' },
      { resource: 'customer', id: first.id, deleted: true, changed_at: '', data: null },
    );
  });

  it('continues after a stored cursor, misses nothing, and repeats nothing after the last change of a request', async () => {
    const begin = (await kontor.changes.list({ since: 'now' })).meta.cursor;
    const names = Array.from({ length: 7 }, (_, index) => `Change ${index}`);
    for (const name of names) await supplier(name);
    const copy = new Set<string>();
    let since: string | undefined = begin;
    // Restarts after every change, wherever it is in its page.
    for (let taken = 1; copy.size < names.length; taken += 1) {
      const changes: FollowedChange[] = await take((taken % 3) + 1, { since, limit: 3 });
      for (const change of changes) copy.add(getName(change) ?? '');
      since = changes.at(-1)?.cursor;
    }
    assert.deepEqual([...copy].toSorted(), names);
    const [third] = (await take(3, { since: begin, limit: 3 })).slice(-1);
    assert.equal(getName((await take(1, { since: third?.cursor }))[0]!), 'Change 3');
  });

  it('begins with what comes after now, and never goes back behind it', async () => {
    await supplier('Before now');
    const found: (string | undefined)[] = [];
    const cursors: (string | undefined)[] = [];
    setTimeout(() => void Promise.all([supplier('After now'), supplier('After now')]), 100);
    for await (const change of kontor.changes.follow({ since: 'now' })) {
      cursors.push(change.cursor);
      if (found.push(getName(change)) === 2) break;
    }
    assert.deepEqual(found, ['After now', 'After now']);
    assert.ok(cursors.every((cursor) => cursor !== undefined && cursor !== 'now'));
  });

  it('narrows to resources, of which TypeScript knows the type', async () => {
    await supplier('Not a project');
    const { id } = await kontor.projects.create({ name: 'A project', customer_id: null });
    const [change] = await take(1, { resource: ['project', 'invoice'] });
    assert.ok(change?.resource === 'project');
    assert.deepEqual([change.id, change.data?.name], [id, 'A project']);
  });

  const faults: [string, Fault[]][] = [
    ['broken connections', ['refuse', 'cut']],
    ['errors of the service', [{ status: 503 }, { status: 500 }]],
    ['a full rate limit', [{ status: 429, headers: { 'Retry-After': '1' } }]],
  ];
  for (const [what, given] of faults)
    it(`goes on after ${what}`, async () => {
      const count = given.length;
      const proxy = await startProxy(given);
      assert.equal((await take(1, {}, connect({ baseUrl: proxy.url, maxRetries: 0 }))).length, 1);
      assert.equal(proxy.requests.length, count + 1);
      proxy.close();
    });

  it('ends when its signal is aborted, while it waits and between changes', async () => {
    const controller = new AbortController();
    const ended = take(1, {
      since: (await kontor.changes.list({ since: 'now' })).meta.cursor,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 100);
    assert.deepEqual(await ended, []);

    const between = new AbortController();
    let count = 0;
    for await (const _ of kontor.changes.follow({ signal: between.signal })) {
      count += 1;
      between.abort();
    }
    assert.equal(count, 1);
    assert.deepEqual(await take(1, { signal: AbortSignal.abort() }), []);
  });

  it('throws a CursorExpiredError for a cursor of long ago', async () => {
    const { cursor } = (await kontor.changes.list({ limit: 1 })).meta;
    const [position, epoch, time, resources] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const old = Buffer.from(JSON.stringify([position, epoch, time - 91 * 86_400, resources])).toString('base64url');
    await assert.rejects(
      take(1, { since: old }),
      (error) => error instanceof CursorExpiredError && error.status === 410,
    );
  });

  it('throws other errors', async () => {
    const reading = connect({ token: process.env['READING_TOKEN'] ?? '' });
    await assert.rejects(take(1, { resource: ['invoice'] }, reading), ForbiddenError);
  });
});
