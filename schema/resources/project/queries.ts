import { Project, ProjectStatus } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byText } from '../../graphql/paging/order.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { wordsIn, searchText, containsWords } from '../../graphql/filters/search.ts';
import { externalIdArgument, byExternalId } from '../../graphql/filters/external-id.ts';
import { updatedSinceArgument, updatedSince } from '../../graphql/filters/updated-since.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { buildFilter, type Filters } from '../../graphql/filters/filters.ts';
import { readPage } from '../../graphql/paging/page.ts';

const ProjectConnection = builder.connectionObject({ type: Project, name: 'ProjectConnection' });

const order = orderType('Project', { NAME: byText('name', 'The name.') });

const filters = {
  externalId: byExternalId,
  updatedSince,
  status: (status: typeof ProjectStatus.$inferType) => ({ status }),
  customerId: (customerId: string) => ({ customerId }),
  q: containsWords,
} satisfies Filters<Prisma.ProjectWhereInput>;

builder.queryFields((t) => ({
  project: t.prismaField({
    type: Project,
    nullable: true,
    description: 'One project.',
    ability: 'projects:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Project', id, query),
  }),
  projects: t.connection(
    {
      type: Project,
      description: 'The projects, newest first.',
      ability: 'projects:read',
      args: {
        status: t.arg({ type: ProjectStatus, description: 'Only rows in this state.' }),
        customerId: t.arg({ type: 'UUID', description: 'Only projects of this customer.' }),
        q: t.arg.string({ description: `${wordsIn} name.`, validate: searchText }),
        ...externalIdArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first.' }),
        offset: t.arg.int(),
      },
      resolve: async (_root, args, context, info) =>
        readPage({ context, info }, 'Project', args, await buildFilter(filters, args, context), order.columns),
    },
    ProjectConnection,
  ),
}));
