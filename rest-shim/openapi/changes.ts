import { resources, type Resource } from '../../schema/resource-list.ts';
import { answeredTime, component, type Components, type JsonSchema } from './schemas.ts';

/** Adds the schemas of a page of the change feed, where the kind of `data` follows from `resource`. */
export function describeChanges(schemaOf: (resource: Resource) => JsonSchema, components: Components): void {
  const kinds = resources.map((resource) =>
    component(components, `${resource.model}Change`, {
      type: 'object',
      required: ['resource', 'id', 'deleted', 'changed_at', 'data'],
      properties: {
        resource: { const: resource.name, description: 'What changed.' },
        id: { type: 'string', format: 'uuid', description: "The resource's id." },
        deleted: { type: 'boolean', description: 'Whether the resource was deleted.' },
        changed_at: { ...answeredTime, description: 'When the change was committed.' },
        data: {
          anyOf: [schemaOf(resource), { type: 'null' }],
          description: 'The resource as it is now; null once it is deleted.',
        },
      },
    }),
  );
  const change = component(components, 'Change', {
    description: 'The last change of a resource: it was created, updated, or deleted.',
    oneOf: kinds,
    discriminator: {
      propertyName: 'resource',
      mapping: Object.fromEntries(resources.map(({ name }, at) => [name, kinds[at]?.['$ref']])),
    },
  });
  component(components, 'ChangeFeedPage', {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: { type: 'array', items: change },
      meta: {
        type: 'object',
        required: ['cursor', 'has_more'],
        properties: {
          cursor: { type: 'string', description: '`since` of the next request. Keep it, also after an empty page.' },
          has_more: { type: 'boolean', description: 'Whether more changes are there already.' },
        },
      },
    },
  });
}
