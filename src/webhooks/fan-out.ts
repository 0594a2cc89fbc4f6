import type { Task } from 'graphile-worker';
import { forTenant, type Books, type TenantClient } from '../../prisma/client.ts';
import { planDeliveries } from '../../schema/resources/delivery/attempts.ts';
import { currentTime } from '../../prisma/clock.ts';
import { batchByGroup } from '../../prisma/batching.ts';

/** The job's payload, from the trigger on `events`. */
interface Payload {
  tenantId: string;
  eventId: string;
}

/** Types of events whose documents may need a proof. A receipt needs one if it has attachments. */
const proven = new Set<string>(['invoice.issued', 'credit_note.issued', 'receipt.booked']);

/**
 * The job of an event: creates a delivery for each subscribed webhook.
 * @param documentIssued is called after a tenant has issued invoices or credit notes, or booked receipts
 */
export function fanOut(books: Books, documentIssued: (tenantId: string) => Promise<void>): Task {
  const clientFor = (tenantId: string) => forTenant(books, tenantId);
  const plan = batchByGroup<TenantClient, string, boolean>(clientFor, async (client, eventIds) => {
    const types = await planDeliveries(client, eventIds, currentTime());
    const isIssued = types.some((type) => proven.has(type));
    return eventIds.map((_, index) => index === 0 && isIssued);
  });
  return async (payload) => {
    const { tenantId, eventId } = payload as Payload;
    if (await plan(tenantId, eventId)) await documentIssued(tenantId);
  };
}
