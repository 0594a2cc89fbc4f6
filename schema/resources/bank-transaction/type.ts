import { builder, type ObjectFields } from '../../graphql/builder.ts';
import type { MatchStatus as MatchStatuses } from '../../../prisma/generated/client/client.ts';
import { type PayableType, getBankAmount, paidBy } from '../payment/payables.ts';
import type { Decimal } from '../../money/money.ts';
import { Invoice } from '../invoice/type.ts';
import { key } from '../../graphql/context.ts';
import { Receipt } from '../receipt/type.ts';
import { CreditNote } from '../credit-note/type.ts';
import { Customer } from '../customer/type.ts';
import { resourceIdDescription, Node } from '../../graphql/node.ts';
import { counting } from '../payment/filter.ts';
import { Payment } from '../payment/type.ts';

export const MatchStatus = builder.enumType('MatchStatus', {
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
    RECEIPT: { description: 'Paid by money sent; a supplier’s credit by money received.' },
    CREDIT_NOTE: { description: 'Refunded by money sent.' },
    CUSTOMER: { description: "A customer's credit: money received adds to it, money sent refunds of it." },
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
  customer: t.prismaField({
    type: Customer,
    description: 'The customer whose credit it changes; null if it pays anything else.',
    nullable: true,
    ability: 'customers:read',
    resolve: (query, { type, id }, _args, context) => {
      const one = { ...query, where: key(context, id) };
      return type === 'CUSTOMER' ? context.db.customer.findUnique(one) : null;
    },
  }),
});

const Match = builder.objectRef<MatchOf>('Match').implement({
  description: 'A payment of an invoice or receipt, or a refund of a credit note, by a bank transaction.',
  example: { amount: '904.4' },
  fields: (t) => ({
    type: t.expose('type', { type: MatchType, description: 'What it pays.' }),
    id: t.expose('id', { type: 'UUID', description: 'The id of the invoice, receipt, credit note, or customer.' }),
    resourceId: t.expose('id', {
      type: 'UUID',
      description: resourceIdDescription('The id of the invoice, receipt, credit note, or customer'),
    }),
    amount: t.expose('amount', {
      type: 'Decimal',
      description: "The matched amount in the transaction's currency: positive if it was received.",
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
      select: { payments: { where: counting, orderBy: { id: 'asc' } } },
      resolve: ({ payments }) =>
        payments.map((payment): MatchOf => ({ ...paidBy(payment), amount: getBankAmount(payment) })),
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
