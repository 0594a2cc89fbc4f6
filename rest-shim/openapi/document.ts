import { getNamedType } from 'graphql';
import { grantable } from '../../schema/ability.ts';
import { isAnnounced } from '../deprecation.ts';
import type { CompiledSchema } from '../endpoint.ts';
import { getOperationOf } from '../event-payload.ts';
import type { Route } from '../routes.ts';
import { announcing, envelopeSchemas, errorResponses, errorSchemas, headers } from './answers.ts';
import { describeOperation, humane, resourceName, resourceSchema } from './paths.ts';
import { Examples } from './examples.ts';
import type { Components, JsonSchema } from './schemas.ts';
import { describeWebhooks, webhookHeaders } from './webhooks.ts';

const info = {
  title: 'Kontor',
  version: '1.0',
  license: { name: 'MIT', identifier: 'MIT' },
  summary: 'Invoicing and bookkeeping: REST API v1 and webhooks.',
  description: `Under v1, changes are additive only.

- Every request needs a token, \`Authorization: Bearer TOKEN\`; all data is that of the token's tenant. Only this description needs none.
- One resource is answered as \`{"data": {…}}\`, a list with \`links\` and \`meta\`, newest first.
- Text is trimmed before its bounds are checked. Decimals have at most 15 digits; they are accepted as numbers or as text, and never become binary fractions.
- Fields that a request doesn't know are refused, unknown query parameters are ignored; one sent twice counts as sent last. PATCH changes the fields that are present; \`null\` clears.
- HEAD is answered as GET, without the body; OPTIONS names an address's methods in \`Allow\`.
- At most 60 requests per token are admitted in any 60 seconds.
- The same domain is at \`/graphql\`, with more: payments, matching, statements, webhooks.`,
};

const security: JsonSchema = {
  type: 'http',
  scheme: 'bearer',
  description: `An API token, made in the dashboard under Settings, API tokens. Its abilities: ${grantable.map((each) => `\`${each}\``).join(', ')}.`,
};

/** REST v1 and its webhooks as an OpenAPI 3.1 document: all of it follows from routes, operations and schema. */
export function describeApi(domain: CompiledSchema, routes: readonly Route[]): JsonSchema {
  const components: Components = new Map(Object.entries({ ...errorSchemas, ...envelopeSchemas }));
  const rows = routes.map((route) => {
    const operation = domain.operations.get(route[2]);
    if (!operation) throw new Error(`rest-shim/routes.ts: there is no operation ${route[2]}`);
    return { route, operation };
  });
  const paths: Record<string, JsonSchema> = {};
  const tags = new Map<string, JsonSchema>();
  for (const { route, operation } of rows) {
    const [method, path] = route;
    const name = humane(resourceName(operation));
    tags.set(name, { name, description: getNamedType(operation.shape.type).description ?? '' });
    const item = (paths[path.replace(':id', '{id}')] ??= path.includes(':id')
      ? { parameters: [{ $ref: '#/components/parameters/id' }] }
      : {});
    item[method.toLowerCase()] = describeOperation(route, operation, components);
  }
  const webhooks = describeWebhooks(
    (resource) => resourceSchema(getOperationOf(domain, resource), components),
    components,
  );
  const examples = new Examples(domain.schema, components);
  for (const part of [paths, webhooks]) examples.addTo(part);
  return {
    openapi: '3.1.0',
    info,
    externalDocs: {
      description: 'Guides: a first request, paging, errors, limits, webhooks',
      url: '/docs/quick-start',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    tags: [
      ...tags.values(),
      { name: 'Webhook', description: 'What the service sends, to addresses that users configure.' },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: { token: security },
      parameters: { id: idParameter, ...webhookHeaders },
      headers: { ...headers, ...(rows.some(({ operation }) => isAnnounced(operation)) && announcing) },
      responses: errorResponses,
      schemas: Object.fromEntries(components),
    },
  };
}

const idParameter: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: "Which one. One that doesn't exist, or is another tenant's, is not found.",
  schema: { type: 'string', format: 'uuid' },
};
