import { builder } from '../../graphql/builder.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { listArguments, nestedList, readList } from '../../graphql/lists.ts';
import { BankAccount } from '../bank-account/type.ts';
import { bankStatementInputs } from './filter.ts';
import { BankStatement } from './type.ts';

const BankStatementConnection = builder.connectionObject({ type: BankStatement, name: 'BankStatementConnection' });

builder.queryFields((t) => ({
  bankStatement: t.prismaField({
    type: BankStatement,
    nullable: true,
    description: 'One bank statement.',
    ability: 'bank-transactions:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'BankStatement', id, query),
  }),
  bankStatements: t.connection(
    {
      type: BankStatement,
      description: 'The bank statements that were imported, newest first by import.',
      ability: 'bank-transactions:read',
      args: { ...listArguments(bankStatementInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'BankStatement', bankStatementInputs, args),
    },
    BankStatementConnection,
  ),
}));

builder.prismaObjectField(BankAccount, 'statements', (t) =>
  t.connection(
    {
      type: BankStatement,
      description: 'The statements of this account, newest first by import.',
      ...nestedList('BankStatement', 'bankAccountId', 'statements', bankStatementInputs),
    },
    BankStatementConnection,
  ),
);
