import { events, findResource, type EventType } from '../../schema/events/events.ts';
import type { EventResource } from '../../schema/resource-list.ts';
import { answeredTime, component, type Components, type JsonSchema } from './schemas.ts';

const header = (name: string, description: string, schema: JsonSchema): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});

const uuid = { type: 'string', format: 'uuid' };

/** The headers of every delivery (CONTRACT.md#delivery-headers), except for the event's name. */
export const webhookHeaders: JsonSchema = {
  'User-Agent': header('User-Agent', 'The version of the payload format.', { const: 'service-webhook/1.0' }),
  'X-Service-Signature': header(
    'X-Service-Signature',
    'HMAC-SHA256 of the exact raw body. The key is the whole secret as shown, `whsec_` included. Compare it in constant time; on a mismatch respond with 401.',
    { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
  ),
  'X-Service-Delivery': header('X-Service-Delivery', 'The id of the delivery, the same in each of its attempts.', uuid),
  'X-Service-Attempt': header('X-Service-Attempt', 'The number of the attempt, from 1.', {
    type: 'integer',
    minimum: 1,
  }),
  'webhook-id': header(
    'webhook-id',
    'The id of the event (Standard Webhooks), the same in each of its deliveries. Recognize repeated events by it.',
    uuid,
  ),
  'webhook-timestamp': header('webhook-timestamp', 'The time of this attempt, in epoch seconds.', {
    type: 'integer',
  }),
  'webhook-signature': header(
    'webhook-signature',
    'The signature by Standard Webhooks. After a rotation, one for each valid secret, separated by spaces.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
  ),
};

const responses = {
  '2XX': { description: 'Received. The delivery log keeps the first 16 KiB of the response body.' },
  401: { description: 'The signature is wrong: the event is not processed, and is sent again.' },
  default: { description: 'Any other response, or none within 10 seconds: the event is sent again, at most 5 times.' },
};

/** The webhooks section: all events, and webhook.ping. Also adds the schema of the event log. */
export function describeWebhooks(
  schemaOf: (resource: EventResource) => JsonSchema,
  components: Components,
): JsonSchema {
  const ofBooks = Object.entries(events).map(([event, when]) => {
    const resource = findResource(event as EventType);
    return [event, describe(event, when, { [resource.name]: schemaOf(resource) }, components)];
  });
  const pong = { message: { const: 'pong' } };
  const ping = describe('webhook.ping', 'a user presses Ping in the webhook settings', pong, components);
  const types = [...Object.keys(events), 'webhook.ping'];
  const schemas = types.map((type) => [type, `#/components/schemas/${schemaName(type)}`] as const);
  component(components, 'Event', {
    type: 'object',
    description: 'An event of the log: its id, and then the body that webhooks are sent, byte for byte.',
    required: ['id'],
    oneOf: schemas.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'event', mapping: Object.fromEntries(schemas) },
  });
  return Object.fromEntries([...ofBooks, ['webhook.ping', ping]]) as JsonSchema;
}

/** `invoice.paid` → `InvoicePaidEvent`. */
const schemaName = (event: string): string =>
  `${event.replace(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Event`;

function describe(event: string, when: string, data: JsonSchema, components: Components): JsonSchema {
  const name = schemaName(event);
  const payload = component(components, name, {
    type: 'object',
    required: ['event', 'tenant_id', 'created_at', 'data'],
    properties: {
      id: { ...uuid, readOnly: true, description: 'Only in the event log: the `webhook-id` of its deliveries.' },
      event: { const: event },
      tenant_id: uuid,
      created_at: { ...answeredTime, description: 'When it happened. Sort events by it.' },
      test: { const: true, description: 'Only in events of test tenants.' },
      data: { type: 'object', required: Object.keys(data), properties: data },
    },
  });
  return {
    post: {
      operationId: `on${name.slice(0, -'Event'.length)}`,
      tags: ['Webhook request'],
      summary: `Sent when ${when}`,
      security: [],
      parameters: [
        header('X-Service-Event', 'The name of the event.', { const: event }),
        ...Object.keys(webhookHeaders).map((each) => ({ $ref: `#/components/parameters/${each}` })),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: payload } },
      },
      responses,
    },
  };
}
