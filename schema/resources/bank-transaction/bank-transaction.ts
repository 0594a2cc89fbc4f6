import type { MatchStatus as MatchStatuses, Prisma } from '../../../prisma/generated/client/client.ts';
import { builder, type MutationFields, type ObjectFields } from '../../graphql/builder.ts';
import { Node, resourceIdDescription } from '../../graphql/node.ts';
import { key } from '../../graphql/context.ts';
import { refuse } from '../../errors.ts';
import { emit, type EventType } from '../../events/events.ts';
import { CreditNote } from '../credit-note/credit-note.ts';
import { Invoice } from '../invoice/invoice.ts';
import { withLockedRow } from '../../rows/locked-row.ts';
import { Decimal } from '../../money/money.ts';
import { byDay, byDecimal, orderType } from '../../graphql/paging/order.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { paidBy, type PayableType } from '../payables.ts';
import { Payment } from '../payment.ts';
import { periodRules, within } from '../../graphql/filters/period.ts';
import { Receipt } from '../receipt/receipt.ts';
import { joinConditions, containing, searchText, wordsIn } from '../../graphql/filters/search.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { amountArgument, byAmount } from '../../graphql/filters/amount.ts';
import { updatedSince, updatedSinceArgument } from '../../graphql/filters/updated-since.ts';

const MatchStatus = builder.enumType('MatchStatus', {
  description: 'How much of a bank transaction is accounted for.',
  values: {
    UNMATCHED: { description: 'Nothing is matched yet.' },
    PARTIALLY_MATCHED: { description: 'A part is matched. The rest is `amountOpen`.' },
    MATCHED: { description: 'The whole amount is matched.' },
    IGNORED: { description: 'Ignored: the transaction pays nothing in the books.' },
  } satisfies Record<MatchStatuses, object>,
});

export const MatchType = builder.enumType('MatchType', {
  description: 'The resources that a bank transaction can pay.',
  values: {
    INVOICE: { description: 'Paid by money received.' },
    RECEIPT: { description: 'Paid by money sent.' },
    CREDIT_NOTE: { description: 'Refunded by money sent.' },
  } satisfies Record<PayableType, object>,
});

interface MatchOf {
  type: PayableType;
  id: string;
  amount: Decimal;
}

/** The invoice, receipt, or credit note that a match or a suggestion names. */
export const payable = <Named extends Pick<MatchOf, 'type' | 'id'>>(t: ObjectFields<Named>) => ({
  invoice: t.prismaField({
    type: Invoice,
    description: 'The invoice that it pays; null if it pays anything else.',
    nullable: true,
    ability: 'invoices:read',
    resolve: (query, { type, id }, _args, context) => {
      const one = { ...query, where: key(context, id) };
      return type === 'INVOICE' ? context.db.invoice.findUnique(one) : null;
    },
  }),
  receipt: t.prismaField({
    type: Receipt,
    description: 'The receipt that it pays; null if it pays anything else.',
    nullable: true,
    ability: 'receipts:read',
    resolve: (query, { type, id }, _args, context) => {
      const one = { ...query, where: key(context, id) };
      return type === 'RECEIPT' ? context.db.receipt.findUnique(one) : null;
    },
  }),
  creditNote: t.prismaField({
    type: CreditNote,
    description: 'The credit note that it refunds; null if it pays anything else.',
    nullable: true,
    ability: 'invoices:read',
    resolve: (query, { type, id }, _args, context) => {
      const one = { ...query, where: key(context, id) };
      return type === 'CREDIT_NOTE' ? context.db.creditNote.findUnique(one) : null;
    },
  }),
});

const Match = builder.objectRef<MatchOf>('Match').implement({
  description: 'A payment of an invoice or receipt, or a refund of a credit note, by a bank transaction.',
  example: { amount: '904.4' },
  fields: (t) => ({
    type: t.expose('type', { type: MatchType, description: 'What it pays.' }),
    id: t.expose('id', { type: 'UUID', description: 'The id of the invoice, receipt, or credit note.' }),
    resourceId: t.expose('id', {
      type: 'UUID',
      description: resourceIdDescription('The id of the invoice, receipt, or credit note'),
    }),
    amount: t.expose('amount', {
      type: 'Decimal',
      description: "The matched amount, with the sign of the transaction's amount.",
    }),
    ...payable(t),
  }),
});

export const BankTransaction = builder.prismaObject('BankTransaction', {
  interfaces: [Node],
  example: {
    externalId: '2026013100017',
    accountIban: 'DE02120300000000202051',
    bookingDate: '2026-02-10',
    valueDate: '2026-02-10',
    amount: '904.4',
    currency: 'EUR',
    counterpartyName: 'Bäckerei Sonnenschein GmbH',
    counterpartyIban: 'DE02500105170137075030',
    reference: 'Rechnung 2026-0017',
    matchStatus: 'MATCHED',
    amountOpen: '0',
  },
  fields: (t) => ({
    id: t.exposeID('id'),
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
      description: 'What this transaction pays.',
      select: { amount: true, payments: { orderBy: { id: 'asc' } } },
      resolve: ({ amount, payments }) =>
        payments.map((payment): MatchOf => ({
          ...paidBy(payment),
          amount: new Decimal(payment.amount).times(amount.isNegative() ? -1 : 1),
        })),
    }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.prismaObjectField(Payment, 'bankTransaction', (t) =>
  t.relation('bankTransaction', { ability: 'bank-transactions:read', nullable: true }),
);

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

builder.queryFields((t) => ({
  bankTransaction: t.prismaField({
    type: BankTransaction,
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
      resolve: (_root, args, context, info) => {
        const where: Prisma.BankTransactionWhereInput = {
          ...updatedSince(args),
          ...byAmount('amount', args),
          ...(args.matchStatus && { matchStatus: args.matchStatus }),
          ...(args.direction && { amount: args.direction === 'CREDIT' ? { gt: 0 } : { lt: 0 } }),
          ...((args.from || args.to) && { bookingDate: within(args) }),
          ...joinConditions(containing(args.q)),
        };
        return readPage({ context, info }, 'BankTransaction', args, where, order.columns);
      },
    },
    BankTransactionConnection,
  ),
}));

/** unmatched ↔ ignored. */
const change = (
  t: MutationFields,
  [from, to]: [from: MatchStatuses, to: MatchStatuses],
  event: EventType,
  description: string,
  otherwise: string,
) =>
  t.prismaField({
    type: BankTransaction,
    description,
    ability: 'bank-transactions:write',
    args: idArgument,
    resolve: (query, _root, { id }, context) =>
      withLockedRow(context, 'BankTransaction', id, async (inside, { matchStatus }) => {
        if (matchStatus !== from) refuse('matchStatus', otherwise);
        await inside.db.bankTransaction.update({ where: key(context, id), data: { matchStatus: to } });
        await emit(inside, event, id);
        return findById(inside, 'BankTransaction', id, query);
      }),
  });

builder.mutationFields((t) => ({
  ignoreBankTransaction: change(
    t,
    ['UNMATCHED', 'IGNORED'],
    'bank_transaction.ignored',
    'Marks a transaction as one that pays nothing in the books, such as a private one.',
    'Only an unmatched transaction can be ignored.',
  ),
  unignoreBankTransaction: change(
    t,
    ['IGNORED', 'UNMATCHED'],
    'bank_transaction.unignored',
    'Makes an ignored transaction unmatched again.',
    'Only an ignored transaction can be made unmatched.',
  ),
}));
