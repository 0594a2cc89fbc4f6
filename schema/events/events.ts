import type { Row } from '../../prisma/client.ts';
import type { Context, EventResource } from '../context.ts';
import type { Known } from '../rows/prefetched-row.ts';
import { formatTime } from '../scalars/scalars.ts';
import { traced, traceParent } from '../execution/tracing.ts';

/** Every event there is, and when it happens (CONTRACT.md#event-names); webhook.ping is not the books' matter. */
export const events = {
  'invoice.created': 'an invoice is added, in whatever state',
  'invoice.issued': 'a draft gets its number',
  'invoice.paid': 'an invoice is paid in full',
  'invoice.payment_reverted': 'a payment of an invoice is undone',
  'invoice.cancelled': 'an issued invoice is withdrawn',
  'invoice.deleted': 'a draft is deleted',
  'invoice.overdue': "an issued invoice was not paid by its due date, in the tenant's time zone; once per invoice",
  'customer.created': 'a customer or supplier is added',
  'customer.updated': 'a customer or supplier is changed',
  'customer.deleted': 'a customer or supplier is deleted',
  'project.created': 'a project is added',
  'project.updated': 'a project is changed',
  'project.deleted': 'a project is deleted',
  'receipt.created': 'a receipt is added, in whatever state',
  'receipt.booked': 'a receipt is entered into the books',
  'receipt.paid': 'a receipt is paid in full',
  'receipt.deleted': 'a receipt is deleted',
  'time_entry.created': 'time is added to a project',
  'time_entry.deleted': 'a time entry is deleted',
  'bank_transaction.created': 'a bank transaction is imported',
  'bank_transaction.matched': 'a bank transaction pays an invoice or receipt, wholly or in part',
  'bank_transaction.unmatched': 'matches of a bank transaction are undone',
} as const;

export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as EventType[];

/** What an event is about, as its name and its `data` say. */
export const resourceOf = (type: EventType): EventResource => type.slice(0, type.indexOf('.')) as EventResource;

/** Something that happened: to what, by its id or as much of it as is known. */
export type Happening = readonly [type: EventType, what: string | Known];

/**
 * Records that something happened to a resource, as it stands now: after a change, before a deletion. Part of
 * `context`'s transaction, so that event and change are committed together or not at all; the row's trigger adds the
 * job. The body is rendered here and never again, so that every delivery sends the same bytes.
 */
export const emit = (context: Context, ...happening: Happening): Promise<void> => emitAll(context, [happening]);

/** The same for many resources at once: what they are read and written with is shared. */
export async function emitAll(context: Context, happenings: Happening[]): Promise<void> {
  if (happenings.length > 0) await context.insert({ Event: await eventsOf(context, happenings) });
}

/** The events themselves, first to last, to be written together with what happened. */
export async function eventsOf(context: Context, happenings: Happening[]): Promise<Row<'Event'>[]> {
  const createdAt = context.now();
  const { requestId } = context;
  const told = await Promise.all(
    happenings.map(([type, what]) =>
      traced(`event ${type}`, async () => {
        const [id, known] = typeof what === 'string' ? [what] : [what.id, what];
        const resource = resourceOf(type);
        const text = await context.represent(resource, id, context, known);
        const body = renderBody(type, context.tenant.id, createdAt, `{"${resource}":${text}}`);
        const event = { type, resourceId: id, body, createdAt, requestId, traceParent: traceParent() };
        return { id, text, row: context.db.row('Event', event) };
      }),
    ),
  );
  const last = told.at(-1);
  if (last) context.told.last = last;
  const rows = told.map(({ row }) => row);
  const ids = rows.map(({ id }) => id).toSorted(); // jobs are added in their order
  return rows.map((row, at) => ({ ...row, id: ids[at] ?? row.id }));
}

/**
 * A webhook's body, keys in the order of CONTRACT.md#delivery-body.
 * @param data JSON text: parsing it would lose its decimals
 */
export function renderBody(type: EventType | 'webhook.ping', tenantId: string, createdAt: Date, data: string): string {
  const head = JSON.stringify({ event: type, tenant_id: tenantId, created_at: formatTime(createdAt) });
  return `${head.slice(0, -1)},"data":${data}}`;
}
