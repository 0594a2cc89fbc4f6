import type { Task } from 'graphile-worker';
import { forTenant, type Books } from '../../prisma/client.ts';
import { planDeliveries } from '../../schema/delivery-states.ts';

/** What the trigger on `events` puts into the job. */
interface Payload {
  tenantId: string;
  eventId: string;
}

/** An event's job: makes a delivery for each webhook that wants it. */
export const fanOut =
  (books: Books): Task =>
  async (payload) => {
    const { tenantId, eventId } = payload as Payload;
    await planDeliveries(forTenant(books, tenantId), eventId, new Date());
  };
