import type { Task } from 'graphile-worker';
import { forTenant, withHolder, type Books, type Holder, type TenantClient } from '../../prisma/client.ts';
import {
  beginAttempts,
  endAttempts,
  reschedule,
  type DeliveryOutcomes,
  type AttemptResult,
  type OutgoingAttempt,
  type UnsignedAttempt,
} from '../../schema/resources/delivery/attempts.ts';
import type { RetryPolicy } from '../../schema/resources/delivery/retry-policy.ts';
import { tracer } from '../../schema/graphql/execution/tracing.ts';
import type { Encryption } from '../security/encryption.ts';
import { currentTime } from '../../prisma/clock.ts';
import { batchByGroup } from '../../prisma/batching.ts';
import { EndpointConcurrency } from './endpoint-concurrency.ts';
import { success, type Outcome, type Poster } from './post.ts';
import { deliveryHeaders } from './signature.ts';
import { simulate } from './simulate.ts';

/** The job's payload, from the trigger on `deliveries`: it only says "look at this delivery now". */
interface Payload {
  tenantId: string;
  webhookId: string;
  deliveryId: string;
}

export interface DeliverOptions {
  books: Books;
  poster: Poster;
  open: Encryption['open'];
  rules: RetryPolicy;
  /** The worker's concurrency limiter. */
  concurrency?: EndpointConcurrency;
  observer?: DeliveryObserver;
  /** Default: each is a business, and its own holder. */
  findTenant?: (tenantId: string) => Promise<{ isTest: boolean; holder: Holder }>;
  now?: () => Date;
}

interface DeliveringTenant {
  tenantId: string;
  isTest: boolean;
}

/** Observes deliveries, for logs and metrics. */
export interface DeliveryObserver {
  attempted(tenant: DeliveringTenant, sending: OutgoingAttempt, outcome: Outcome): void;
  ended(tenant: DeliveringTenant, consequences: DeliveryOutcomes): void;
}

interface Ending {
  tenant: DeliveringTenant;
  result: AttemptResult;
}

/** The job of a delivery: starts an attempt, sends it, records the result. */
export function deliver({
  books,
  poster,
  open,
  rules,
  concurrency = new EndpointConcurrency(1),
  observer,
  findTenant = async (id) => ({ isTest: false, holder: withHolder({ id, testOf: null }).holder }),
  now = currentTime,
}: DeliverOptions): Task {
  const clientFor = (tenantId: string) => forTenant(books, tenantId);
  const headers = (signing: UnsignedAttempt): Record<string, string> => buildHeaders(signing, open);
  const begin = batchByGroup<TenantClient, string, OutgoingAttempt | undefined>(clientFor, (client, ids) =>
    beginAttempts(client, ids, now(), rules, headers),
  );
  const end = batchByGroup<TenantClient, Ending, void>(clientFor, async (client, endings) => {
    const results = endings.map(({ result }) => result);
    const consequences = await endAttempts(client, results, now(), rules);
    const [first] = endings; // all are of one tenant
    if (first) observer?.ended(first.tenant, consequences);
    return endings.map(() => undefined);
  });
  const postpone = batchByGroup<TenantClient, { deliveryId: string; until: Date }, void>(
    clientFor,
    async (client, until) => {
      await reschedule(client, until);
      return until.map(() => undefined);
    },
  );

  return async (payload) => {
    const { tenantId, webhookId, deliveryId } = payload as Payload;
    const { isTest, holder } = await findTenant(tenantId);
    const slots = concurrency.enter(webhookId, holder);
    try {
      if (!concurrency.hasRoom(slots) || !(await slots.acquire())) {
        return await postpone(tenantId, { deliveryId, until: slots.nextAttemptAt() });
      }
      const ending = await attempt({ tenantId, isTest }, deliveryId).finally(() => slots.release());
      // If this fails, the queue retries the job. The attempt then counts as cut off, and the next attempt is made.
      if (ending) await end(tenantId, ending);
    } finally {
      concurrency.leave(webhookId, holder);
    }
  };

  async function attempt(tenant: DeliveringTenant, deliveryId: string): Promise<Ending | undefined> {
    const sending = await begin(tenant.tenantId, deliveryId);
    if (!sending) return undefined;
    const { number, url, headers: signed, body, eventType, traceParent } = sending;
    const send = (): Promise<Outcome> => poster.post({ url, headers: signed, body });
    const outcome = failUnsent(sending) ?? (await tracer.step(`attempt ${eventType}`, send, traceParent));
    observer?.attempted(tenant, sending, outcome);
    const { status, responseHeaders, responseBody, error, durationMs } = outcome;
    const received = { status, responseHeaders, responseBody, error, durationMs };
    return { tenant, result: { deliveryId, number, success: success(outcome), ...received } };
  }
}

/** The outcome of an attempt that fails without being sent; undefined where it is sent. */
function failUnsent({ simulated, isUnsigned }: OutgoingAttempt): Outcome | undefined {
  if (simulated) return simulate(simulated);
  if (!isUnsigned) return undefined;
  const error = "not sent: a secret of the webhook can't be read";
  const nothing = { status: null, responseHeaders: null, responseBody: Buffer.alloc(0) };
  return { ...nothing, error, startedAt: currentTime(), durationMs: 0 };
}

function buildHeaders(signing: UnsignedAttempt, open: Encryption['open']): Record<string, string> {
  const { document, standard } = signing.secrets;
  return deliveryHeaders({
    event: signing.eventType,
    deliveryId: signing.deliveryId,
    attempt: signing.number,
    eventId: signing.eventId,
    timestamp: Math.floor(signing.startedAt.getTime() / 1000),
    body: signing.body,
    secrets: { document: open(document), standard: standard.map(open) },
  });
}
