import type { Context } from '../../schema/graphql/context.ts';
import { deliveryHeaders } from '../webhooks/signature.ts';

// The demo's webhooks have https addresses of this machine, with a port on which nothing listens: all requests fail, and
// nothing leaves the machine. Their past deliveries are written as the worker would have recorded them.

const receivers = [
  {
    url: 'https://localhost:8443/shop/paid',
    description: 'The web shop: who has paid is sent the goods',
    events: ['invoice.paid', 'invoice.cancelled'],
  },
  {
    url: 'https://localhost:8443/archive',
    description: 'The archive of documents',
    events: ['invoice.issued', 'receipt.booked'],
  },
];

/** Seconds from the event to each attempt: at once, then after 10, 100, 1,000, 10,000 and 100,000 more. */
const attemptsAt = [0, 10, 110, 1_110, 11_110, 111_110];
const dayMs = 86_400_000;

/** The statuses of a delivery's attempts. After six failed ones, the delivery has failed. */
function chooseStatuses(receiver: number, index: number, ageMs: number): number[] {
  if (receiver === 1 && ageMs > 2 * dayMs && index % 7 === 3) return [503, 503, 503, 503, 503, 503];
  if (ageMs > dayMs && index % 4 === 2) return [503, 503, 200];
  return [200];
}

interface Event {
  id: string;
  type: string;
  body: string;
  createdAt: Date;
}

/** A delivery to write, and the secrets that sign its attempts. */
interface Planned {
  webhookId: string;
  secret: string;
  event: Event;
  statuses: number[];
}

/** Adds the webhooks, and their deliveries of the last weeks: most of them arrived, a few failed. */
export async function recordDeliveries(context: Context, now: Date): Promise<void> {
  const planned: Planned[] = [];
  for (const index of receivers.keys()) planned.push(...(await addWebhook(context, index, now)));
  planned.sort((a, b) => a.event.createdAt.getTime() - b.event.createdAt.getTime());
  const drafts = planned.map((each) => ({ ...each, row: context.db.row('Delivery', buildDelivery(each)) }));
  const ids = drafts.map(({ row }) => row.id).toSorted(); // lists of deliveries are in the order of ids
  const rows = drafts.map(({ row, ...rest }, at) => ({ ...rest, row: { ...row, id: ids[at] ?? row.id } }));
  await context.insert({
    Delivery: rows.map(({ row }) => row),
    DeliveryAttempt: rows.flatMap(({ row, ...rest }) =>
      buildAttempts(row.id, rest).map((attempt) => context.db.row('DeliveryAttempt', attempt)),
    ),
  });
}

async function addWebhook(context: Context, index: number, now: Date): Promise<Planned[]> {
  const receiver = receivers[index];
  if (!receiver) return [];
  const secret = context.webhooks.newSecret();
  const { id } = await context.db.webhook.create({
    data: { ...receiver, slot: index + 1, secret: context.webhooks.seal(secret) },
  });
  const events = await context.db.event.findMany({
    where: { type: { in: receiver.events }, createdAt: { gt: new Date(now.getTime() - 60 * dayMs) } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const planned = events.map((event, at) => ({
    webhookId: id,
    secret,
    event,
    statuses: chooseStatuses(index, at, now.getTime() - event.createdAt.getTime()),
  }));
  const lastWithStatus = (status: number): Date | null =>
    planned.findLast(({ statuses }) => statuses.at(-1) === status)?.event.createdAt ?? null;
  await context.db.webhook.updateMany({
    where: { id },
    data: { lastSuccessAt: lastWithStatus(200), lastFailureAt: lastWithStatus(503) },
  });
  return planned;
}

const getStart = ({ event }: Planned, index: number): Date =>
  new Date(event.createdAt.getTime() + (attemptsAt[index] ?? 0) * 1000);

const buildDelivery = (planned: Planned) => ({
  webhookId: planned.webhookId,
  eventId: planned.event.id,
  state: planned.statuses.at(-1) === 200 ? ('DELIVERED' as const) : ('FAILED' as const),
  attemptCount: planned.statuses.length,
  createdAt: planned.event.createdAt,
  finishedAt: new Date(getStart(planned, planned.statuses.length - 1).getTime() + 90),
});

function buildAttempts(deliveryId: string, planned: Planned) {
  const { event, secret, statuses } = planned;
  return statuses.map((status, index) => {
    const startedAt = getStart(planned, index);
    const requestHeaders = deliveryHeaders({
      event: event.type,
      deliveryId,
      attempt: index + 1,
      eventId: event.id,
      timestamp: Math.floor(startedAt.getTime() / 1000),
      body: event.body,
      secrets: { document: secret, standard: [secret] },
    });
    return {
      deliveryId,
      number: index + 1,
      startedAt,
      durationMs: 38 + ((event.body.length * (index + 3)) % 52),
      requestHeaders,
      status,
      responseHeaders: { 'content-type': 'text/plain' },
      responseBody: Buffer.from(status === 200 ? 'ok' : 'Service Unavailable'),
    };
  });
}
