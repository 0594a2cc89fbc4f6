import { builder } from '../../graphql/builder.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { count, wholeNumber } from '../../graphql/input/validators.ts';
import { holdPeriodLocks } from '../period-lock/rules.ts';
import { choosePayers, findExactMatches, findPossible, makeExactMatches, type ExactMatch } from './exact-matches.ts';
import { SuggestionType } from './suggestions.ts';
import { BankTransaction } from './type.ts';

/** The most matches at once. */
export const maxExactMatches = 40;
/** A search compares up to 10,000 transactions with all open documents. */
export const maxSearchesPerMinute = 60;

const ExactMatchType = builder.objectRef<ExactMatch>('ExactMatch').implement({
  description: 'An unmatched bank transaction with its exact suggestion.',
  fields: (t) => ({
    transaction: t.prismaField({
      type: BankTransaction,
      description: 'The transaction.',
      ability: 'bank-transactions:read',
      resolve: (query, { transaction }, _args, context) => findById(context, 'BankTransaction', transaction, query),
    }),
    suggestion: t.expose('suggestion', { type: SuggestionType, description: 'What it pays.' }),
  }),
});

const ExactMatchInput = builder.inputType('ExactMatchInput', {
  description: 'An exact match that is confirmed.',
  fields: (t) => ({
    transactionId: t.field({ type: 'UUID', required: true, description: 'The id of the bank transaction.' }),
    id: t.field({
      type: 'UUID',
      required: true,
      description: 'The id of the invoice, receipt, or credit note that it was seen to pay.',
    }),
  }),
});

builder.queryField('exactMatches', (t) =>
  t.field({
    type: [ExactMatchType],
    description: `The exact suggestions of unmatched bank transactions, oldest booking first, at most ${maxExactMatches}. Of several transactions that would pay the same, the first; none whose day is locked. Only the oldest 10,000 transactions whose amount is due somewhere are searched. confirmExactMatches confirms them.`,
    ability: 'bank-transactions:read',
    maxPerMinute: maxSearchesPerMinute,
    args: {
      first: t.arg.int({
        description: `At most so many. Default: ${maxExactMatches}. To know whether there are any takes less than to find all.`,
        validate: wholeNumber(1, maxExactMatches),
      }),
    },
    resolve: (_root, { first }, context) => findPossible(context, first ?? maxExactMatches),
  }),
);

builder.mutationField('confirmExactMatches', (t) =>
  t.prismaField({
    type: [BankTransaction],
    description:
      'Matches bank transactions with their exact suggestions. A match that is no longer exact, or no longer possible, is left out, and the others are made. Returns the transactions that were matched.',
    ability: 'bank-transactions:write',
    args: {
      matches: t.arg({
        type: [ExactMatchInput],
        required: true,
        description: 'Each transaction only once.',
        validate: count(1, maxExactMatches, 'matches'),
      }),
    },
    rules: ({ matches }, _context, problems) => {
      if (new Set(matches?.map((each) => each?.transactionId)).size !== matches?.length)
        problems.add('matches', 'duplicate', 'Must name each only once.');
    },
    resolve: (query, _root, { matches }, context) =>
      context.transaction(async (inside) => {
        const seen = new Map(matches.map(({ transactionId, id }) => [transactionId, id]));
        const transactions = [];
        for (const id of [...seen.keys()].toSorted()) {
          const transaction = await inside.db.lock('BankTransaction', id, 'no key update');
          if (transaction?.matchStatus === 'UNMATCHED') transactions.push(transaction);
        }
        const found = await findExactMatches(inside, transactions);
        const asSeen = found.filter(({ transaction, suggestion }) => seen.get(transaction.id) === suggestion.id);
        const payers = choosePayers(asSeen, await holdPeriodLocks(inside));
        const matched = await makeExactMatches(inside, payers);
        return inside.db.bankTransaction.findMany({
          ...query,
          where: { id: { in: matched } },
          orderBy: { id: 'asc' },
        });
      }),
  }),
);
