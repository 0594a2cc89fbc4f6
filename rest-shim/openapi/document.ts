import { getNamedType } from 'graphql';
import { version } from '../../schema/version.ts';
import { grantable } from '../../schema/graphql/ability.ts';
import type { EventResource } from '../../schema/resource-list.ts';
import { isAnnounced } from '../deprecation.ts';
import type { CompiledSchema } from '../endpoint.ts';
import { findGetOperation, type Operation } from '../operation.ts';
import { idsIn, type Route } from '../routes.ts';
import { announcing, envelopeSchemas, errorResponses, errorSchemas, headers } from './responses.ts';
import { batchRefusal, batchSchemas, describeBatch } from './batch.ts';
import { describeDownload } from './exports.ts';
import { describeFileUpload } from './attachments.ts';
import { bulkSchemas, describeResults, describeUpload } from './bulk.ts';
import { describeChanges } from './changes.ts';
import { describeOperation, humane, resourceName, resourceSchema } from './paths.ts';
import { Examples } from './examples.ts';
import type { Components, JsonSchema } from './schemas.ts';
import { describeWebhooks, webhookHeaders } from './webhooks.ts';

const info = {
  title: 'Kontor',
  version,
  contact: { name: 'The operator of this installation' },
  license: { name: 'MIT', identifier: 'MIT' },
  summary: 'Invoicing and bookkeeping: REST API v1 and webhooks.',
  description: `Under v1, changes are additive only.

- Every request needs a token, \`Authorization: Bearer TOKEN\`, and reads and writes data of the token's tenant. Only this description needs no token.
- A single resource is returned as \`{"data": {…}}\`. A list also has \`links\` and \`meta\`, and begins with the newest row.
- Text is trimmed before its length is checked. Decimals have at most 15 digits. They are accepted as numbers or as strings, and are never converted to binary floating point.
- Unknown body fields are rejected, unknown query parameters are ignored, or refused with \`Prefer: handling=strict\`. If a field or parameter appears twice, the last value wins. PATCH changes only the fields that are present; \`null\` clears a field.
- HEAD is answered like GET, without the body. OPTIONS lists the methods of an address in \`Allow\`.
- A token has 60 requests in any 60 seconds, or a limit of its own. A batch is one request.
- The GraphQL API at \`/graphql\` has the same resources, and more operations: updates of drafts, matching, bank statements.
- The [guides](/docs/quick-start) have a first request, paging, errors, limits, webhooks.`,
};

const security: JsonSchema = {
  type: 'http',
  scheme: 'bearer',
  description: `An API token, generated in the dashboard under Settings, API tokens. Possible abilities: ${grantable.map((each) => `\`${each}\``).join(', ')}.`,
};

/** Derives the OpenAPI 3.1 document of REST v1 and its webhooks from routes, operations and schema. */
export function describeApi(domain: CompiledSchema, routes: readonly Route[]): JsonSchema {
  const components: Components = new Map(
    Object.entries({ ...errorSchemas, ...batchSchemas, ...bulkSchemas, ...envelopeSchemas }),
  );
  const rows = routes.map((route) => {
    const operation = domain.operations.get(route[2]);
    if (!operation) throw new Error(`rest-shim/routes.ts: there is no operation ${route[2]}`);
    return { route, operation };
  });
  /** The operation that answers GET for the resource or the list at a path, or above it: for `/invoices/:id/pdf`, `/invoices/:id`. */
  const findReading = (path: string): Operation | undefined => {
    const [resource = path] = /^.*\/:id/.exec(path) ?? [];
    return rows.find(({ route }) => route[0] === 'GET' && route[1] === resource)?.operation;
  };
  const paths: Record<string, JsonSchema> = {};
  const tags = new Map<string, JsonSchema>();
  for (const { route, operation } of rows) {
    const [method, path] = route;
    const reading = findReading(path);
    const owner = reading ?? operation;
    const tag = humane(resourceName(owner));
    tags.set(tag, { name: tag, description: getNamedType(owner.shape.type).description ?? '' });
    const ids = idsIn(path).map((id) => ({ $ref: `#/components/parameters/${id}` }));
    const item = (paths[path.replaceAll(/:(\w+)/g, '{$1}')] ??= ids.length > 0 ? { parameters: ids } : {});
    item[method.toLowerCase()] = describe(route, operation, { tag, reading, components });
  }
  const getSchema = (resource: EventResource): JsonSchema =>
    resourceSchema(findGetOperation(domain.operations, resource), components);
  describeChanges(getSchema, components);
  const webhooks = describeWebhooks(getSchema, components);
  const examples = new Examples(domain.schema, components);
  for (const part of [paths, webhooks]) examples.addTo(part);
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    tags: [
      ...tags.values(),
      { name: 'Webhook request', description: 'Requests that the service sends to addresses configured by users.' },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: { token: security },
      parameters: { ...idParameters, ...webhookHeaders },
      headers: { ...headers, ...(rows.some(({ operation }) => isAnnounced(operation)) && announcing) },
      responses: { ...errorResponses, BatchRefused: batchRefusal },
      schemas: Object.fromEntries(components),
    },
  };
}

/** Describes a row of the routes by its kind of response. */
function describe(
  route: Route,
  operation: Operation,
  about: { tag: string; reading: Operation | undefined; components: Components },
): JsonSchema {
  if (route[3] === 'batch') return describeBatch(route, operation, about);
  if (route[3] === 'upload-file') return describeFileUpload(route, operation, about);
  if (route[3] === 'upload') return describeUpload(route, operation, about);
  if (route[3] === 'download') return describeDownload(operation, about.tag);
  if (route[3] === 'results') return describeResults(operation, about.tag);
  return describeOperation(route, operation, about);
}

const idParameter = (name: string, description: string): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', format: 'uuid' },
});

const idParameters: Record<string, JsonSchema> = {
  id: idParameter('id', 'The id. An unknown id, and an id of another tenant, is answered as not found.'),
  attachment_id: idParameter('attachment_id', "The attachment's id."),
};
