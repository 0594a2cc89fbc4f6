import type { Context, EventResource } from './context.ts';
import { formatTime } from './scalars.ts';

/** Every event there is (decisions, 6), apart from webhook.ping, which is not the books' matter. */
export const eventTypes = [
  'invoice.created',
  'invoice.issued',
  'invoice.paid',
  'invoice.payment_reverted',
  'invoice.cancelled',
  'invoice.deleted',
  'invoice.overdue',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'project.created',
  'project.updated',
  'project.deleted',
  'receipt.created',
  'receipt.booked',
  'receipt.paid',
  'receipt.deleted',
  'time_entry.created',
  'time_entry.deleted',
  'bank_transaction.created',
  'bank_transaction.matched',
  'bank_transaction.unmatched',
] as const;

export type EventType = (typeof eventTypes)[number];

/**
 * Records that something happened to a resource, as it stands now: after a change, before a deletion. Part of
 * `context`'s transaction, so that event and change are committed together or not at all; the row's trigger adds the
 * job. The body is rendered here and never again, so that every delivery sends the same bytes.
 */
export const emit = (context: Context, type: EventType, id: string): Promise<void> => emitAll(context, type, [id]);

/** The same for many resources at once: what they are read and written with is shared. */
export async function emitAll(context: Context, type: EventType, ids: string[]): Promise<void> {
  const resource = type.slice(0, type.indexOf('.')) as EventResource;
  const createdAt = context.now();
  const representations = await Promise.all(ids.map((id) => context.represent(resource, id, context)));
  await context.db.event.createMany({
    data: ids.map((resourceId, index) => {
      const body = renderBody(type, context.tenant.id, createdAt, `{"${resource}":${representations[index]}}`);
      return { type, resourceId, body, createdAt };
    }),
  });
}

/**
 * A webhook's body, keys in the document's order (contract, 6).
 * @param data JSON text: parsing it would lose its decimals
 */
export function renderBody(type: EventType | 'webhook.ping', tenantId: string, createdAt: Date, data: string): string {
  const head = JSON.stringify({ event: type, tenant_id: tenantId, created_at: formatTime(createdAt) });
  return `${head.slice(0, -1)},"data":${data}}`;
}
