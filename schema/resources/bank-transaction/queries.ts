import { BankTransaction, MatchStatus } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byDay, byDecimal } from '../../graphql/paging/order.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { wordsIn, searchText, containsWords } from '../../graphql/filters/search.ts';
import { amountArgument, byAmount } from '../../graphql/filters/amount.ts';
import { updatedSinceArgument, updatedSince } from '../../graphql/filters/updated-since.ts';
import { periodRules, byPeriod } from '../../graphql/filters/period.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { buildFilter, type Filters } from '../../graphql/filters/filters.ts';
import { readPage } from '../../graphql/paging/page.ts';

const BankTransactionConnection = builder.connectionObject({
  type: BankTransaction,
  name: 'BankTransactionConnection',
});

const Direction = builder.enumType('BankTransactionDirection', {
  description: 'The direction of the money, in the terms of ISO 20022.',
  values: { CREDIT: { description: 'Money received.' }, DEBIT: { description: 'Money sent.' } },
});

const order = orderType('BankTransaction', {
  BOOKING_DATE: byDay('bookingDate', 'The day it was booked.'),
  AMOUNT: byDecimal('amount', 'The signed amount, whatever the currency.'),
});

const filters = {
  updatedSince,
  amount: byAmount('amount'),
  matchStatus: (matchStatus: typeof MatchStatus.$inferType) => ({ matchStatus }),
  direction: (direction: typeof Direction.$inferType) => ({ amount: direction === 'CREDIT' ? { gt: 0 } : { lt: 0 } }),
  ...byPeriod('bookingDate'),
  q: containsWords,
} satisfies Filters<Prisma.BankTransactionWhereInput>;

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
      args: {
        matchStatus: t.arg({ type: MatchStatus, description: 'Only rows in this state.' }),
        direction: t.arg({ type: Direction, description: 'Only money received, or only money sent.' }),
        from: t.arg({ type: 'Date', description: 'Booked on this day or later.' }),
        to: t.arg({ type: 'Date', description: 'Booked on this day or earlier.' }),
        q: t.arg.string({
          description: `${wordsIn} counterparty's name and IBAN, and the reference.`,
          validate: searchText,
        }),
        ...amountArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first, by when they were imported.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: async (_root, args, context, info) =>
        readPage({ context, info }, 'BankTransaction', args, await buildFilter(filters, args, context), order.columns),
    },
    BankTransactionConnection,
  ),
}));
