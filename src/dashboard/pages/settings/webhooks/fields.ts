import { graphql, type FragmentOf } from '../../../graphql.ts';

export const WebhookFields = graphql(`
  fragment WebhookFields on Webhook {
    id
    url
    description
    events
    active
    consecutiveFailures
    disabledAt
    formerSecretsUntil
    lastSuccessAt
    lastFailureAt
    waiting
    createdAt
  }
`);

export type Webhook = FragmentOf<typeof WebhookFields>;
