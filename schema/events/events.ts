import { setImmediate as nextTick } from 'node:timers/promises';
import type { Row } from '../../prisma/client.ts';
import { eventResources as allResources, type EventResource } from '../resource-list.ts';
import type { Context } from '../graphql/context.ts';
import type { Tenant } from '../graphql/identity.ts';
import { startExecution } from '../graphql/execution/compile-selection.ts';
import { findById, type PrefetchedRow } from '../graphql/find-by-id.ts';
import { formatTime } from '../graphql/scalars/scalars.ts';
import { tracer } from '../graphql/execution/tracing.ts';

/** Every event there is, and when it happens (CONTRACT.md#event-names); webhook.ping is not the books' matter. */
export const events = {
  'invoice.created': 'an invoice is added, in whatever state',
  'invoice.updated': 'a draft is changed',
  'invoice.issued': 'a draft gets its number',
  'invoice.payment_recorded': 'a payment of an invoice is recorded, whether or not anything is left to pay',
  'invoice.paid': 'nothing is due of an invoice any more: it is paid, credited, or both',
  'invoice.payment_reverted': 'a payment of an invoice is undone',
  'invoice.credited': 'a credit note takes back all or part of an invoice, unless the invoice is cancelled',
  'invoice.refund_recorded': 'a refund of a credit note of an invoice is recorded',
  'invoice.refund_reverted': 'a refund of a credit note of an invoice is undone',
  'invoice.cancelled': 'an issued invoice is withdrawn',
  'invoice.deleted': 'a draft is deleted',
  'invoice.overdue': "an issued invoice was not paid by its due date, in the tenant's time zone; once per invoice",
  'credit_note.created': 'a credit note is made, also when an invoice is cancelled',
  'credit_note.issued': 'a credit note gets its number, which happens when it is made',
  'credit_note.refund_recorded': 'a refund of a credit note is recorded, whether or not anything is left to refund',
  'credit_note.refund_reverted': 'a refund of a credit note is undone',
  'customer.created': 'a customer or supplier is added',
  'customer.updated': 'a customer or supplier is changed',
  'customer.deleted': 'a customer or supplier is deleted',
  'project.created': 'a project is added',
  'project.updated': 'a project is changed',
  'project.deleted': 'a project is deleted',
  'receipt.created': 'a receipt is added, in whatever state',
  'receipt.updated': 'a receipt is changed',
  'receipt.booked': 'a receipt is entered into the books',
  'receipt.payment_recorded': 'a payment of a receipt is recorded, whether or not anything is left to pay',
  'receipt.paid': 'a receipt is paid in full',
  'receipt.payment_reverted': 'a payment of a receipt is undone',
  'receipt.reversed': 'a booked receipt is taken back, also by its deletion: the receipt that reverses it',
  'receipt.deleted': 'a receipt is deleted or reversed',
  'time_entry.created': 'time is added to a project',
  'time_entry.updated': 'a time entry is changed',
  'time_entry.billed': 'time is put on an invoice',
  'time_entry.unbilled': 'time can be billed again: its draft was deleted, or its invoice cancelled',
  'time_entry.deleted': 'a time entry is deleted',
  'bank_account.created': 'a bank account is added, mostly by an import of its first statement',
  'bank_account.updated': 'a bank account is changed',
  'bank_transaction.created': 'a bank transaction is imported',
  'bank_transaction.matched':
    'a bank transaction pays an invoice or receipt, or refunds a credit note, wholly or in part',
  'bank_transaction.unmatched': 'matches of a bank transaction are undone',
  'bank_transaction.ignored': 'a bank transaction is marked as one that pays nothing in the books',
  'bank_transaction.unignored': 'an ignored bank transaction is unmatched again',
  'payment.recorded':
    'a payment of an invoice or a receipt, a refund of a credit note, or the reversal of one is recorded',
  'payment.updated': 'the external id or the metadata of a payment or a refund is changed',
  'payment.reversed': 'a payment or a refund is undone',
  'bulk_operation.finished': 'a bulk operation has ended: it is completed, has failed, or was cancelled',
  'export.finished': 'an export has ended: its file can be downloaded, it has failed, or it was cancelled',
  'books.anchored': "the heads of the books' chains are signed: at most once a day, if anything has changed",
} as const satisfies Partial<Record<`${EventResource['name']}.${string}`, string>>;

export type EventType = keyof typeof events;

export const eventTypes = Object.keys(events) as EventType[];

const eventResources = new Map(
  eventTypes.map((type) => {
    const resource = allResources.find(({ name }) => type.startsWith(`${name}.`));
    if (!resource) throw new Error(`schema/resource-list.ts has no resource of the event ${type}`);
    return [type, resource];
  }),
);

/** The resource that an event is about: the first part of its name. */
export const findResource = (type: EventType): EventResource => eventResources.get(type) as EventResource;

/** An event to record: its type, and the resource by its id or as a prefetched row. */
export type EventInput = readonly [type: EventType, what: string | PrefetchedRow];

/**
 * Records an event of a resource as it stands now: after a change, before a deletion. Part of `context`'s transaction, so
 * that event and change are committed together or not at all; a trigger on the event's row adds the job. The body is
 * rendered here and never again, so that every delivery sends the same bytes.
 */
export const emit = (context: Context, ...input: EventInput): Promise<void> => emitAll(context, [input]);

/** How many events are rendered and written at a time. */
const maxRendered = 200;

/**
 * Records many events at once: their reads are batched, and few statements write them. Between them other requests run, because
 * rendering is work of the process alone.
 */
export async function emitAll(context: Context, inputs: EventInput[]): Promise<void> {
  for (let start = 0; start < inputs.length; start += maxRendered) {
    if (start > 0) await nextTick();
    const rendered = await renderEvents(context, inputs.slice(start, start + maxRendered));
    await context.insert({ Event: rendered.map(({ row }) => row) });
  }
}

/**
 * Renders resources of one kind as events and the change feed show them: REST's representation of a resource as it stands in
 * `context`'s transaction, as JSON.
 * @param known the part of the resource that is loaded already: only the rest is read
 */
export type RenderPayload = (id: string, known?: PrefetchedRow) => Promise<string>;

/** To be used for all resources of a kind that are rendered together: making one takes longer than rendering. */
export function createPayloadRenderer(context: Context, { model }: EventResource): RenderPayload {
  const representation = context.representations.get(model);
  if (!representation) throw new Error(`REST does not represent ${model}`);
  // The payload goes to the webhook, not to the caller: the caller's abilities don't apply. Nor is it part of the response.
  const unlimited = { ...context, may: mayEverything, responseSize: undefined };
  const selected = representation.query(unlimited);
  const execution = startExecution(unlimited);
  return async (id, known) =>
    representation.shape.write(await findById(unlimited, model, known ?? id, selected), execution);
}

const mayEverything = (): boolean => true;

/** An event to write. */
export interface RenderedEvent {
  row: Row<'Event'>;
  /** REST's representation of the resource, as JSON text. */
  payload: string;
}

/** Renders events, in order, to be written together with the change. */
export async function renderEvents(context: Context, inputs: EventInput[]): Promise<RenderedEvent[]> {
  const createdAt = context.now();
  const renderers = new Map<EventResource, RenderPayload>();
  const rendererOf = (resource: EventResource): RenderPayload => {
    const renderer = renderers.get(resource) ?? createPayloadRenderer(context, resource);
    renderers.set(resource, renderer);
    return renderer;
  };
  return Promise.all(
    inputs.map((input) => tracer.step(`event ${input[0]}`, () => renderEvent(context, createdAt, input, rendererOf))),
  );
}

async function renderEvent(
  context: Context,
  createdAt: Date,
  [type, what]: EventInput,
  rendererOf: (resource: EventResource) => RenderPayload,
): Promise<RenderedEvent> {
  const [id, known] = typeof what === 'string' ? [what] : [what.id, what];
  const resource = findResource(type);
  const traceParent = tracer.parent?.() ?? null;
  // It gets its id before anything is waited for: jobs are added in the order of ids.
  const row = context.db.row('Event', {
    type,
    resourceId: id,
    body: '',
    createdAt,
    requestId: context.requestId,
    traceParent,
  });
  const payload = await rendererOf(resource)(id, known);
  row.body = renderBody(type, context.tenant, createdAt, `{"${resource.name}":${payload}}`);
  return { payload, row };
}

/**
 * An event of the log as JSON: its id, and then its body as it was sent. The body isn't parsed: it keeps its decimals.
 * @param body a JSON object, without white space around it
 */
export function withId(id: string, body: string): string {
  const members = body.slice(1, -1);
  return `{"id":${JSON.stringify(id)}${members.trim() === '' ? '' : ','}${members}}`;
}

/**
 * A webhook's body, keys in the order of CONTRACT.md#delivery-body.
 * @param data JSON text: parsing it would lose its decimals
 */
export function renderBody(
  type: EventType | 'webhook.ping',
  { id, test }: Pick<Tenant, 'id' | 'test'>,
  createdAt: Date,
  data: string,
): string {
  const head = JSON.stringify({
    event: type,
    tenant_id: id,
    created_at: formatTime(createdAt),
    ...(test && { test }),
  });
  return `${head.slice(0, -1)},"data":${data}}`;
}
