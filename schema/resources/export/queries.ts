import { builder } from '../../graphql/builder.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { listArguments, readList } from '../../graphql/lists.ts';
import { exportInputs } from './filter.ts';
import { Export } from './type.ts';

const ExportConnection = builder.connectionObject({ type: Export, name: 'ExportConnection' });

builder.queryFields((t) => ({
  export: t.prismaField({
    type: Export,
    nullable: true,
    description: 'One export.',
    ability: 'exports:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Export', id, query),
  }),
  exports: t.connection(
    {
      type: Export,
      description: 'The exports, newest first.',
      ability: 'exports:read',
      args: { ...listArguments(exportInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'Export', exportInputs, args),
    },
    ExportConnection,
  ),
}));
