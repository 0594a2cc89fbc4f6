import { describe, expect, it } from 'vitest';
import { planDeliveries } from '../../../schema/resources/delivery/attempts.ts';
import { formatTime } from '../../../schema/graphql/scalars/scalars.ts';
import { onEachServer, type Integrator } from '../../harness.ts';
import { makeCustomer, makeInvoice } from '../books.ts';
import {
  acme,
  globex,
  sendSubscription,
  service,
  serveSubscriptions,
  openStream,
  until,
  type Stream,
} from './subscriptions.ts';

serveSubscriptions();

interface EmittedEvent {
  id: string;
  type: string;
  body: string;
  fannedOutAt: string;
}

const emitted = ({ text }: Stream): EmittedEvent[] =>
  [...text.matchAll(/^event: next\ndata: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data).data.eventEmitted);
const typesOf = (stream: Stream): string[] => emitted(stream).map(({ type }) => type);

const subscribe = (who: Pick<Integrator, 'token'>, args = ''): Promise<Stream> =>
  openStream(sendSubscription(`subscription { eventEmitted${args} { id type body fannedOutAt } }`, who));

/** Does what the worker does with the tenant's events. */
async function fanOut({ db }: Integrator, now = new Date()): Promise<void> {
  const events = await db.event.findMany({ where: { fannedOutAt: null }, orderBy: { id: 'asc' } });
  await planDeliveries(
    db,
    events.map(({ id }) => id),
    now,
  );
}

describe('eventEmitted', () => {
  it('sends each event once it is fanned out, with the bytes that webhooks get, to its tenant only', async () => {
    const [stream, elsewhere] = [await subscribe(acme), await subscribe(globex)];
    await makeCustomer(acme);
    await makeCustomer(globex);
    await fanOut(acme);
    await until(() => emitted(stream).length === 1);
    const [event] = await acme.db.event.findMany({});
    expect(emitted(stream)).toEqual([
      { id: event!.id, type: 'customer.created', body: event!.body, fannedOutAt: formatTime(event!.fannedOutAt!) },
    ]);
    await fanOut(acme); // a job that comes twice
    await fanOut(globex);
    await until(() => emitted(elsewhere).length === 1);
    expect(JSON.parse(emitted(elsewhere)[0]!.body).tenant_id).toBe(globex.tenantId);
    expect(emitted(stream)).toHaveLength(1);
  });

  it('begins with the events from `since` on, in the order in which they were fanned out', async () => {
    const times = [1, 2, 3].map((minute) => new Date(`2026-03-01T10:0${minute}:00Z`));
    for (const [at, time] of times.entries()) {
      // More than are read at a time.
      const data = Array.from({ length: 120 }, (_, each) => ({
        type: 'customer.created',
        body: `{"n":"${at}.${each}"}`,
      }));
      await acme.db.event.createMany({ data });
      await fanOut(acme, time);
    }
    const stream = await subscribe(acme, `(since: "2026-03-01T10:02:00Z")`);
    await until(() => emitted(stream).length === 240);
    expect(new Set(emitted(stream).map(({ id }) => id)).size).toBe(240);
    const order = emitted(stream).map(({ fannedOutAt }) => fannedOutAt);
    expect(order).toEqual(order.toSorted());
    await makeCustomer(acme);
    await fanOut(acme);
    await until(() => emitted(stream).length === 241);
  });

  it('misses no event of a transaction that is committed while the subscription begins', async () => {
    await makeCustomer(acme);
    const transaction = await service.pool.connect();
    await transaction.query('begin');
    await transaction.query('update events set fanned_out_at = now() where tenant_id = $1', [acme.tenantId]);
    const beginning = subscribe(acme, `(since: "2026-03-01T10:00:00Z")`);
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
    await until(async () => (await onEachServer(service, waiting)).length === 1);
    await transaction.query('commit');
    transaction.release();
    const stream = await beginning;
    await until(() => emitted(stream).length === 1);
  });

  it('sends only the types that were asked for, and only what the token may read', async () => {
    const hidden = await service.integrator({ abilities: ['webhooks:read', 'customers:read'] });
    const [some, readable] = [await subscribe(acme, '(types: ["invoice.issued"])'), await subscribe(hidden)];
    for (const who of [acme, hidden]) {
      const { id } = await who.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'X' } });
      for (const type of ['invoice.created', 'invoice.issued', 'customer.created'])
        await who.db.event.create({ data: { type, resourceId: id, body: '{}' } });
      await fanOut(who);
    }
    await until(() => emitted(some).length === 1 && emitted(readable).length === 1);
    expect(typesOf(some)).toEqual(['invoice.issued']);
    expect(typesOf(readable)).toEqual(['customer.created']);
    const again = await subscribe(hidden, `(since: "2026-03-01T10:00:00Z")`);
    await until(() => emitted(again).length === 1);
    expect(typesOf(again)).toEqual(['customer.created']);
  });

  it.each([
    ['no webhooks:read', ['invoices:read'], '', 'webhooks:read'],
    ['a type that it may not read', ['webhooks:read'], '(types: ["invoice.paid"])', 'invoices:read'],
    ['an unknown type', ['*'], '(types: ["invoice.eaten"])', 'There is no event'],
  ])('refuses %s', async (_, abilities, args, message) => {
    const stream = await subscribe(await service.integrator({ abilities }), args);
    await until(() => stream.closed);
    expect(stream.text).toContain(message);
    expect(stream.text).toContain('"errors"');
  });

  it('while nobody subscribes, nothing is announced', async () => {
    const client = await service.pool.connect();
    const received: unknown[] = [];
    client.on('notification', (notification) => received.push(notification));
    await client.query('listen events');
    await makeInvoice(acme);
    await fanOut(acme);
    const stream = await subscribe(acme);
    await makeCustomer(acme);
    await fanOut(acme);
    await until(() => emitted(stream).length === 1);
    await client.query('select 1');
    expect(received).toHaveLength(1);
    client.release(true);
  });
});
