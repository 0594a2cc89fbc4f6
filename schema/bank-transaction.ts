import { queryFromInfo } from '@pothos/plugin-prisma';
import type { MatchStatus as MatchStatuses, Prisma } from '../prisma/generated/client/client.ts';
import { builder, type MutationFields } from './builder.ts';
import { key } from './context.ts';
import { found, refuse } from './errors.ts';
import { Decimal } from './money.ts';
import { pagePaths, readPage } from './page.ts';
import { Payment } from './payment.ts';

export const MatchStatus = builder.enumType('MatchStatus', {
  description: 'How much of a bank transaction is accounted for.',
  values: {
    UNMATCHED: { description: 'Nothing yet.' },
    PARTIALLY_MATCHED: { description: 'A part; the rest is `amountOpen`.' },
    MATCHED: { description: 'All of it.' },
    IGNORED: { description: 'Nothing, and nothing is expected: it pays nothing in the books.' },
  } satisfies Record<MatchStatuses, object>,
});

export const MatchType = builder.enumType('MatchType', {
  description: 'What a bank transaction can be matched with.',
  values: {
    INVOICE: { description: 'By money received.' },
    RECEIPT: { description: 'By money sent.' },
  },
});

interface MatchOf {
  type: 'INVOICE' | 'RECEIPT';
  id: string;
  amount: Decimal;
}

const Match = builder.objectRef<MatchOf>('Match').implement({
  description: 'What part of a bank transaction pays what.',
  fields: (t) => ({
    type: t.expose('type', { type: MatchType, description: 'What it pays.' }),
    id: t.expose('id', { type: 'UUID', description: 'Of the invoice or receipt.' }),
    amount: t.expose('amount', { type: 'Decimal', description: "Signed as the transaction's amount." }),
  }),
});

export const BankTransaction = builder.prismaObject('BankTransaction', {
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    externalId: t.exposeString('externalId', { nullable: true }),
    accountIban: t.exposeString('accountIban'),
    bookingDate: t.expose('bookingDate', { type: 'Date' }),
    valueDate: t.expose('valueDate', { type: 'Date', nullable: true }),
    amount: t.expose('amount', { type: 'Decimal' }),
    currency: t.exposeString('currency'),
    counterpartyName: t.exposeString('counterpartyName', { nullable: true }),
    counterpartyIban: t.exposeString('counterpartyIban', { nullable: true }),
    reference: t.exposeString('reference', { nullable: true }),
    matchStatus: t.expose('matchStatus', { type: MatchStatus }),
    amountOpen: t.expose('amountOpen', { type: 'Decimal' }),
    matches: t.field({
      type: [Match],
      description: 'The invoices or receipts that this transaction pays.',
      select: { amount: true, payments: { orderBy: { id: 'asc' } } },
      resolve: ({ amount, payments }) =>
        payments.map((payment): MatchOf => {
          const signed = new Decimal(payment.amount).times(amount.isNegative() ? -1 : 1);
          return payment.invoiceId
            ? { type: 'INVOICE', id: payment.invoiceId, amount: signed }
            : { type: 'RECEIPT', id: payment.receiptId ?? '', amount: signed };
        }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.prismaObjectField(Payment, 'bankTransaction', (t) =>
  t.relation('bankTransaction', { ability: 'bank-transactions:read', nullable: true }),
);

export const BankTransactionConnection = builder.connectionObject({
  type: BankTransaction,
  name: 'BankTransactionConnection',
});

builder.queryFields((t) => ({
  bankTransaction: t.prismaField({
    type: BankTransaction,
    description: 'One bank transaction.',
    ability: 'bank-transactions:read',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id }, context) =>
      found(context.db.bankTransaction.findUnique({ ...query, where: key(context, id) })),
  }),
  bankTransactions: t.connection(
    {
      type: BankTransaction,
      description: 'The bank transactions, newest first by import.',
      ability: 'bank-transactions:read',
      args: {
        matchStatus: t.arg({ type: MatchStatus, description: 'Only those in this state.' }),
        offset: t.arg.int(),
      },
      resolve: (_root, args, context, info) => {
        const where: Prisma.BankTransactionWhereInput = { ...(args.matchStatus && { matchStatus: args.matchStatus }) };
        return readPage(
          args,
          where,
          (page) => context.db.bankTransaction.findMany({ ...queryFromInfo({ context, info, ...pagePaths }), ...page }),
          (all) => context.db.bankTransaction.count(all),
        );
      },
    },
    BankTransactionConnection,
  ),
}));

/** unmatched ↔ ignored: whether anything is still expected to be done about a transaction. */
const change = (t: MutationFields, from: MatchStatuses, to: MatchStatuses, description: string, otherwise: string) =>
  t.prismaField({
    type: BankTransaction,
    description,
    ability: 'bank-transactions:write',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: async (query, _root, { id }, context) => {
      await found(context.db.bankTransaction.findUnique({ where: key(context, id) }));
      const where = { id, matchStatus: from };
      const changed = await context.db.bankTransaction.updateMany({ where, data: { matchStatus: to } });
      if (changed.count === 0) refuse('matchStatus', otherwise);
      return found(context.db.bankTransaction.findUnique({ ...query, where: key(context, id) }));
    },
  });

builder.mutationFields((t) => ({
  ignoreBankTransaction: change(
    t,
    'UNMATCHED',
    'IGNORED',
    'Marks a transaction as one that pays nothing in the books.',
    'Only an unmatched transaction can be ignored.',
  ),
  unignoreBankTransaction: change(
    t,
    'IGNORED',
    'UNMATCHED',
    'Makes an ignored transaction unmatched again.',
    'Only an ignored transaction can be made unmatched.',
  ),
}));
