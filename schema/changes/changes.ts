import { queryFromInfo } from '@pothos/plugin-prisma';
import { resourceNamed } from '../resource-list.ts';
import { builder } from '../graphql/builder.ts';
import { NotFoundError } from '../errors/errors.ts';
import { wholeNumber } from '../graphql/input/validators.ts';
import { resourceIdDescription, typeOfRow, withType } from '../graphql/node.ts';
import { resourceTypes } from '../resources/types.ts';
import { defaultChanges, maxChanges } from '../graphql/paging/page-sizes.ts';
import { ResourceNameType } from '../graphql/resource-name.ts';
import { findById } from '../graphql/find-by-id.ts';
import { cursorDays } from './change-cursor.ts';
import { readChanges, type Change, type ChangePage } from './feed.ts';

const AnyResource = builder.unionType('Resource', {
  description: 'Any of the resources.',
  types: Object.values(resourceTypes),
  resolveType: typeOfRow,
});

export const ChangeType = builder.objectRef<Change>('Change').implement({
  description: 'The last change of a resource: it was created, updated, or deleted.',
  fields: (t) => ({
    resource: t.expose('resource', { type: ResourceNameType, description: 'What changed.' }),
    id: t.expose('id', { type: 'UUID', description: "The resource's id." }),
    resourceId: t.expose('id', { type: 'UUID', description: resourceIdDescription("The resource's id") }),
    deleted: t.exposeBoolean('deleted', { description: 'Whether the resource was deleted.' }),
    changedAt: t.expose('changedAt', { type: 'DateTime', description: 'When the change was committed.' }),
    cursor: t.exposeString('cursor', { description: 'Continues right after this change.' }),
    data: t.field({
      type: AnyResource,
      nullable: true,
      description: 'The resource as it is now; null once it is deleted, even if that change follows later in the feed.',
      resolve: async ({ resource, id, deleted }, _args, context, info) => {
        const model = resourceNamed(resource.toLowerCase())?.model;
        if (deleted || !model) return null;
        const query = queryFromInfo({ context, info, typeName: model });
        try {
          return withType(await findById(context, model, id, query), model);
        } catch (error) {
          if (error instanceof NotFoundError) return null;
          throw error;
        }
      },
    }),
  }),
});

const ChangePageType = builder.objectRef<ChangePage>('ChangePage').implement({
  description: 'A page of the change feed.',
  fields: (t) => ({
    nodes: t.expose('nodes', { type: [ChangeType], description: 'The changes, oldest first.' }),
    cursor: t.exposeString('cursor', {
      description: `Continues after this page; after an empty page, too. Valid for ${cursorDays} days.`,
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether more changes are there already.' }),
  }),
});

export const sinceDescription =
  'The cursor of an earlier page or change; `now` for the end of the feed. Default: its beginning.';

builder.queryFields((t) => ({
  changes: t.field({
    type: ChangePageType,
    description:
      'The change feed: the last change of each resource, in the order in which the changes were committed. None is missed. A resource that changes again moves to the end. Deletions are kept for longer than a cursor is valid.',
    args: {
      since: t.arg.string({ description: sinceDescription }),
      limit: t.arg.int({
        description: `The largest number of changes. Default: ${defaultChanges}.`,
        validate: wholeNumber(1, maxChanges),
      }),
      resource: t.arg({
        type: [ResourceNameType],
        description: 'Only changes of these resources. Default: those of the cursor, or all that the token may read.',
      }),
    },
    resolve: (_root, args, context) => readChanges(context, args),
  }),
}));
