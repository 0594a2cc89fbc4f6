import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { newPaymentArguments } from '../../graphql/input/own-fields.ts';
import { currency, decimal } from '../../graphql/input/validators.ts';
import { found, refuse } from '../../errors/errors.ts';
import { key, today } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { Customer } from '../customer/type.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { computePaid } from './amount.ts';
import { findCreditBalances, readCredit, type CreditBalance } from './customer-credit.ts';
import { recordPayment, toOwnColumns } from './ledger.ts';
import { payables } from './payables.ts';
import { amountRules, externalIdRules, paidOnRules } from './rules.ts';
import { Payment } from './type.ts';

const CreditBalanceType = builder.objectRef<CreditBalance>('CreditBalance').implement({
  description:
    "A customer's credit in one currency: money that was paid beyond what was due, and not used or refunded yet.",
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'More than zero.' }),
  }),
});

builder.prismaObjectField(Customer, 'creditBalances', (t) =>
  t.field({
    type: [CreditBalanceType],
    description: 'What is left of its credit, by currency; empty if there is none.',
    ability: 'invoices:read',
    select: { id: true },
    resolve: ({ id }, _args, context) => findCreditBalances(id, context),
  }),
);

interface CreditBalances {
  items: CreditBalance[];
}

const CreditBalances = builder.objectRef<CreditBalances>('CreditBalances').implement({
  description: "A customer's credit.",
  fields: (t) => ({ items: t.expose('items', { type: [CreditBalanceType], description: 'By currency.' }) }),
});

builder.queryField('customerCredit', (t) =>
  t.field({
    type: CreditBalances,
    nullable: true,
    description: 'What is left of the credit of a customer, by currency.',
    ability: 'invoices:read',
    args: idArgument,
    resolve: async (_root, { id }, context) => {
      await found(context.db.customer.findUnique({ where: key(context, id) }));
      return { items: await findCreditBalances(id, context) };
    },
  }),
);

builder.mutationField('refundCredit', (t) =>
  t.prismaField({
    type: Payment,
    description:
      "Records money of a customer's credit that was sent back without a bank transaction, and returns that payment.",
    ability: 'invoices:write',
    args: {
      ...idArgument,
      currency: t.arg.string({
        description: "The currency of the credit, ISO 4217. Default: the tenant's.",
        validate: currency,
      }),
      amount: t.arg({ type: 'Decimal', description: 'Default: all of the credit.', validate: decimal({}) }),
      paidOn: t.arg({ type: 'Date', description: "Not in the future. Default: the tenant's today." }),
      ...newPaymentArguments(t),
    },
    rules: ({ id, currency: of, amount, paidOn, externalId }, context, problems) => {
      paidOnRules(paidOn, context, problems);
      externalIdRules(externalId, context, problems);
      if (!id) return;
      const exists = async () =>
        (await context.db.customer.findUnique({ where: key(context, id) })) && {
          currency: of ?? context.tenant.defaultCurrency,
        };
      amountRules(amount, exists, problems);
    },
    resolve: (query, _root, { id: customerId, currency: chosen, amount, paidOn, ...own }, context) =>
      context.transaction(async (inside) => {
        const of = chosen ?? context.tenant.defaultCurrency;
        await found(inside.db.lock('Customer', customerId, 'no key update'));
        const due = await readCredit(inside, customerId, of);
        if (due.isZero()) refuse('status', 'nothing_left', 'The customer has no credit in this currency.');
        const paid = computePaid({ due, currency: of }, amount);
        const day = paidOn ?? today(inside);
        await refuseLocked(inside, payables.CUSTOMER.series, day, 'paidOn');
        const payment = { kind: 'CREDIT_REFUND', customerId, ...paid, paidOn: day, ...toOwnColumns(own) } as const;
        const id = await recordPayment(inside, payment);
        return findById(inside, 'Payment', id, query);
      }),
  }),
);
