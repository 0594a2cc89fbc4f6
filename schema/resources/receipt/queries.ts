import { NotFoundError } from '../../errors/errors.ts';
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
    args: {
      ...idArgument,
      isReversed: t.arg.boolean({ description: 'Whether it must be reversed, or must not be. Default: either.' }),
    },
    resolve: async (query, _root, { id, isReversed }, context) => {
      const receipt = await findById(context, 'Receipt', id, query);
      if (isReversed != null && isReversed !== (receipt.status === 'REVERSED')) throw new NotFoundError();
      return receipt;
    },
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
