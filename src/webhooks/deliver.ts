import type { Task } from 'graphile-worker';
import { forTenant, type Books } from '../../prisma/client.ts';
import { beginAttempt, endAttempt, postpone, type Rules, type Sending } from '../../schema/delivery-states.ts';
import { success, type Poster } from './post.ts';
import { deliveryHeaders } from './sign.ts';
import type { Vault } from '../vault.ts';

/** What the trigger on `deliveries` puts into the job: it only says "look at this delivery now". */
interface Payload {
  tenantId: string;
  webhookId: string;
  deliveryId: string;
}

export interface Deliverer {
  books: Books;
  poster: Poster;
  open: Vault['open'];
  rules: Rules;
  now?: () => Date;
}

/**
 * How many requests one worker has under way for one webhook. A slow endpoint can hold up as many of the worker's
 * jobs, and no more: the rest are put off, and others pass.
 */
const perWebhook = 8;

/** A delivery's job: begins an attempt, sends it, records how it ended. */
export function deliver({ books, poster, open, rules, now = () => new Date() }: Deliverer): Task {
  const busy = new Map<string, Lane>();

  return async (payload) => {
    const { tenantId, webhookId, deliveryId } = payload as Payload;
    const tenant = forTenant(books, tenantId);
    const lane = busy.get(webhookId) ?? new Lane();
    if (lane.full) return postpone(tenant, deliveryId, lane.turn());

    busy.set(webhookId, lane.enter());
    try {
      const sending = await beginAttempt(tenant, deliveryId, now(), rules, (plan) => headersOf(plan, open));
      if (!sending) return;
      const { url, body } = sending;
      const outcome = await poster.post({ url, headers: headersOf(sending, open), body });
      lane.took(outcome.durationMs);
      // Should this fail, the queue comes back; the attempt then counts as cut off, and the next number is sent.
      const { status, responseHeaders, responseBody, error } = outcome;
      const durationMs = Math.round(outcome.durationMs);
      const ending = {
        success: success(outcome),
        status,
        responseHeaders,
        responseBody: new Uint8Array(responseBody),
        error,
        durationMs,
      };
      await endAttempt(tenant, sending, ending, now(), rules);
    } finally {
      if (lane.leave()) busy.delete(webhookId);
    }
  };
}

/** What a worker has under way for one webhook. */
class Lane {
  #inside = 0;
  #putOff = 0;
  #lastMs = 100;
  #moved = Date.now();

  get full(): boolean {
    return this.#inside >= perWebhook;
  }

  enter(): this {
    this.#inside += 1;
    return this;
  }

  /** @returns whether nobody is left */
  leave(): boolean {
    this.#inside -= 1;
    this.#putOff = Math.max(0, this.#putOff - 1);
    this.#moved = Date.now();
    return this.#inside === 0;
  }

  took(ms: number): void {
    this.#lastMs = ms;
  }

  /** When one who finds the lane full should look again: after those put off before, at the pace of late. */
  turn(): Date {
    this.#putOff += 1;
    const rounds = Math.ceil(this.#putOff / perWebhook);
    // An endpoint that hasn't answered for a while is as slow as that, whatever it was before.
    const paceMs = Math.max(this.#lastMs, Date.now() - this.#moved, 100);
    return new Date(Date.now() + Math.min(rounds * paceMs, 60_000));
  }
}

function headersOf(sending: Sending, open: Vault['open']): Record<string, string> {
  const secret = open(sending.secret);
  const previous = sending.previousSecret && open(sending.previousSecret);
  return deliveryHeaders({
    event: sending.eventType,
    deliveryId: sending.deliveryId,
    attempt: sending.number,
    eventId: sending.eventId,
    timestamp: Math.floor(sending.startedAt.getTime() / 1000),
    body: sending.body,
    secrets: {
      document: previous && sending.signsWithPrevious ? previous : secret,
      standard: previous ? [secret, previous] : [secret],
    },
  });
}
