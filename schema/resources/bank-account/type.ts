import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import type { Decimal } from '../../money/money.ts';

export const BankAccount = builder.prismaObject('BankAccount', {
  interfaces: [Node],
  example: {
    iban: 'DE02120300000000202051',
    currency: 'EUR',
    name: 'Current account',
    externalId: null,
    metadata: { ledger_account: '1200' },
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    iban: t.exposeString('iban'),
    currency: t.exposeString('currency'),
    name: t.exposeString('name', { nullable: true }),
    externalId: t.exposeString('externalId', { nullable: true }),
    metadata: t.expose('metadata', { type: 'Metadata' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

/** The balance of a bank account at the end of a day. */
export interface Balance {
  at: Date;
  amount: Decimal;
  currency: string;
  bankStatementId: string | null;
}

export const BankBalance = builder.objectRef<Balance>('BankBalance').implement({
  description: 'The balance of a bank account at the end of a day.',
  fields: (t) => ({
    at: t.expose('at', { type: 'Date', description: 'The day.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'The balance; negative if the account is overdrawn.' }),
    currency: t.exposeString('currency', { description: 'ISO 4217.' }),
    bankStatementId: t.expose('bankStatementId', {
      type: 'UUID',
      nullable: true,
      description:
        'The statement whose balance it is, with the transactions between that and the day; null without a statement: then it is the sum of all transactions until the day.',
    }),
  }),
});
