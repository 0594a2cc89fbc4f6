import type { Task } from 'graphile-worker';
import { forTenant, type Books, type TenantClient } from '../../prisma/client.ts';
import { planDeliveries } from '../../schema/resources/delivery/attempts.ts';
import { batchPerTenant } from '../../prisma/batching.ts';

/** The job's payload, from the trigger on `events`. */
interface Payload {
  tenantId: string;
  eventId: string;
}

/** The job of an event: creates a delivery for each subscribed webhook. */
export function fanOut(books: Books): Task {
  const clientFor = (tenantId: string) => forTenant(books, tenantId);
  const plan = batchPerTenant<TenantClient, string, void>(clientFor, async (client, eventIds) => {
    await planDeliveries(client, eventIds, new Date());
    return eventIds.map(() => undefined);
  });
  return async (payload) => {
    const { tenantId, eventId } = payload as Payload;
    await plan(tenantId, eventId);
  };
}
