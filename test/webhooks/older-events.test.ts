import { afterAll, beforeAll, expect, it } from 'vitest';
import { planDeliveries } from '../../schema/resources/delivery/attempts.ts';
import { startService, type Service } from '../harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A UUIDv7 of this time. */
const idAt = (ms: number, end: string): string => {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${end.padStart(12, '0')}`;
};

it('a webhook gets no event that is older than itself, however late the event is sent', async () => {
  const { db } = await service.integrator();
  const webhook = await db.webhook.create({
    data: { url: 'https://example.com/hook', events: ['*'], secret: new Uint8Array(1) },
  });
  const made = Date.now();
  const events = [
    { id: idAt(made - 3_600_000, '1'), type: 'customer.created', body: '{}' },
    { id: idAt(made - 60_000, '2'), type: 'customer.created', body: '{}' },
    { id: idAt(made + 1, '3'), type: 'customer.created', body: '{}' },
    { id: idAt(made + 60_000, '4'), type: 'customer.created', body: '{}' },
  ];
  await db.event.createMany({ data: events });
  const ids = events.map(({ id }) => id);
  await planDeliveries(db, ids, new Date());
  const planned = await db.delivery.findMany({ where: { webhookId: webhook.id }, orderBy: { eventId: 'asc' } });
  expect(planned.map(({ eventId }) => eventId)).toEqual(ids.slice(2));
  expect(await db.event.count({ where: { fannedOutAt: null } })).toBe(0);
});
