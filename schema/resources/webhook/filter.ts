import { listInputs } from '../../graphql/lists.ts';

export const webhookInputs = listInputs('Webhook', {
  ability: 'webhooks:read',
  hidden: [
    'slot',
    'secret',
    'previousSecret',
    'signsWithPrevious',
    'earlierSecret',
    'earlierSecretUntil',
    'reencryptedAt',
    'simulatedFailures',
    'signsWithEarlier',
    'deletedAt',
  ],
});
