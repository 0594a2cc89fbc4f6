import { BankTransaction } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, readList } from '../../graphql/lists.ts';
import { bankTransactionInputs } from './filter.ts';

const BankTransactionConnection = builder.connectionObject({
  type: BankTransaction,
  name: 'BankTransactionConnection',
});

builder.queryFields((t) => ({
  bankTransaction: t.prismaField({
    type: BankTransaction,
    nullable: true,
    description: 'One bank transaction.',
    ability: 'bank-transactions:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'BankTransaction', id, query),
  }),
  bankTransactions: t.connection(
    {
      type: BankTransaction,
      description: 'The bank transactions, newest first by import.',
      ability: 'bank-transactions:read',
      args: { ...listArguments(bankTransactionInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) =>
        readList({ context, info }, 'BankTransaction', bankTransactionInputs, args),
    },
    BankTransactionConnection,
  ),
}));
