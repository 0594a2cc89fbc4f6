import type { Webhooks } from '../../schema/graphql/context.ts';
import { createEncryption, type Encryption } from '../security/encryption.ts';
import type { Keyring } from '../security/keyring.ts';
import { findUrlProblem } from './address-guard.ts';
import { newSecret } from './signature.ts';

/** The domain's interface to the sender of webhooks, and the decryption of their secrets. */
export interface WebhookSettings extends Webhooks {
  open: Encryption['open'];
  allowInsecure: boolean;
}

/** @param secret KONTOR_SECRET, or the keyring that has it */
export function createWebhooks({
  secret,
  allowInsecure,
}: {
  secret: string | Keyring;
  allowInsecure: boolean;
}): WebhookSettings {
  return {
    ...createEncryption(secret, 'webhook secrets'),
    newSecret,
    allowInsecure,
    findUrlProblem: (url) => findUrlProblem(url, { allowInsecure }),
  };
}
