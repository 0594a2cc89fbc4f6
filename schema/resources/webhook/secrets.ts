import type { Webhook } from '../../../prisma/generated/client/client.ts';

/** How long a secret stays good after the rotation that replaced it (DECISIONS.md#d31-rotation). */
export const rotationMs = 24 * 60 * 60 * 1000;

/** What a webhook's row says of its secrets, each encrypted. */
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
  /** Whether X-Service-Signature has not changed over from it. */
  signsDocument: boolean;
}

/** The secrets before the current one that are still good, the oldest first: at most two. */
export function formerSecrets(webhook: WebhookSecrets, now: Date): FormerSecret[] {
  const all = [
    { secret: webhook.earlierSecret, until: webhook.earlierSecretUntil, signsDocument: webhook.signsWithEarlier },
    { secret: webhook.previousSecret, until: webhook.previousSecretUntil, signsDocument: webhook.signsWithPrevious },
  ];
  return all.filter((each): each is FormerSecret => each.secret !== null && each.until !== null && now < each.until);
}

/** The encrypted secrets that a delivery is signed with. */
export interface SigningSecrets {
  /** Of X-Service-Signature: the oldest that is good, unless its user had the header change over at once. */
  document: Uint8Array;
  /** Of the Standard Webhooks header: all that are good, the newest first. */
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
 * What a rotation writes. Each former secret keeps the 24 hours that it was promised.
 * @param secret the new one, encrypted
 * @param immediately whether X-Service-Signature changes over to the new secret at once
 * @returns undefined where two former secrets are good: there is room for no third
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
