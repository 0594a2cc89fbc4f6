import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import { findPrevious, type Continuity } from './continuity.ts';

const StatementContinuity = builder.enumType('StatementContinuity', {
  description: 'Whether a bank statement goes on where the one before it ended.',
  values: {
    FIRST: { description: 'There is none before it.' },
    CONTINUES: { description: 'It opens with the balance with which the one before it closed.' },
    GAP: { description: 'Something is missing before it: the balances differ, or the numbers leave one out.' },
    OVERLAP: { description: 'It begins before the end of the one before it.' },
  } satisfies Record<Continuity, object>,
});

export const BankStatement = builder.prismaObject('BankStatement', {
  interfaces: [Node],
  example: {
    number: '27',
    fromDate: '2026-02-01',
    toDate: '2026-02-28',
    openingBalance: '1204.5',
    closingBalance: '2108.9',
    difference: '0',
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    bankAccountId: t.expose('bankAccountId', { type: 'UUID' }),
    number: t.exposeString('number', { nullable: true }),
    fromDate: t.expose('fromDate', { type: 'Date' }),
    toDate: t.expose('toDate', { type: 'Date' }),
    openingBalance: t.expose('openingBalance', { type: 'Decimal' }),
    closingBalance: t.expose('closingBalance', { type: 'Decimal' }),
    continuity: t.field({
      type: StatementContinuity,
      description: 'Whether it goes on where the one before it ended.',
      resolve: async ({ id }, _args, context) => (await findPrevious(id, context)).continuity,
    }),
    difference: t.field({
      type: 'Decimal',
      description: 'Its opening balance less the closing balance of the one before it; 0 for the first.',
      resolve: async ({ id }, _args, context) => (await findPrevious(id, context)).difference,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    bankAccount: t.relation('bankAccount'),
  }),
});
