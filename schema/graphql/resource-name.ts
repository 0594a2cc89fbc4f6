import { resources, type Resource } from '../resource-list.ts';
import { builder } from './builder.ts';

/** A resource's name, as GraphQL's enum has it. */
export type ResourceName = Uppercase<Resource['name']>;

export const resourceName = ({ name }: Resource): ResourceName => name.toUpperCase() as ResourceName;

export const ResourceNameType = builder.enumType('ResourceName', {
  description: 'A kind of resource.',
  values: Object.fromEntries(
    resources.map((resource) => [resourceName(resource), { description: `\`${resource.path}\` of REST.` }]),
  ) as Record<ResourceName, { description: string }>,
});
