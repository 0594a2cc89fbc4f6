import type { Task } from 'graphile-worker';
import type { Books } from '../../prisma/client.ts';
import { planDeliveries } from '../../schema/resources/delivery/attempts.ts';
import { gather } from './gather.ts';

/** What the trigger on `events` puts into the job. */
interface Payload {
  tenantId: string;
  eventId: string;
}

/** An event's job: makes a delivery for each webhook that wants it. */
export function fanOut(books: Books): Task {
  const plan = gather<string, void>(books, async (client, eventIds) => {
    await planDeliveries(client, eventIds, new Date());
    return eventIds.map(() => undefined);
  });
  return async (payload) => {
    const { tenantId, eventId } = payload as Payload;
    await plan(tenantId, eventId);
  };
}
