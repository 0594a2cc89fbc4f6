import { BulkOperation } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, readList } from '../../graphql/lists.ts';
import { bulkOperationInputs } from './filter.ts';

const BulkOperationConnection = builder.connectionObject({ type: BulkOperation, name: 'BulkOperationConnection' });

builder.queryFields((t) => ({
  bulkOperation: t.prismaField({
    type: BulkOperation,
    nullable: true,
    description: 'One bulk operation.',
    ability: 'bulk-operations:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'BulkOperation', id, query),
  }),
  bulkOperations: t.connection(
    {
      type: BulkOperation,
      description: 'The bulk operations, newest first.',
      ability: 'bulk-operations:read',
      args: { ...listArguments(bulkOperationInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'BulkOperation', bulkOperationInputs, args),
    },
    BulkOperationConnection,
  ),
}));
