import type { Webhook } from '../../../prisma/generated/client/client.ts';

/** How long a secret stays valid after the rotation that replaced it (DECISIONS.md#d31-rotation). */
export const rotationMs = 24 * 60 * 60 * 1000;

/** The secrets in a webhook's row, each encrypted. */
export type WebhookSecrets = Pick<
  Webhook,
  | 'secret'
  | 'previousSecret'
  | 'previousSecretUntil'
  | 'signsWithPrevious'
  | 'earlierSecret'
  | 'earlierSecretUntil'
  | 'signsWithEarlier'
>;

interface FormerSecret {
  secret: Uint8Array<ArrayBuffer>;
  until: Date;
  /** Whether X-Service-Signature still uses this secret. */
  signsDocument: boolean;
}

/** The former secrets that are still valid, the oldest first: at most two. */
export function formerSecrets(webhook: WebhookSecrets, now: Date): FormerSecret[] {
  const all = [
    { secret: webhook.earlierSecret, until: webhook.earlierSecretUntil, signsDocument: webhook.signsWithEarlier },
    { secret: webhook.previousSecret, until: webhook.previousSecretUntil, signsDocument: webhook.signsWithPrevious },
  ];
  return all.filter((each): each is FormerSecret => each.secret !== null && each.until !== null && now < each.until);
}

/** The encrypted secrets that a delivery is signed with. */
export interface SigningSecrets {
  /** For X-Service-Signature: the oldest valid secret, unless the user had the header use the new one at once. */
  document: Uint8Array;
  /** For the Standard Webhooks header: all valid secrets, the newest first. */
  standard: Uint8Array[];
}

export function signingSecrets(webhook: WebhookSecrets, now: Date): SigningSecrets {
  const former = formerSecrets(webhook, now);
  return {
    document: former.find(({ signsDocument }) => signsDocument)?.secret ?? webhook.secret,
    standard: [webhook.secret, ...former.map(({ secret }) => secret).toReversed()],
  };
}

/**
 * The columns that a rotation writes. Each former secret stays valid for its own 24 hours.
 * @param secret the new one, encrypted
 * @param immediately whether X-Service-Signature uses the new secret at once
 * @returns undefined if two former secrets are valid: a third can't be stored
 */
export function rotatedSecrets(
  webhook: WebhookSecrets,
  secret: Uint8Array<ArrayBuffer>,
  { immediately, now }: { immediately: boolean; now: Date },
): WebhookSecrets | undefined {
  const [previous, another] = formerSecrets(webhook, now);
  if (another) return undefined;
  return {
    secret,
    previousSecret: webhook.secret,
    previousSecretUntil: new Date(now.getTime() + rotationMs),
    signsWithPrevious: !immediately,
    earlierSecret: previous?.secret ?? null,
    earlierSecretUntil: previous?.until ?? null,
    signsWithEarlier: !immediately && previous?.signsDocument === true,
  };
}
