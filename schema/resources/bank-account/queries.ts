import { builder } from '../../graphql/builder.ts';
import { today } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { listArguments, readList } from '../../graphql/lists.ts';
import { found } from '../../errors/errors.ts';
import { findBalance } from './balance.ts';
import { bankAccountInputs } from './filter.ts';
import { BankAccount, BankBalance } from './type.ts';

const atArgument = builder.args((t) => ({
  at: t.field({ type: 'Date', description: "The day. Default: today, in the tenant's time zone." }),
}));

const BankAccountConnection = builder.connectionObject({ type: BankAccount, name: 'BankAccountConnection' });

builder.queryFields((t) => ({
  bankAccount: t.prismaField({
    type: BankAccount,
    nullable: true,
    description: 'One bank account.',
    ability: 'bank-transactions:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'BankAccount', id, query),
  }),
  bankAccounts: t.connection(
    {
      type: BankAccount,
      description: 'The bank accounts, newest first. Imports of bank statements add them, too.',
      ability: 'bank-transactions:read',
      args: { ...listArguments(bankAccountInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'BankAccount', bankAccountInputs, args),
    },
    BankAccountConnection,
  ),
  bankBalance: t.field({
    type: BankBalance,
    nullable: true,
    description: 'The balance of one bank account at the end of a day.',
    ability: 'bank-transactions:read',
    args: { ...idArgument, ...atArgument },
    resolve: (_root, { id, at }, context) => found(findBalance(id, context, { at: at ?? today(context) })),
  }),
}));

builder.prismaObjectField(BankAccount, 'balance', (t) =>
  t.field({
    type: BankBalance,
    description: 'The balance at the end of a day: that of the nearest statement, and the transactions in between.',
    args: atArgument,
    resolve: ({ id }, { at }, context) => found(findBalance(id, context, { at: at ?? today(context) })),
  }),
);
