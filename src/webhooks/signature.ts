import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** The secrets that sign a delivery; more than one only during a rotation. */
interface Secrets {
  /** The secret for X-Service-Signature, which has room for one signature. */
  document: string;
  /** The secrets for the Standard Webhooks header, which has room for all of them. */
  standard: string[];
}

export interface Signed {
  /** Exactly as sent. */
  body: string | Uint8Array;
  /** The event's id. Receivers use it to recognize repeated events. */
  eventId: string;
  /** Epoch seconds of this attempt: receivers reject deliveries that are some minutes old. */
  timestamp: number;
  secrets: Secrets;
}

/** `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/**
 * The headers that sign a body, in two ways (DECISIONS.md#d30-signatures): X-Service-Signature, keyed with the whole
 * secret as the user sees it, and that of standardwebhooks.com, keyed with the bytes behind the prefix.
 */
export function signatures({ body, eventId, timestamp, secrets }: Signed) {
  return {
    'X-Service-Signature': `sha256=${createHmac('sha256', secrets.document).update(body).digest('hex')}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.standard.map((secret) => `v1,${standard(secret)}`).join(' '),
  };

  function standard(secret: string): string {
    return createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(`${eventId}.${timestamp}.`)
      .update(body)
      .digest('base64');
  }
}

/** All headers of an attempt, in the order of CONTRACT.md#delivery-headers. */
export function deliveryHeaders({
  event,
  deliveryId,
  attempt,
  ...signed
}: Signed & {
  /** The event's name, such as `invoice.paid`. */
  event: string;
  deliveryId: string;
  /** From 1. */
  attempt: number;
}): Record<string, string> {
  const { 'X-Service-Signature': signature, ...standard } = signatures(signed);
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'service-webhook/1.0',
    'X-Service-Event': event,
    'X-Service-Signature': signature,
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attempt),
    ...standard,
  };
}
