import { Receipt } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, readList } from '../../graphql/lists.ts';
import { receiptInputs } from './filter.ts';

const ReceiptConnection = builder.connectionObject({ type: Receipt, name: 'ReceiptConnection' });

builder.queryFields((t) => ({
  receipt: t.prismaField({
    type: Receipt,
    nullable: true,
    description: 'One receipt.',
    ability: 'receipts:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Receipt', id, query),
  }),
  receipts: t.connection(
    {
      type: Receipt,
      description: 'The receipts, newest first.',
      ability: 'receipts:read',
      args: { ...listArguments(receiptInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'Receipt', receiptInputs, args),
    },
    ReceiptConnection,
  ),
}));
