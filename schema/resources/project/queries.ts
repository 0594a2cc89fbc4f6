import { Project } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, readList } from '../../graphql/lists.ts';
import { projectInputs } from './filter.ts';

const ProjectConnection = builder.connectionObject({ type: Project, name: 'ProjectConnection' });

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
      args: { ...listArguments(projectInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'Project', projectInputs, args),
    },
    ProjectConnection,
  ),
}));
