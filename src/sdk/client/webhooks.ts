import { defaults } from './defaults.ts';
import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvents } from './generated/types.ts';

/** An event as a webhook receives it. `event` says which one, and so the type of `data`. New events can be added. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];

/** The headers of a request: a `Headers`, or an object as Node's `request.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Milliseconds by which a delivery's time may differ from now. Default: 300,000. */
  tolerance?: number;
  /**
   * Whether a delivery that has only `X-Service-Signature` is accepted: for receivers behind a proxy that removes the headers of
   * Standard Webhooks. That signature doesn't cover the time and the id, so somebody who has seen a delivery could send it
   * again at any time, under another id. Default: false.
   */
  acceptBodySignature?: boolean;
}

const secretPrefix = 'whsec_';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Verifies that a delivery is from the webhook with this secret, unchanged, and recent.
 *
 * Every delivery is signed twice. The signature by Standard Webhooks covers the time and the id, and is valid with the old and
 * the new secret during a rotation. `X-Service-Signature` covers the body only: see `acceptBodySignature`.
 * @param payload the raw body: the bytes as received, or their text. JSON that was parsed and written again has other bytes
 * @param headers all headers of the request
 * @param secret as shown when the webhook was created, `whsec_` included
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  payload: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  { tolerance = defaults.webhookTolerance, acceptBodySignature = false }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (!secret.startsWith(secretPrefix)) throw new WebhookVerificationError('This is not the secret of a webhook.');
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : new Uint8Array(payload);
  const standard = findHeader(headers, 'webhook-signature');
  if (standard === undefined && acceptBodySignature)
    await verifyBody(secret, body, findHeader(headers, 'x-service-signature'));
  else if (standard === undefined) throw new WebhookVerificationError('The header webhook-signature is missing.');
  else await verifyStandard(secret, body, standard, headers, tolerance);
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

/** Standard Webhooks: `v1,BASE64`, one for each valid secret. The key is the bytes behind the secret's prefix. */
async function verifyStandard(
  secret: string,
  body: Bytes,
  signatures: string,
  headers: WebhookHeaders,
  tolerance: number,
): Promise<void> {
  const id = findHeader(headers, 'webhook-id');
  const time = findHeader(headers, 'webhook-timestamp');
  if (id === undefined || time === undefined) throw new WebhookVerificationError('Headers are missing.');
  // A time that isn't a number differs by NaN.
  if (!(Math.abs(Date.now() - Number(time) * 1000) <= tolerance))
    throw new WebhookVerificationError('The delivery is too old, or this clock is wrong.');
  const key = fromBase64(secret.slice(secretPrefix.length));
  if (!key) throw new WebhookVerificationError('This is not the secret of a webhook.');
  const signed = concat(new TextEncoder().encode(`${id}.${time}.`), body);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',');
    if (version === 'v1' && (await isSigned(key, signed, fromBase64(value)))) return;
  }
  throw new WebhookVerificationError('No signature is valid for this body.');
}

/** `sha256=HEX`. The key is the whole secret. */
async function verifyBody(secret: string, body: Bytes, header: string | undefined): Promise<void> {
  const [, hex] = /^sha256=((?:[\da-f]{2})+)$/.exec(header ?? '') ?? [];
  if (!(await isSigned(new TextEncoder().encode(secret), body, hex === undefined ? undefined : fromHex(hex))))
    throw new WebhookVerificationError('The signature is not valid for this body.');
}

/** Whether this is the HMAC-SHA256 of the data. `crypto.subtle` compares in constant time. */
async function isSigned(key: Bytes, data: Bytes, signature: Bytes | undefined): Promise<boolean> {
  if (!signature || key.length === 0) return false;
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return crypto.subtle.verify('HMAC', hmac, signature, data);
}

/** Any implementation of `Headers`, as frameworks bring their own. */
const isHeaders = (headers: WebhookHeaders): headers is Headers => typeof headers['get'] === 'function';

function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const fromHex = (hex: string): Bytes => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

function concat(first: Bytes, second: Bytes): Bytes {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
