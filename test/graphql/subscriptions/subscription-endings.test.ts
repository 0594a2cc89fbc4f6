import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { forTenant } from '../../../prisma/client.ts';
import { closeTenant, createToken, removeUser, revokeToken } from '../../../src/identity/index.ts';
import { checkEveryMs } from '../../../src/server/graphql/subscription-authorization.ts';
import { gateway, startService, type Integrator } from '../../harness.ts';
import { signedIn } from '../../identity/browser.ts';
import { makeDelivery } from '../books.ts';
import {
  service,
  acme,
  serveSubscriptions,
  Stream,
  startSubscription,
  subscribe,
  until,
  listening,
  watched,
  ping,
  databaseUrl,
} from './subscriptions.ts';

serveSubscriptions();

describe('a subscription ends', () => {
  const tokenOf = async (): Promise<Integrator & { revoke: () => Promise<unknown> }> => {
    const who = await service.integrator();
    return { ...who, revoke: () => revokeToken(service.client, who.tokenId) };
  };

  it.each([
    ['its token is revoked', async (who: Integrator) => revokeToken(service.client, who.tokenId)],
    [
      'its user leaves the tenant',
      async ({ tenantId, userId }: Integrator) => {
        const { email } = await service.client.user.findUniqueOrThrow({ where: { id: userId } });
        await removeUser(service.client, { email, tenantId });
      },
    ],
    ['its tenant is closed', async ({ tenantId }: Integrator) => closeTenant(service.client, tenantId)],
    [
      'its session is ended',
      async ({ userId }: Integrator) => service.client.session.deleteMany({ where: { userId } }),
    ],
  ])('at once when %s, in every process, and gets no later change', async (what, end) => {
    const elsewhere = await startService({ database: { url: databaseUrl(), drop: async () => {} } });
    const staying = await service.integrator();
    const { browser, ...signedInUser } = await signedIn(service);
    const db = forTenant(service.books, signedInUser.tenantId);
    const who = what.includes('session') ? { ...acme, ...signedInUser, db } : await tokenOf();
    const visitor = what.includes('session') ? { browser } : who;
    const both = [await subscribe(visitor), await subscribe(visitor, '', elsewhere.url)];
    const other = await subscribe(staying);
    await makeDelivery(who); // received, so the subscription works
    await until(() => both.every((stream) => stream.changes.length === 1));
    await end(who);
    await makeDelivery(who);
    await until(() => both.every((stream) => stream.closed));
    for (const stream of both) {
      expect(stream.changes).toHaveLength(1);
      expect(stream.text).not.toContain('complete'); // so that its client reconnects, and gets the reason
    }
    expect(other.closed).toBe(false);
    await elsewhere.close();
  });

  it('when its token expires', async () => {
    const who = await service.integrator();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { token } = await createToken(service.client, { tenantId: who.tenantId, expiresAt });
    const staying = await subscribe(acme);
    service.clock.now = new Date(expiresAt.getTime() - 100); // held, so that the token is valid on a slow machine too
    try {
      const stream = await subscribe({ token });
      expect(stream.answer.statusCode).toBe(200);
      await until(() => stream.closed);
      expect(staying.closed).toBe(false);
    } finally {
      service.clock.now = undefined;
    }
  });

  it('when its token was revoked before it began', async () => {
    const who = await tokenOf();
    await until(async () => (await watched()) === 0);
    const holder = await service.pool.connect();
    const lock = [`${who.tenantId} deliveries`];
    await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', lock);
    const asking = startSubscription(who);
    // The answer is read from its first byte on, as it may be closed before the lock's statement is answered.
    const opened = once(asking, 'response').then(
      ([answer]) => new Stream(answer as IncomingMessage),
      () => undefined,
    );
    await until(async () => (await watched()) === 1); // admitted; waits for the lock
    await who.revoke();
    await holder.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
    holder.release();
    const stream = await opened;
    if (stream) await until(() => stream.closed);
    await until(async () => (await watched()) === 0);
  });

  it('after its session has ended; watching doesn’t keep a session awake', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { browser, userId, tenantId } = await signedIn(service);
      const stream = await subscribe({ browser });
      service.clock.now = new Date(Date.now() + 10 * 60_000);
      await vi.advanceTimersByTimeAsync(checkEveryMs);
      const { lastSeenAt } = await service.client.session.findFirstOrThrow({ where: { userId } });
      expect(lastSeenAt.getTime()).toBeLessThan(service.clock.now.getTime() - 9 * 60_000);
      const db = forTenant(service.books, tenantId);
      const { id } = await makeDelivery({ ...acme, tenantId, db });
      await until(() => stream.changes.length > 0);
      expect(stream.changes[0]).toMatchObject({ id });

      service.clock.now = new Date(Date.now() + 31 * 60_000); // half an hour without a request
      await vi.advanceTimersByTimeAsync(checkEveryMs);
      await until(() => stream.closed);
    } finally {
      service.clock.now = undefined;
      vi.useRealTimers();
    }
  });

  it('when the connection to the database is lost; the next one opens it again', async () => {
    const { webhookId } = await makeDelivery(acme);
    const lost = await subscribe(acme);
    const [pid] = await listening();
    await service.pool.query('select pg_terminate_backend($1::int)', [pid]);
    await until(() => lost.closed);
    const stream = await subscribe(acme);
    const id = await ping(acme, webhookId);
    await until(() => stream.changes.length > 0);
    expect(stream.changes.map((each) => each.id)).toEqual([id]);
  });

  it('at once when the service stops', async () => {
    const stopping = await startService({ database: { url: databaseUrl(), drop: async () => {} } });
    const stream = await subscribe(acme, '', stopping.url);
    await stopping.close();
    await until(() => stream.closed);
  });

  it('when its client disconnects, and leaves neither lock nor timer', async () => {
    await until(async () => (await watched()) === 0);
    const five = await Promise.all(Array.from({ length: 5 }, () => subscribe(acme)));
    expect(await watched()).toBe(gateway.distributed ? 5 : 1); // one lock, held five times; or five rows
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const during = timers();
    for (const stream of five) stream.hangUp();
    await until(async () => (await watched()) === 0);
    await until(() => timers() <= during - 5);
  });

  it('when its client disconnects before it began', async () => {
    await until(async () => (await watched()) === 0);
    const holder = await service.pool.connect();
    const lock = [`${acme.tenantId} deliveries`];
    await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', lock);
    const logged = service.log.length;
    const asking = startSubscription(acme).on('error', () => {});
    await until(async () => (await watched()) === 1); // waits for the lock
    asking.destroy();
    await until(() => service.log.slice(logged).some((line) => line.includes('"aborted":true')));
    await holder.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
    holder.release();
    await until(async () => (await watched()) === 0);
  });
});

it('none of these tests caused an error in the log', () => {
  expect(service.log.filter((line) => JSON.parse(line).level > 30)).toEqual([]);
});
